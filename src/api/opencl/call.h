// Around every function of OpenCL: no exception escapes, HEDDLE_TRACE is served, the error goes where the
// function has it. The generated entries use it; a function itself (functions.gen.h) only says what it does
// and what went wrong.
#pragma once

#include <exception>
#include <new>

#include "api/entry/body.h"
#include "api/entry/listen.h"
#include "api/entry/trace.h"
#include "api/opencl/event.h"
#include "api/opencl/handle.h"
#include "api/opencl/info.h"

namespace heddle::opencl {

template <class Value, class Body>
Answer<Value> guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failure(CL_OUT_OF_HOST_MEMORY, "out of memory");  // short: needs no memory itself
  } catch (const std::exception& thrown) {
    return failure(CL_OUT_OF_RESOURCES, thrown.what());
  } catch (...) {
    return failure(CL_OUT_OF_RESOURCES, "an exception of another kind");
  }
}

// A call's frame, once for all functions: their entries only hand over what to run and what it was given.
cl_int run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments);

template <class Body, class... Arguments>
cl_int call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return run(record, body, {entry::argument(arguments)...});
}

// What returns an object or an address, and the error through a pointer.
template <class Value, class Body, class... Arguments>
Value make(const entry::Record& record, cl_int* error, const Body& body, const Arguments&... arguments) {
  const entry::Heard heard(record);
  const Answer<Value> answer = guarded<Value>(body);
  const Status status = answer ? Status(Unit{}) : Status(answer.error());
  if (error != nullptr) *error = status.ok() ? CL_SUCCESS : status.error().code;
  if (entry::tracing()) [[unlikely]]
    entry::trace(record,
                 answer ? entry::value_text(entry::argument(*answer)) + " CL_SUCCESS" : describe(status),
                 status.ok(), {entry::argument(arguments)...});
  if (heard) [[unlikely]]
    heard.ended(status.ok() ? CL_SUCCESS : status.error().code, status.ok(),
                answer ? entry::value_text(entry::argument(*answer)) + " CL_SUCCESS" : describe(status),
                {entry::argument(arguments)...});
  return answer ? *answer : Value();
}

// What has no way to tell an error.
template <class Value, class Body, class... Arguments>
Value plain(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  const entry::Heard heard(record);
  if constexpr (std::is_void_v<Value>) {
    const Status status = guarded<Unit>([&]() -> Status {
      body();
      return Unit{};
    });
    if (heard) [[unlikely]]
      heard.ended(0, status.ok(), "void", {entry::argument(arguments)...});
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, "void", status.ok(), {entry::argument(arguments)...});
  } else {
    const Answer<Value> answer = guarded<Value>([&]() -> Answer<Value> { return body(); });
    if (heard) [[unlikely]]
      heard.ended(0, answer.ok(), answer ? entry::value_text(entry::argument(*answer)) : "nothing",
                  {entry::argument(arguments)...});
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, answer ? entry::value_text(entry::argument(*answer)) : "nothing", answer.ok(),
                   {entry::argument(arguments)...});
    return answer ? *answer : Value();
  }
}

}  // namespace heddle::opencl
