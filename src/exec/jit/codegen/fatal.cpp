#include "exec/jit/codegen/fatal.h"

#include <mutex>

#include "llvm/Support/ErrorHandling.h"
#include "support/escape.h"

namespace heddle::exec::jit {

// LLVM has one handler for the process; the frontend installs the same one.
std::optional<std::string> survive(llvm::function_ref<void()> work) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler([](void*, const char* reason, bool) { escape(reason); });
  });
  return with_escape(work);
}

}  // namespace heddle::exec::jit
