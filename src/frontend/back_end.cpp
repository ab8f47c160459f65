#include "frontend/back_end.h"

#include <algorithm>

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

llvm::Value* four_at_a_time(llvm::FPExtInst& extension) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(extension.getType());
  if (type == nullptr || type->getNumElements() <= 4) return nullptr;
  llvm::IRBuilder<> ir(&extension);
  const int count = static_cast<int>(type->getNumElements());
  llvm::Value* whole = llvm::PoisonValue::get(extension.getType());
  for (int first = 0; first < count; first += 4) {
    const int end = std::min(first + 4, count);
    llvm::Value* part =
        ir.CreateShuffleVector(extension.getOperand(0), llvm::to_vector<4>(llvm::seq(first, end)));
    part = ir.CreateFPExt(
        part, llvm::FixedVectorType::get(type->getElementType(), static_cast<unsigned>(end - first)));
    // The part as wide as the whole, then its elements in their places.
    llvm::SmallVector<int, 16> widened(static_cast<size_t>(count), llvm::PoisonMaskElem), places;
    for (int i = 0; i < end - first; ++i) widened[static_cast<size_t>(i)] = i;
    for (int i = 0; i < count; ++i) places.push_back(i >= first && i < end ? count + i - first : i);
    whole = ir.CreateShuffleVector(whole, ir.CreateShuffleVector(part, widened), places);
  }
  return whole;
}

llvm::Value* other_form(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return in_halves(*load);
  if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction)) return as_choice(*extension);
  if (auto* extension = llvm::dyn_cast<llvm::FPExtInst>(&instruction)) return four_at_a_time(*extension);
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
