#include "frontend/session.h"

#include <mutex>

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "support/escape.h"
#include "support/static_objects.h"

namespace heddle::frontend {

void prepare_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)keep_static_objects(reinterpret_cast<const void*>(&LLVMInitializeNVPTXTarget));
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler([](void*, const char* reason, bool) { escape(reason); });
    // clang's driver gives this flag of the process to every compilation for the device. Host code has the
    // library functions that it is about.
    const char* options[] = {"heddle", "-enable-memcpyopt-without-libcalls"};
    llvm::cl::ParseCommandLineOptions(2, options, "", &llvm::nulls());
  });
}

}  // namespace heddle::frontend
