#include "api/cupti/call.h"

#include <exception>
#include <new>

#include "api/entry/errors.h"

namespace heddle::cupti {

namespace {

thread_local CUptiResult last_error = CUPTI_SUCCESS;

Status guarded(entry::Body<Status> body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failure(CUPTI_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return failure(CUPTI_ERROR_UNKNOWN, thrown.what());
  }
}

std::string describe(const Status& status) {
  const int code = status.ok() ? CUPTI_SUCCESS : status.error().code;
  const char* name = entry::cupti_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

}  // namespace

CUptiResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  const Status status = guarded(body);
  if (entry::tracing()) [[unlikely]]
    entry::trace(record, describe(status), status.ok(), arguments);
  if (!status.ok()) last_error = status.error().code;
  return status.ok() ? CUPTI_SUCCESS : status.error().code;
}

CUptiResult take_last_error() { return std::exchange(last_error, CUPTI_SUCCESS); }

}  // namespace heddle::cupti
