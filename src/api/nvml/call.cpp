#include "api/nvml/call.h"

#include <exception>
#include <new>

#include "api/entry/errors.h"
#include "api/nvml/library.h"

namespace heddle::nvml {

std::string describe(const Status& status) {
  const int code = status.ok() ? NVML_SUCCESS : status.error().code;
  const char* name = entry::nvml_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

Status guarded(Status (*body)(const void*), const void* data, bool before_init) noexcept {
  try {
    if (!before_init && !begun()) return failure(NVML_ERROR_UNINITIALIZED, "nvmlInit was not called");
    return body(data);
  } catch (const std::bad_alloc&) {
    return failure(NVML_ERROR_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return failure(NVML_ERROR_UNKNOWN, thrown.what());
  }
}

}  // namespace heddle::nvml
