// Debian's clang and LLVM ask for the passes of Polly, whose library is a package of its own that nothing
// here needs.
#include "llvm/Passes/PassPlugin.h"

// NOLINTNEXTLINE(readability-identifier-naming,misc-use-internal-linkage): as they call it
llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", "", [](llvm::PassBuilder&) {}};
}
