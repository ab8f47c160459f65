#include "frontend/static_variables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle::frontend {

namespace {

constexpr unsigned global_space = 1, constant_space = 4;  // of NVPTX

// `_ZL5table` is `table` of no namespace (Itanium C++ ABI 5.1.2, names of internal linkage).
llvm::StringRef plain_name(llvm::StringRef mangled) {
  if (!mangled.consume_front("_ZL")) return {};
  size_t length = 0;
  if (mangled.consumeInteger(10, length) || length != mangled.size()) return {};
  return mangled;
}

}  // namespace

llvm::PreservedAnalyses StaticVariablesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<llvm::GlobalValue*, 8> kept;
  for (llvm::GlobalVariable& variable : module.globals()) {
    const unsigned space = variable.getAddressSpace();
    if (!variable.hasInternalLinkage() || variable.isConstant() || variable.isDeclaration()) continue;
    if (space != global_space && space != constant_space) continue;
    const std::string name = plain_name(variable.getName()).str();
    if (name.empty()) continue;
    if (module.getNamedValue(name) == nullptr) variable.setName(name);
    variable.setExternallyInitialized(true);
    kept.push_back(&variable);
  }
  if (kept.empty()) return llvm::PreservedAnalyses::all();
  llvm::appendToCompilerUsed(module, kept);
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
