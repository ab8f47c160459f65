// Around every function of a library: what it refuses or throws becomes the library's own status, and
// HEDDLE_TRACE is served. The generated entries use it; a function itself only says what it does.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "api/entry/body.h"
#include "api/entry/trace.h"

namespace heddle::libs {

// A library's statuses, by what is wrong.
struct Codes {
  int not_initialized, alloc_failed, invalid_value, execution_failed, internal_error, not_supported;
  const char* (*name)(int code);  // nullptr: no status
};
enum class Why {
  not_initialized,
  alloc_failed,
  invalid_value,
  execution_failed,
  internal_error,
  not_supported
};

// What ends a call: thrown, because most of them come from deep inside, and caught by its entry.
struct Refusal {
  Why why = Why::invalid_value;
  std::string words;
  int code = 0;  // of the library itself, where `why` has none
};
[[noreturn]] void refuse(Why why, std::string words);
[[noreturn]] void refuse_null(const char* parameter);
inline void require(bool good, const char* words) {
  if (!good) [[unlikely]]
    refuse(Why::invalid_value, words);
}
int code_of(const Codes& codes, const Refusal& refusal);
[[noreturn]] void refuse_code(int code, std::string words);

int run(const Codes& codes, const entry::Record& record, entry::Body<void> body,
        entry::ArgumentList arguments) noexcept;

template <class Status, class Body, class... Arguments>
Status call(const Codes& codes, const entry::Record& record, const Body& body,
            const Arguments&... arguments) {
  return static_cast<Status>(run(codes, record, body, {entry::argument(arguments)...}));
}

// What returns something else than a status.
template <class Value, class Body, class... Arguments>
Value plain(const entry::Record& record, const Body& body, const Arguments&... arguments) {
  if constexpr (std::is_void_v<Value>) {
    try {
      body();
    } catch (...) {
    }
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, "", true, {entry::argument(arguments)...});
  } else {
    Value value{};
    try {
      value = body();
    } catch (...) {
    }
    if (entry::tracing()) [[unlikely]]
      entry::trace(record, entry::value_text(entry::argument(value)), true, {entry::argument(arguments)...});
    return value;
  }
}

}  // namespace heddle::libs
