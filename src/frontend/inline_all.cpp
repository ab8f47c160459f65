#include "frontend/inline_all.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

// The functions that the module's notes call kernels: triples of function, "kernel" and 1.
llvm::SmallPtrSet<const llvm::Function*, 8> kernels_of(const llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  const llvm::NamedMDNode* notes = module.getNamedMetadata("nvvm.annotations");
  if (notes == nullptr) return kernels;
  for (const llvm::MDNode* note : notes->operands()) {
    if (note->getNumOperands() < 3) continue;
    const auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(note->getOperand(0));
    const auto* what = llvm::dyn_cast_or_null<llvm::MDString>(note->getOperand(1).get());
    if (function != nullptr && what != nullptr && what->getString() == "kernel") kernels.insert(function);
  }
  return kernels;
}

}  // namespace

llvm::PreservedAnalyses InlineAllPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const auto kernels = kernels_of(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || kernels.contains(&function)) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setComdat(nullptr);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
