// Around every function of NVRTC: no exception escapes, HEDDLE_TRACE is served. The generated entries use it;
// a function itself (functions.gen.h) only says what it does and what went wrong.
#pragma once

#include <nvrtc.h>

#include <string>

#include "api/entry/body.h"
#include "api/entry/listen.h"
#include "api/entry/plain_call.h"
#include "api/entry/trace.h"
#include "support/result.h"

namespace heddle::nvrtc {

struct Failure {
  nvrtcResult code = NVRTC_ERROR_INTERNAL_ERROR;
  std::string message;
};
using Status = Result<Unit, Failure>;

inline Failure failure(nvrtcResult code, std::string message) { return {code, std::move(message)}; }
inline Failure invalid_input(std::string message) { return {NVRTC_ERROR_INVALID_INPUT, std::move(message)}; }

// A pointer that must not be null is.
inline Status missing(const char* parameter) { return invalid_input(std::string(parameter) + " is NULL"); }

// For HEDDLE_TRACE: the code's name, and why.
std::string describe(const Status& status);
// A call's frame, once for all functions.
nvrtcResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments);

template <class Body, class... Arguments>
nvrtcResult call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return run(record, body, {entry::argument(arguments)...});
}

using entry::plain;

template <class... Arguments>
nvrtcResult stub(const entry::Record& record, const Arguments&... arguments) {
  entry::trace_stub(record);
  return call(
      record, [] { return Status(failure(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, "not implemented")); },
      arguments...);
}

}  // namespace heddle::nvrtc
