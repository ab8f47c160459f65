#include "exec/jit/codegen/short_masks.h"

#include <bit>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::exec::jit {

namespace {

using llvm::Value;

// Lanes [0, count) and no others, where a vector of them is one that machines have; else 0.
unsigned first_lanes(const Value* mask) {
  const auto* lanes = llvm::dyn_cast<llvm::Constant>(mask);
  if (lanes == nullptr) return 0;
  const unsigned all = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  unsigned count = 0;
  bool ended = false;
  for (unsigned lane = 0; lane < all; ++lane) {
    const llvm::Constant* active = lanes->getAggregateElement(lane);
    if (active == nullptr || !(active->isOneValue() || active->isNullValue())) return 0;
    ended |= active->isNullValue();
    if (active->isOneValue() && ended) return 0;
    count += active->isOneValue() ? 1 : 0;
  }
  return count < all && std::has_single_bit(count) ? count : 0;
}

llvm::SmallVector<int, 16> places(unsigned count, unsigned all) {
  llvm::SmallVector<int, 16> result;
  for (unsigned lane = 0; lane < all; ++lane) result.push_back(static_cast<int>(lane < count ? lane : count));
  return result;
}

void shorten_store(llvm::IntrinsicInst& store, unsigned count) {
  llvm::IRBuilder<> b(&store);
  Value* all = store.getArgOperand(0);
  Value* value = count == 1 ? b.CreateExtractElement(all, uint64_t{0})
                            : b.CreateShuffleVector(all, llvm::ArrayRef(places(count, count)));
  const auto align = llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getAlignValue();
  b.CreateAlignedStore(value, store.getArgOperand(1), align)->copyMetadata(store);
  store.eraseFromParent();
}

void shorten_load(llvm::IntrinsicInst& load, unsigned count) {
  llvm::IRBuilder<> b(&load);
  auto* type = llvm::cast<llvm::FixedVectorType>(load.getType());
  const unsigned all = type->getNumElements();
  llvm::Type* element = type->getElementType();
  const auto align = llvm::cast<llvm::ConstantInt>(load.getArgOperand(1))->getAlignValue();
  Value* others = load.getArgOperand(3);
  llvm::Type* shorter = count == 1 ? element : llvm::FixedVectorType::get(element, count);
  auto* part = b.CreateAlignedLoad(shorter, load.getArgOperand(0), align);
  part->copyMetadata(load);
  Value* result = nullptr;
  if (count == 1) {
    result = b.CreateInsertElement(others, part, uint64_t{0});
  } else if (llvm::isa<llvm::ConstantAggregateZero, llvm::UndefValue>(others)) {
    result = b.CreateShuffleVector(part, llvm::Constant::getNullValue(shorter), places(count, all));
  } else {
    llvm::SmallVector<int, 16> widen = places(count, all), choose;
    for (unsigned lane = 0; lane < all; ++lane) {
      if (lane >= count) widen[lane] = llvm::PoisonMaskElem;
      choose.push_back(static_cast<int>(lane < count ? lane : all + lane));
    }
    result = b.CreateShuffleVector(b.CreateShuffleVector(part, widen), others, choose);
  }
  load.replaceAllUsesWith(result);
  load.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses ShortenMasks::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (access == nullptr) continue;
    const llvm::Intrinsic::ID id = access->getIntrinsicID();
    if (id != llvm::Intrinsic::masked_load && id != llvm::Intrinsic::masked_store) continue;
    const bool is_store = id == llvm::Intrinsic::masked_store;
    const unsigned count = first_lanes(access->getArgOperand(is_store ? 3 : 2));
    if (count == 0) continue;
    is_store ? shorten_store(*access, count) : shorten_load(*access, count);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::exec::jit
