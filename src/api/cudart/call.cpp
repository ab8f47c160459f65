#include "api/cudart/call.h"

#include "api/entry/errors.h"

namespace heddle::cudart {

std::string describe(const Status& status) {
  const int code = static_cast<int>(cuda::code_of(status));
  const char* name = entry::runtime_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

}  // namespace heddle::cudart
