// The frame of a function that returns a status and belongs to no device, as those of NVRTC and libNVVM do:
// no exception escapes, HEDDLE_TRACE is served.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "api/entry/body.h"
#include "api/entry/listen.h"
#include "api/entry/shelter.h"
#include "api/entry/trace.h"
#include "support/result.h"

namespace heddle::entry {

// What a library's statuses are called.
template <class Code>
struct StatusCodes {
  Code success, out_of_memory, thrown;
  const char* (*name)(int);
};

// For HEDDLE_TRACE: the code's name, and why.
template <class Code, class Failure>
std::string describe(const StatusCodes<Code>& codes, const Result<Unit, Failure>& status) {
  const int code = status.ok() ? codes.success : status.error().code;
  const char* name = codes.name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!status.ok() && !status.error().message.empty()) text += ": " + status.error().message;
  return text;
}

// What the body says, or what it threw instead.
template <class Code, class Failure>
Result<Unit, Failure> caught(const StatusCodes<Code>& codes, Body<Result<Unit, Failure>> body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Failure{codes.out_of_memory, "out of memory"};  // short: needs no memory itself
  } catch (const std::exception& thrown) {
    return Failure{codes.thrown, thrown.what()};
  }
}

template <class Code, class Failure>
Code run_call(const StatusCodes<Code>& codes, const Record& record, Body<Result<Unit, Failure>> body,
              ArgumentList arguments) {
  using Status = Result<Unit, Failure>;
  Code result = codes.out_of_memory;
  const auto frame = [&]() -> Status {
    const Heard heard(record);
    const Status status = caught(codes, body);
    result = status.ok() ? codes.success : status.error().code;
    if (tracing()) [[unlikely]]
      trace(record, describe(codes, status), status.ok(), arguments);
    if (heard) [[unlikely]]
      heard.ended(result, status.ok(), describe(codes, status), arguments);
    return Unit{};
  };
  sheltered([&] { (void)caught<Code, Failure>(codes, frame); });
  return result;
}

}  // namespace heddle::entry
