#include "api/nvvm/call.h"

#include <exception>
#include <new>

#include "api/entry/errors.h"
#include "api/entry/shelter.h"

namespace heddle::nvvm {

std::string describe(const Status& status) {
  const int code = status.ok() ? NVVM_SUCCESS : status.error().code;
  const char* name = entry::nvvm_error_name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

namespace {

Status caught(entry::Body<Status> body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failure(NVVM_ERROR_OUT_OF_MEMORY, "out of memory");  // short: needs no memory itself
  } catch (const std::exception& thrown) {
    return failure(NVVM_ERROR_COMPILATION, thrown.what());
  }
}

}  // namespace

nvvmResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  nvvmResult result = NVVM_ERROR_OUT_OF_MEMORY;
  const auto frame = [&]() -> Status {
    const entry::Heard heard(record);
    const Status status = caught(body);
    result = status.ok() ? NVVM_SUCCESS : status.error().code;
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, describe(status), status.ok(), arguments);
    if (heard) [[unlikely]]
      heard.ended(result, status.ok(), describe(status), arguments);
    return Unit{};
  };
  entry::sheltered([&] { (void)caught(frame); });
  return result;
}

}  // namespace heddle::nvvm
