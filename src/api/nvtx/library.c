// libnvToolsExt.so.1, which programs made for NVTX 1 and 2 link: the functions of the headers
// under their own names.
#define HEDDLE_NVTX_ __attribute__((visibility("default")))
#include "nvtx3/nvToolsExt.h"
#include "nvtx3/nvToolsExtCuda.h"
#include "nvtx3/nvToolsExtCudaRt.h"
#include "nvtx3/nvToolsExtSync.h"
