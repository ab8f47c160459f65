// A way out of a library that ends the process when it gives up, such as LLVM in its fatal errors: the
// handler that the library calls jumps back to where the work began. What the work held is lost, locks
// included.
#pragma once

#include <csetjmp>
#include <optional>
#include <string>

namespace heddle {

namespace detail {

struct Escape {
  std::jmp_buf place;
  std::string message;
  Escape* outer = nullptr;
};
Escape*& current_escape();

}  // namespace detail

// For the library's handler. Does not return inside of with_escape on the same thread.
void escape(const char* message);

// Runs work(); the message when escape() was called.
template <class Work>
std::optional<std::string> with_escape(Work&& work) {
  detail::Escape own;
  own.outer = detail::current_escape();
  if (setjmp(own.place) != 0) {
    detail::current_escape() = own.outer;
    return own.message;
  }
  detail::current_escape() = &own;
  work();
  detail::current_escape() = own.outer;
  return std::nullopt;
}

}  // namespace heddle
