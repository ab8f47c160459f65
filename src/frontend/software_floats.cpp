#include "frontend/software_floats.h"

#include "frontend/software_floats.gen.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

constexpr const char* fused = "__nv_fmaf_rn";

void promise(llvm::Function& function) {
  function.setDoesNotThrow();
  function.setDoesNotAccessMemory();
  function.addFnAttr(llvm::Attribute::WillReturn);
}

bool is_fma_of_floats(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fma &&
         call->getType()->getScalarType()->isFloatTy();
}

llvm::Value* in_software(llvm::IRBuilder<>& ir, llvm::FunctionCallee callee, llvm::IntrinsicInst& fma) {
  const auto call = [&](auto&& argument) -> llvm::Value* {
    return ir.CreateCall(callee, {argument(0), argument(1), argument(2)});
  };
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(fma.getType());
  if (vector == nullptr) return call([&](unsigned i) { return fma.getArgOperand(i); });
  llvm::Value* all = llvm::PoisonValue::get(fma.getType());
  for (uint64_t at = 0; at < vector->getNumElements(); ++at) {
    llvm::Value* one = call([&](unsigned i) { return ir.CreateExtractElement(fma.getArgOperand(i), at); });
    all = ir.CreateInsertElement(all, one, at);
  }
  return all;
}

}  // namespace

llvm::PreservedAnalyses SoftwareFloatsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (const std::string_view name : software_floats) {
    llvm::Function* function = module.getFunction(llvm::StringRef(name.data(), name.size()));
    if (function == nullptr || function->isDeclaration()) continue;
    function->deleteBody();
    function->setComdat(nullptr);
    function->setVisibility(llvm::GlobalValue::DefaultVisibility);
    function->removeFnAttr(llvm::Attribute::AlwaysInline);
    promise(*function);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses SoftwareFmaPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::vector<llvm::IntrinsicInst*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (is_fma_of_floats(instruction)) found.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  if (found.empty()) return llvm::PreservedAnalyses::all();
  llvm::Type* one = llvm::Type::getFloatTy(module.getContext());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(fused, llvm::FunctionType::get(one, {one, one, one}, false));
  promise(*llvm::cast<llvm::Function>(callee.getCallee()));
  for (llvm::IntrinsicInst* fma : found) {
    llvm::IRBuilder<> ir(fma);
    fma->replaceAllUsesWith(in_software(ir, callee, *fma));
    fma->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
