#include "exec/jit/warp/rep.h"

#include "llvm/IR/Constants.h"

namespace heddle::exec::jit {

using llvm::Value;

llvm::FixedVectorType* LaneBuilder::vector_type(llvm::Type* element) const {
  return llvm::FixedVectorType::get(element, lanes_);
}

llvm::Type* part_type(const Pattern& pattern, llvm::Type* element, unsigned lanes) {
  return pattern.kind == Pattern::vector ? llvm::FixedVectorType::get(element, lanes) : element;
}

Value* LaneBuilder::base(const Rep& rep, unsigned j) const {
  if (rep.pattern.kind == Pattern::vector) return builder_.CreateExtractElement(rep.parts[j], uint64_t{0});
  if (rep.pattern.kind == Pattern::per_vector) return rep.parts[j];
  Value* first = rep.parts[0];
  if (rep.pattern.vector_step == 0 || j == 0) return first;
  return builder_.CreateAdd(
      first,
      llvm::ConstantInt::get(first->getType(), static_cast<uint64_t>(rep.pattern.vector_step * j), true));
}

Value* LaneBuilder::base(const Rep& rep, Value* j) const {
  Value* first = rep.parts[0];
  if (rep.pattern.vector_step == 0) return first;
  Value* step =
      llvm::ConstantInt::get(first->getType(), static_cast<uint64_t>(rep.pattern.vector_step), true);
  return builder_.CreateAdd(first, builder_.CreateMul(builder_.CreateZExtOrTrunc(j, first->getType()), step));
}

Value* LaneBuilder::spread(Value* base, int64_t lane_step) const {
  Value* all = builder_.CreateVectorSplat(lanes_, base);
  if (lane_step == 0) return all;
  llvm::SmallVector<llvm::Constant*, 16> offsets;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    offsets.push_back(llvm::ConstantInt::get(base->getType(), static_cast<uint64_t>(lane_step * lane), true));
  return builder_.CreateAdd(all, llvm::ConstantVector::get(offsets));
}

Value* LaneBuilder::vector(const Rep& rep, unsigned j) const {
  if (rep.pattern.kind == Pattern::vector) return rep.parts[j];
  return spread(base(rep, j), rep.pattern.lane_step);
}

}  // namespace heddle::exec::jit
