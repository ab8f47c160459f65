// Around every function of OpenCL: no exception escapes, HEDDLE_TRACE is served, the error goes where the
// function has it. The generated entries use it; a function itself (functions.gen.h) only says what it does
// and what went wrong.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "api/entry/body.h"
#include "api/entry/forked.h"
#include "api/entry/listen.h"
#include "api/entry/shelter.h"
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

// Not in the child of a process that has used OpenCL already.
template <class Value, class Body>
Answer<Value> in_process(const Body& body) noexcept {
  return guarded<Value>([&]() -> Answer<Value> {
    if (entry::forked()) [[unlikely]]
      return failure(CL_OUT_OF_RESOURCES, "the process was forked from one that had used OpenCL");
    return body();
  });
}

inline cl_int code_of(const Status& status) { return status.ok() ? CL_SUCCESS : status.error().code; }
// How a call ended, to HEDDLE_TRACE and to who listens.
void tell(const entry::Record& record, const entry::Heard& heard, cl_int code, bool succeeded,
          const std::string& outcome, entry::ArgumentList arguments);

// A call's frame, once for all functions: their entries only hand over what to run and what it was given.
cl_int run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments);

template <class Body, class... Arguments>
cl_int call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return run(record, body, {entry::argument(arguments)...});
}

// What returns an object or an address, and the error through a pointer.
template <class Value, class Body, class... Arguments>
Value make(const entry::Record& record, cl_int* error, const Body& body, const Arguments&... arguments) {
  Value value = Value();
  const auto frame = [&]() -> Status {
    const entry::Heard heard(record);
    const Answer<Value> answer = in_process<Value>(body);
    const Status status = answer ? Status(Unit{}) : Status(answer.error());
    if (answer) value = *answer;
    if (error != nullptr) *error = code_of(status);
    if (entry::tracing() || heard) [[unlikely]]
      tell(record, heard, code_of(status), status.ok(),
           answer ? entry::value_text(entry::argument(*answer)) + " CL_SUCCESS" : describe(status),
           {entry::argument(arguments)...});
    return Unit{};
  };
  entry::sheltered([&] { (void)guarded<Unit>(frame); });
  return value;
}

// What has no way to tell an error.
template <class Value, class Body, class... Arguments>
Value plain(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  constexpr bool is_void = std::is_void_v<Value>;
  std::conditional_t<is_void, Unit, Value> value{};
  const auto frame = [&]() -> Status {
    const entry::Heard heard(record);
    const auto answer = in_process<decltype(value)>([&]() -> Answer<decltype(value)> {
      if constexpr (is_void) {
        body();
        return Unit{};
      } else {
        return body();
      }
    });
    if (answer) value = *answer;
    if (entry::tracing() || heard) [[unlikely]] {
      std::string outcome = is_void ? "void" : "nothing";
      if constexpr (!is_void)
        if (answer) outcome = entry::value_text(entry::argument(value));
      tell(record, heard, 0, answer.ok(), outcome, {entry::argument(arguments)...});
    }
    return Unit{};
  };
  entry::sheltered([&] { (void)guarded<Unit>(frame); });
  if constexpr (!is_void) return value;
}

}  // namespace heddle::opencl
