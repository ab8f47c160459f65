#include "api/nvrtc/call.h"

#include <exception>
#include <new>

#include "api/entry/errors.h"
#include "api/entry/shelter.h"

namespace heddle::nvrtc {

std::string describe(const Status& status) {
  const int code = status.ok() ? NVRTC_SUCCESS : status.error().code;
  const char* name = entry::nvrtc_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

namespace {

Status caught(entry::Body<Status> body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failure(NVRTC_ERROR_OUT_OF_MEMORY, "out of memory");  // short: needs no memory itself
  } catch (const std::exception& thrown) {
    return failure(NVRTC_ERROR_INTERNAL_ERROR, thrown.what());
  }
}

}  // namespace

nvrtcResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;
  const auto frame = [&]() -> Status {
    const entry::Heard heard(record);
    const Status status = caught(body);
    result = status.ok() ? NVRTC_SUCCESS : status.error().code;
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, describe(status), status.ok(), arguments);
    if (heard) [[unlikely]]
      heard.ended(result, status.ok(), describe(status), arguments);
    return Unit{};
  };
  entry::sheltered([&] { (void)caught(frame); });
  return result;
}

}  // namespace heddle::nvrtc
