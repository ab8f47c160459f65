// NVTX asks the library that NVTX_INJECTION64_PATH names, or that is in the process already.
#include "api/ranges/injection.h"

#include "api/cupti/functions.gen.h"

namespace heddle::cupti {

int InitializeInjectionNvtx2(void* getExportTable) {
  return ranges::inject(reinterpret_cast<ranges::GetExportTable>(getExportTable));
}

Status cuptiNvtxInitialize(void* pfnGetExportTable) {
  const int taken = ranges::inject(reinterpret_cast<ranges::GetExportTable>(pfnGetExportTable));
  if (taken == 0) return invalid_parameter("'pfnGetExportTable' gives no tables of NVTX");
  return Unit{};
}

}  // namespace heddle::cupti
