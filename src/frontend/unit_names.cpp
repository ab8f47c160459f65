#include "frontend/unit_names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MD5.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle::frontend {

namespace {

void name_registration(llvm::Module& module, const std::string& identity) {
  for (llvm::GlobalValue& value : module.global_values())
    for (const llvm::StringRef prefix : {"__fatbinwrap__nv_", "__cudaRegisterLinkedBinary__nv_"})
      if (value.getName().starts_with(prefix)) value.setName(prefix + identity);
}

// The suffix is clang's: CodeGenModule::printPostfixForExternalizedDecl.
void join_static_variables(llvm::Module& module, const std::string& identity) {
  const std::string suffix = "__static__" + llvm::utohexstr(llvm::MD5Hash(identity), true);
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (!variable.isDeclaration()) continue;
    llvm::GlobalVariable* definition = module.getNamedGlobal((variable.getName() + suffix).str());
    if (definition == nullptr || definition->getType() != variable.getType()) continue;
    variable.replaceAllUsesWith(definition);
    variable.eraseFromParent();
  }
}

void forget_uses_by_host(llvm::Module& module) {
  llvm::GlobalVariable* list = module.getGlobalVariable("__clang_gpu_used_external", true);
  if (list == nullptr) return;
  llvm::removeFromUsedLists(module, [&](llvm::Constant* used) { return used->stripPointerCasts() == list; });
  list->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses UnitNamesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (is_device_) {
    join_static_variables(module, identity_);
    forget_uses_by_host(module);
  } else {
    name_registration(module, identity_);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
