// Around every function of the runtime API: no exception escapes, the last error is kept, HEDDLE_TRACE is
// served. The generated entries use it; a function itself (functions.gen.h) only says what it does and what
// went wrong.
#pragma once

// Functions of older versions too, every name as it is exported, and no warnings of what is deprecated.
#define __CUDA_API_VERSION_INTERNAL
#define CUDA_ENABLE_DEPRECATED
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "api/cuda_state/guarded.h"
#include "api/cuda_state/thread.h"
#include "api/cudart/abi.gen.h"
#include "api/entry/body.h"
#include "api/entry/listen.h"
#include "api/entry/shelter.h"
#include "api/entry/trace.h"

namespace heddle::cudart {

using cuda::Status;

// A pointer that must not be null is.
Status missing(const char* parameter);

// For HEDDLE_TRACE: the code's name, and why.
std::string describe(const Status& status);

// For programs that read the log of errors (error_log.h).
void log_failure(const entry::Record& record, const Status& status) noexcept;

// A call's frame, once for all functions: their entries only hand over what to run and what it was given.
cudaError_t run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments);
cudaError_t run_stub(const entry::Record& record, entry::ArgumentList arguments);

template <class Body, class... Arguments>
cudaError_t call(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  return run(record, body, {entry::argument(arguments)...});
}

// What returns something else than a status, or leaves the last error alone.
template <class Value, class Body, class... Arguments>
Value plain(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  if constexpr (std::is_void_v<Value>) {
    entry::sheltered([&] {
      const entry::Heard heard(record);
      cuda::guarded<void>(body);
      if (heard) [[unlikely]]
        heard.ended(0, true, "", {entry::argument(arguments)...});
      if (entry::tracing()) [[unlikely]]
        entry::trace(record, "", true, {entry::argument(arguments)...});
    });
  } else {
    Value value{};
    entry::sheltered([&] {
      const entry::Heard heard(record);
      value = cuda::guarded<Value>(body);
      if (heard) [[unlikely]]
        heard.ended(0, true, entry::value_text(entry::argument(value)), {entry::argument(arguments)...});
      if (entry::tracing()) [[unlikely]]
        entry::trace(record, entry::value_text(entry::argument(value)), true,
                     {entry::argument(arguments)...});
    });
    return value;
  }
}

template <class... Arguments>
cudaError_t stub(const entry::Record& record, const Arguments&... arguments) {
  return run_stub(record, {entry::argument(arguments)...});
}
template <class Value, class... Arguments>
Value empty_stub(const entry::Record& record, const Arguments&...) {
  entry::trace_stub(record);
  return Value();
}

}  // namespace heddle::cudart
