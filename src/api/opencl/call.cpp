#include "api/opencl/call.h"

namespace heddle::opencl {

void tell(const entry::Record& record, const entry::Heard& heard, cl_int code, bool succeeded,
          const std::string& outcome, entry::ArgumentList arguments) {
  if (entry::tracing()) entry::trace(record, outcome, succeeded, arguments);
  if (heard) heard.ended(code, succeeded, outcome, arguments);
}

cl_int run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  const auto frame = [&]() -> Status {
    const entry::Heard heard(record);
    const Status status = in_process<Unit>(body);
    code = code_of(status);
    if (entry::tracing() || heard) [[unlikely]]
      tell(record, heard, code, status.ok(), describe(status), arguments);
    return Unit{};
  };
  entry::sheltered([&] { (void)guarded<Unit>(frame); });
  return code;
}

}  // namespace heddle::opencl
