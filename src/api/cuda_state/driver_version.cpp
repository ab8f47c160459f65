#include "api/cuda_state/driver_version.h"

namespace heddle::cuda {

Answer<int> driver_version() {
  const auto version = machine::driver_version();
  if (!version) return failure(Code::not_initialized, version.error().message);
  return *version;
}

}  // namespace heddle::cuda
