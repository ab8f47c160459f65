// Rows whose lanes have changed places by an exclusive or of their numbers (pattern_xor.cpp): whole rows of
// memory, and the same change of places in registers, which is its own inverse.
#include <cstddef>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/flips.h"
#include "exec/jit/vectorize/access/memory.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

using llvm::Value;

void find_tested_rows(const llvm::Function& function, const Patterns& patterns,
                      llvm::DenseSet<const llvm::Instruction*>& tested) {
  llvm::SmallVector<const Value*, 16> work;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    if (!is_op(&i, Op::load) && !is_op(&i, Op::store)) continue;
    const auto [elements, type] = elements_of(llvm::cast<llvm::CallInst>(i));
    const int64_t bytes = int64_t{elements} * type->getScalarSizeInBits() / 8;
    if (patterns.of(i.getOperand(0)).lane_step == bytes) work.push_back(i.getOperand(0));
  }
  llvm::DenseSet<const Value*> seen;
  while (!work.empty()) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (i == nullptr || patterns.of(i).lane_step == 0 || !seen.insert(i).second) continue;
    if (i->getOpcode() == llvm::Instruction::Xor && patterns.is_guarded(i)) tested.insert(i);
    for (const Value* operand : i->operands()) work.push_back(operand);
  }
}

AccessLanes Access::permuted_lanes(unsigned j) const {
  return AccessLanes::of_vector(AccessLanes::permuted, j * lanes_.lanes(), !unit_.masked());
}

// What a fault reads must be there when the access is made, see note_places.
Value* Access::xored_row(unsigned j, Value* mask) const {
  Value *pointer = host_of_row(lanes_.row(address_, j, address_.pattern.lane_step), mask, record_.bytes()),
        *flip = lanes_.flip(address_, j, address_.pattern.lane_step);
  fence();
  weaver_.store_context_field(b_.CreatePtrToInt(pointer, b_.getInt64Ty()), offsetof(Context, addresses));
  weaver_.store_context_field(b_.CreateZExtOrTrunc(flip, b_.getInt64Ty()),
                              offsetof(Context, addresses) + sizeof(uint64_t));
  fence();
  return pointer;
}

llvm::SmallVector<Value*, 4> Access::load_xored_row(unsigned j) const {
  const Flips flips(b_, weaver_.level, lanes_.lanes(), lanes_.flip(address_, j, address_.pattern.lane_step));
  Value* mask = unit_.masked() ? flips.of_mask(unit_.mask(j)) : nullptr;
  auto loaded = load_places(xored_row(j, mask), mask, permuted_lanes(j));
  for (Value*& value : loaded) value = flips.of(value);
  return loaded;
}

void Access::store_xored_row(unsigned j, llvm::ArrayRef<Value*> values) const {
  const Flips flips(b_, weaver_.level, lanes_.lanes(), lanes_.flip(address_, j, address_.pattern.lane_step));
  Value* mask = unit_.masked() ? flips.of_mask(unit_.mask(j)) : nullptr;
  llvm::SmallVector<Value*, 4> moved;
  for (Value* value : values) moved.push_back(flips.of(value));
  store_places(xored_row(j, mask), mask, moved, permuted_lanes(j));
}

}  // namespace heddle::exec::jit
