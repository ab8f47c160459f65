#include "api/cudart/call.h"

#include "api/cuda_state/in_process.h"
#include "api/entry/call_arguments.h"
#include "api/entry/error_log.h"
#include "api/entry/errors.gen.h"
#include "api/entry/shelter.h"

namespace heddle::cudart {

Status missing(const char* parameter) { return cuda::invalid_value(std::string(parameter) + " is NULL"); }

std::string describe(const Status& status) {
  const int code = static_cast<int>(cuda::code_of(status));
  const char* name = entry::runtime_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

void log_failure(const entry::Record& record, const Status& status) noexcept {
  // That work goes on is no failure.
  if (cuda::code_of(status) == cuda::Code::not_ready) return;
  cuda::guarded<void>([&] { entry::ErrorLog::get().note(record, describe(status)); });
}

cudaError_t run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  cuda::Code code = cuda::Code::unknown;
  const auto frame = [&] {
    const entry::GivenArguments given(arguments);
    const entry::Heard heard(record);
    const Status status = cuda::in_process(body);
    code = cuda::remember(cuda::code_of(status));
    if (!status) [[unlikely]]
      log_failure(record, status);
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, describe(status), status.ok(), arguments);
    if (heard) [[unlikely]]
      heard.ended(static_cast<int64_t>(code), status.ok(), describe(status), arguments);
  };
  entry::sheltered([&] { cuda::guarded<void>(frame); });
  return static_cast<cudaError_t>(code);
}

cudaError_t run_stub(const entry::Record& record, entry::ArgumentList arguments) {
  entry::trace_stub(record);
  const auto refuse = [] { return Status(cuda::failure(cuda::Code::not_supported, "not implemented")); };
  return run(record, refuse, arguments);
}

}  // namespace heddle::cudart
