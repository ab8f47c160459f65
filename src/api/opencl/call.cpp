#include "api/opencl/call.h"

namespace heddle::opencl {

cl_int run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  const entry::Heard heard(record);
  const Status status = guarded<Unit>(body);
  if (entry::tracing()) [[unlikely]]
    entry::trace(record, describe(status), status.ok(), arguments);
  if (heard) [[unlikely]]
    heard.ended(status.ok() ? CL_SUCCESS : status.error().code, status.ok(), describe(status), arguments);
  return status.ok() ? CL_SUCCESS : status.error().code;
}

}  // namespace heddle::opencl
