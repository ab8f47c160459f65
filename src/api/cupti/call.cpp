#include "api/cupti/call.h"

#include "api/entry/errors.gen.h"
#include "api/entry/status_call.h"

namespace heddle::cupti {

namespace {

thread_local CUptiResult last_error = CUPTI_SUCCESS;

constexpr entry::StatusCodes<CUptiResult> codes{CUPTI_SUCCESS, CUPTI_ERROR_OUT_OF_MEMORY, CUPTI_ERROR_UNKNOWN,
                                                entry::cupti_error_name};

}  // namespace

CUptiResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  const Status status = entry::caught(codes, body);
  if (entry::tracing()) [[unlikely]]
    entry::trace(record, entry::describe(codes, status), status.ok(), arguments);
  if (!status.ok()) last_error = status.error().code;
  return status.ok() ? CUPTI_SUCCESS : status.error().code;
}

CUptiResult take_last_error() { return std::exchange(last_error, CUPTI_SUCCESS); }

}  // namespace heddle::cupti
