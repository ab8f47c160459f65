// Error handling, initialization, version.
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/driver_version.h"
#include "api/entry/errors.gen.h"

namespace heddle::cu {

Status cuGetErrorString(CUresult error, const char** pStr) {
  *pStr = entry::driver_error_name(error) == nullptr ? nullptr : entry::error_text(error);
  if (*pStr == nullptr) return invalid_value("no error has the number " + std::to_string(error));
  return Unit{};
}

Status cuGetErrorName(CUresult error, const char** pStr) {
  *pStr = entry::driver_error_name(error);
  if (*pStr == nullptr) return invalid_value("no error has the number " + std::to_string(error));
  return Unit{};
}

Status cuInit(unsigned int Flags) {
  if (Flags != 0) return invalid_value("the flags of cuInit must be 0, are " + std::to_string(Flags));
  return Process::get().state();
}

Status cuDriverGetVersion(int* driverVersion) {
  auto version = cuda::driver_version();
  if (!version) return version.error();
  *driverVersion = *version;
  return Unit{};
}

}  // namespace heddle::cu
