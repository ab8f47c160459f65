// Version and results.
#include "api/cupti/functions.gen.h"
#include "api/entry/errors.gen.h"

namespace heddle::cupti {

// As CUDA 12.9's and 13.5's do.
Status cuptiGetVersion(uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return Unit{};
}
Status cuptiGetVersion_13(uint32_t* version) {
  *version = 130500;
  return Unit{};
}

Status cuptiGetResultString(CUptiResult result, const char** str) {
  const char* name = entry::cupti_error_name(result);
  if (name == nullptr)
    return invalid_parameter("there is no result " + std::to_string(static_cast<int>(result)));
  *str = name;
  return Unit{};
}

Status cuptiGetErrorMessage(CUptiResult result, const char** str) {
  return cupti::cuptiGetResultString(result, str);
}

}  // namespace heddle::cupti
