#include "nvtx3/nvToolsExtSync.h"
