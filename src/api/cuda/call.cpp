#include "api/cuda/call.h"

#include "api/entry/error_log.h"
#include "api/entry/errors.h"

namespace heddle::cu {

std::string describe(const Status& status) {
  const int code = static_cast<int>(result_of(status));
  const char* name = entry::driver_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

void log_failure(const entry::Record& record, const Status& status) noexcept {
  // That work goes on is no failure.
  if (cuda::code_of(status) == cuda::Code::not_ready) return;
  cuda::guarded<void>([&] { entry::ErrorLog::get().note(record, describe(status)); });
}

}  // namespace heddle::cu
