// Around every function of NVML: no exception escapes, HEDDLE_TRACE is served, and the library must be
// initialized. The generated entries use it; a function itself (functions.gen.h) only says what it does and
// what went wrong.
#pragma once

// Versions of a function are functions of their own here.
#define NVML_NO_UNVERSIONED_FUNC_DEFS 1
#include <nvml.h>

#include <string>
#include <utility>

#include "api/entry/body.h"
#include "api/entry/failure.h"
#include "api/entry/listen.h"
#include "api/entry/plain_call.h"
#include "api/entry/trace.h"

namespace heddle::nvml {

using Failure = entry::Failure<nvmlReturn_t>;
using Status = entry::Status<nvmlReturn_t>;
template <class T>
using Answer = Result<T, Failure>;

using entry::failure;
inline Failure invalid_argument(std::string message) {
  return {NVML_ERROR_INVALID_ARGUMENT, std::move(message)};
}
// Of what only a real device could tell, or a device of this kind has not.
inline Failure not_supported(std::string what) { return {NVML_ERROR_NOT_SUPPORTED, std::move(what)}; }

inline Status missing(const char* parameter) {
  return entry::missing(NVML_ERROR_INVALID_ARGUMENT, parameter);
}

// For HEDDLE_TRACE: the code's name, and why.
std::string describe(const Status& status);
// The body's answer, or what it threw instead; uninitialized: before nvmlInit.
Status guarded(entry::Body<Status> body, bool before_init) noexcept;

template <class Body, class... Arguments>
nvmlReturn_t call_at(bool before_init, const entry::Record& record, const Body& body,
                     const Arguments&... arguments) {
  const entry::Heard heard(record);
  const Status status = guarded(body, before_init);
  if (entry::tracing()) [[unlikely]]
    entry::trace(record, describe(status), status.ok(), {entry::argument(arguments)...});
  if (heard) [[unlikely]]
    heard.ended(status.ok() ? NVML_SUCCESS : status.error().code, status.ok(), describe(status),
                {entry::argument(arguments)...});
  return status.ok() ? NVML_SUCCESS : status.error().code;
}

template <class Body, class... Arguments>
nvmlReturn_t call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return call_at(false, record, body, arguments...);
}
template <class Body, class... Arguments>
nvmlReturn_t call_before_init(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return call_at(true, record, body, arguments...);
}

using entry::plain;

}  // namespace heddle::nvml
