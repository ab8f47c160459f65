#include "api/nvrtc/call.h"

#include <exception>
#include <new>

#include "api/entry/errors.h"

namespace heddle::nvrtc {

std::string describe(const Status& status) {
  const int code = status.ok() ? NVRTC_SUCCESS : status.error().code;
  const char* name = entry::nvrtc_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

Status guarded(Status (*body)(const void*), const void* data) noexcept {
  try {
    return body(data);
  } catch (const std::bad_alloc&) {
    return failure(NVRTC_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return failure(NVRTC_ERROR_INTERNAL_ERROR, thrown.what());
  }
}

}  // namespace heddle::nvrtc
