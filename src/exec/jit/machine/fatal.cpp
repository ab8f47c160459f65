#include "exec/jit/machine/fatal.h"

#include <csetjmp>
#include <mutex>

#include "llvm/Support/ErrorHandling.h"

namespace heddle::exec::jit {

namespace {

struct Escape {
  std::jmp_buf place;
  std::string message;
};
thread_local Escape* escape = nullptr;

void handle(void*, const char* reason, bool) {
  if (!escape) return;  // not our thread's work: LLVM does what it always does
  escape->message = reason;
  std::longjmp(escape->place, 1);
}

}  // namespace

std::optional<std::string> survive(llvm::function_ref<void()> work) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(handle);
  });
  Escape own;
  if (setjmp(own.place) != 0) {
    escape = nullptr;
    return own.message;
  }
  escape = &own;
  work();
  escape = nullptr;
  return std::nullopt;
}

}  // namespace heddle::exec::jit
