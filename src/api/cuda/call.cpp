#include "api/cuda/call.h"

#include "api/entry/errors.h"

namespace heddle::cu {

std::string describe(const Status& status) {
  const int code = static_cast<int>(result_of(status));
  const char* name = entry::driver_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

}  // namespace heddle::cu
