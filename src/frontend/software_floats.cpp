#include "frontend/software_floats.h"

#include "frontend/software_floats.gen.h"
#include "llvm/ADT/STLExtras.h"
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

bool take_apart(llvm::Module& module, const SoftwarePair& pair) {
  llvm::Function* function = module.getFunction(llvm::StringRef(pair.name.data(), pair.name.size()));
  if (function == nullptr || !function->isDeclaration()) return false;
  for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != function) continue;
    llvm::IRBuilder<> ir(call);
    llvm::SmallVector<llvm::Value*, 2> values, places;
    llvm::SmallVector<llvm::Type*, 2> types;
    for (llvm::Value* argument : call->args())
      (argument->getType()->isPointerTy() ? places : values).push_back(argument);
    for (llvm::Value* value : values) types.push_back(value->getType());
    const auto part = [&](std::string_view name, llvm::Type* type) -> llvm::Value* {
      llvm::FunctionCallee callee = module.getOrInsertFunction(llvm::StringRef(name.data(), name.size()),
                                                               llvm::FunctionType::get(type, types, false));
      promise(*llvm::cast<llvm::Function>(callee.getCallee()));
      return ir.CreateCall(callee, values);
    };
    llvm::Type* number = values[0]->getType();
    llvm::Value* first = part(pair.first, number);
    llvm::Value* second = part(pair.second, pair.integer ? ir.getInt32Ty() : number);
    if (pair.returns)
      call->replaceAllUsesWith(first);
    else
      ir.CreateStore(first, places[0]);
    ir.CreateStore(second, places.back());
    call->eraseFromParent();
  }
  return true;
}

// One of the elements, by the bits of `index`.
llvm::Value* chosen(llvm::IRBuilder<>& ir, llvm::Value* vector, llvm::Value* index) {
  const uint64_t count = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  llvm::Value* result = ir.CreateExtractElement(vector, uint64_t{0});
  for (uint64_t at = 1; at < count; ++at)
    result = ir.CreateSelect(ir.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), at)),
                             ir.CreateExtractElement(vector, at), result);
  return result;
}

llvm::Value* with_element(llvm::IRBuilder<>& ir, llvm::Value* vector, llvm::Value* element,
                          llvm::Value* index) {
  const uint64_t count = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  llvm::Value* result = vector;
  for (uint64_t at = 0; at < count; ++at) {
    llvm::Value* here = ir.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), at));
    result = ir.CreateInsertElement(result,
                                    ir.CreateSelect(here, element, ir.CreateExtractElement(vector, at)), at);
  }
  return result;
}

bool choose_elements(llvm::Instruction& instruction) {
  llvm::IRBuilder<> ir(&instruction);
  llvm::Value* made = nullptr;
  if (auto* one = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    if (llvm::isa<llvm::Constant>(one->getIndexOperand())) return false;
    made = chosen(ir, one->getVectorOperand(), one->getIndexOperand());
  } else if (auto* in = llvm::dyn_cast<llvm::InsertElementInst>(&instruction)) {
    if (llvm::isa<llvm::Constant>(in->getOperand(2))) return false;
    made = with_element(ir, in->getOperand(0), in->getOperand(1), in->getOperand(2));
  } else {
    return false;
  }
  instruction.replaceAllUsesWith(made);
  instruction.eraseFromParent();
  return true;
}

bool call_fma(llvm::Module& module) {
  std::vector<llvm::IntrinsicInst*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (is_fma_of_floats(instruction)) found.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  if (found.empty()) return false;
  llvm::Type* one = llvm::Type::getFloatTy(module.getContext());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(fused, llvm::FunctionType::get(one, {one, one, one}, false));
  promise(*llvm::cast<llvm::Function>(callee.getCallee()));
  for (llvm::IntrinsicInst* fma : found) {
    llvm::IRBuilder<> ir(fma);
    fma->replaceAllUsesWith(in_software(ir, callee, *fma));
    fma->eraseFromParent();
  }
  return true;
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
  for (const SoftwarePair& pair : software_pairs) changed |= take_apart(module, pair);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses SoftwareFmaPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = call_fma(module);
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      changed |= choose_elements(instruction);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend
