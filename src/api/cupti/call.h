// Around every function of CUPTI: no exception escapes, HEDDLE_TRACE is served. The generated entries use it;
// a function itself (functions.gen.h) only says what it does and what went wrong. Calls of CUPTI are no calls
// of the program: nobody who listens is told of them.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <string>
#include <utility>

#include "api/entry/body.h"
#include "api/entry/failure.h"
#include "api/entry/trace.h"

namespace heddle::cupti {

using Failure = entry::Failure<CUptiResult>;
using Status = entry::Status<CUptiResult>;
template <class T>
using Answer = Result<T, Failure>;

using entry::failure;
inline Failure invalid_parameter(std::string message) {
  return {CUPTI_ERROR_INVALID_PARAMETER, std::move(message)};
}

inline Status missing(const char* parameter) {
  return entry::missing(CUPTI_ERROR_INVALID_PARAMETER, parameter);
}

// A call's frame, once for all functions. A failure is kept for cuptiGetLastError.
CUptiResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments);
// Of the calling thread; forgets it.
CUptiResult take_last_error();

template <class Body, class... Arguments>
CUptiResult call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return run(record, body, {entry::argument(arguments)...});
}

// What returns something else than a status, or leaves the last error alone.
template <class Value, class Body, class... Arguments>
Value plain(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  const Value value = body();
  if (entry::tracing()) [[unlikely]]
    entry::trace(record, entry::value_text(entry::argument(value)), true, {entry::argument(arguments)...});
  return value;
}

template <class... Arguments>
CUptiResult stub(const entry::Record& record, const Arguments&... arguments) {
  entry::trace_stub(record);
  return call(
      record, [] { return Status(failure(CUPTI_ERROR_NOT_SUPPORTED, "not implemented")); }, arguments...);
}

// What a structure of parameters lacks; a pointer to anything else lacks nothing.
template <class Parameters>
Status complete(Parameters* parameters) {
  if constexpr (requires { parameters->structSize; }) {
    if (parameters == nullptr) return missing("pParams");
    if (parameters->structSize == 0) return invalid_parameter("pParams->structSize is 0");
  } else if constexpr (requires { parameters->size; }) {
    if (parameters == nullptr) return missing("pParams");
    if (parameters->size == 0) return invalid_parameter("pParams->size is 0");
  }
  return Unit{};
}
inline Status complete(const auto&) { return Unit{}; }

// What is not there, by CUPTI's own word for it (`refuses` of the record).
template <class... Arguments>
CUptiResult refuse(const entry::Record& record, CUptiResult code, const Arguments&... arguments) {
  entry::trace_stub(record);
  return call(
      record,
      [&]() -> Status {
        Status status = Unit{};
        // What is a thing of the past says so whatever it is given.
        if (code != CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED)
          static_cast<void>(((status = complete(arguments)).ok() && ...));
        return status.ok() ? Status(failure(code, "not implemented")) : status;
      },
      arguments...);
}

}  // namespace heddle::cupti
