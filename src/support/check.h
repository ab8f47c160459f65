// What must hold unless we have made a mistake. On in builds with assertions (preset dev and the
// sanitizers'): a bug of ours reports itself, with version and place, where it happens and not where it
// shows.
#pragma once

#include <string_view>

namespace heddle {

// "heddle 0.1.0: bug at file:line: what (condition)" on the error output; then the process aborts.
[[noreturn]] void report_bug(const char* file, int line, const char* condition, std::string_view what);

}  // namespace heddle

// `what` says in words what is wrong; it is computed only then. Nothing of both is computed where NDEBUG is
// defined: neither may change anything.
#ifdef NDEBUG
#define HEDDLE_CHECK(condition, what) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define HEDDLE_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::heddle::report_bug(__FILE__, __LINE__, #condition, what))
#endif
