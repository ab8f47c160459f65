#include "frontend/back_end.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

bool is_vector(llvm::Type* type, unsigned count, unsigned bits) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getNumElements() == count &&
         vector->getElementType()->isIntegerTy(bits);
}

// What stands for the instruction; nullptr: it may stay.
llvm::Value* in_halves(llvm::LoadInst& load) {
  if (!is_vector(load.getType(), 16, 8) || load.getAlign() >= 16) return nullptr;
  llvm::IRBuilder<> ir(&load);
  auto* half = llvm::FixedVectorType::get(ir.getInt8Ty(), 8);
  llvm::Value* pointer = load.getPointerOperand();
  llvm::LoadInst* low = ir.CreateAlignedLoad(half, pointer, load.getAlign(), load.isVolatile());
  llvm::LoadInst* high = ir.CreateAlignedLoad(half, ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), pointer, 8),
                                              llvm::commonAlignment(load.getAlign(), 8), load.isVolatile());
  for (llvm::LoadInst* part : {low, high})
    part->copyMetadata(load, {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal});
  return ir.CreateShuffleVector(low, high, llvm::to_vector<16>(llvm::seq(0, 16)));
}

llvm::Value* as_choice(llvm::SExtInst& extension) {
  llvm::Type* type = extension.getType();
  if (!is_vector(type, 2, 16) || !is_vector(extension.getSrcTy(), 2, 1)) return nullptr;
  llvm::IRBuilder<> ir(&extension);
  return ir.CreateSelect(extension.getOperand(0), llvm::Constant::getAllOnesValue(type),
                         llvm::Constant::getNullValue(type));
}

llvm::Value* other_form(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return in_halves(*load);
  if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction)) return as_choice(*extension);
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses BackEndPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::Value* other = other_form(instruction); other != nullptr) {
        instruction.replaceAllUsesWith(other);
        instruction.eraseFromParent();
        changed = true;
      }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend
