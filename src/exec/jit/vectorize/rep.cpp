#include "exec/jit/vectorize/rep.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::exec::jit {

using llvm::Value;

llvm::FixedVectorType* LaneBuilder::vector_type(llvm::Type* element) const {
  return llvm::FixedVectorType::get(element, lanes_);
}

llvm::Type* part_type(const Pattern& pattern, llvm::Type* element, unsigned lanes) {
  return pattern.kind == Pattern::vector ? llvm::FixedVectorType::get(element, lanes) : element;
}

namespace {

llvm::Constant* step_of(const Rep& rep) {
  return llvm::ConstantInt::get(rep.parts[0]->getType(), static_cast<uint64_t>(rep.pattern.lane_step), true);
}

}  // namespace

Value* LaneBuilder::base(const Rep& rep, unsigned j) const {
  if (rep.pattern.kind == Pattern::vector) return builder_.CreateExtractElement(rep.parts[j], uint64_t{0});
  if (rep.pattern.kind == Pattern::per_vector) return rep.parts[j];
  if (rep.has_flips()) {
    Value *row = rep.parts[j], *flip = rep.parts[rep.parts.size() / 2 + j];
    return builder_.CreateAdd(row, builder_.CreateMul(flip, step_of(rep)));
  }
  Value* first = rep.parts[0];
  if (rep.pattern.vector_step == 0 || j == 0) return first;
  return builder_.CreateAdd(
      first,
      llvm::ConstantInt::get(first->getType(), static_cast<uint64_t>(rep.pattern.vector_step) * j, true));
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
    offsets.push_back(llvm::ConstantInt::get(base->getType(), static_cast<uint64_t>(lane_step) * lane, true));
  return builder_.CreateAdd(all, llvm::ConstantVector::get(offsets));
}

Value* LaneBuilder::vector(const Rep& rep, unsigned j) const {
  if (rep.pattern.kind == Pattern::vector) return rep.parts[j];
  if (!rep.has_flips()) return spread(base(rep, j), rep.pattern.lane_step);
  Value* zero = llvm::Constant::getNullValue(rep.parts[j]->getType());
  Value* places = builder_.CreateXor(spread(zero, 1), spread(rep.parts[rep.parts.size() / 2 + j], 0));
  return builder_.CreateAdd(spread(rep.parts[j], 0), builder_.CreateMul(places, spread(step_of(rep), 0)));
}

Value* LaneBuilder::row(const Rep& rep, unsigned j, int64_t lane_step) const {
  if (rep.has_flips()) return rep.parts[j];
  Value* first = base(rep, j);
  if (rep.pattern.kind != Pattern::vector) return first;
  Value* step = llvm::ConstantInt::get(first->getType(), static_cast<uint64_t>(lane_step), true);
  return builder_.CreateSub(first, builder_.CreateMul(flip(rep, j, lane_step), step));
}

Value* LaneBuilder::flip(const Rep& rep, unsigned j, int64_t lane_step) const {
  if (rep.has_flips()) return rep.parts[rep.parts.size() / 2 + j];
  llvm::Type* type = rep.parts[0]->getType()->getScalarType();
  Value* flips = llvm::ConstantInt::get(type, 0);
  if (rep.pattern.kind != Pattern::vector) return flips;
  Value* first = base(rep, j);
  for (unsigned bit = 1; bit < lanes_; bit *= 2) {  // where it is flipped, the lane lies before the first one
    Value* ahead = llvm::ConstantInt::get(type, static_cast<uint64_t>(lane_step) * bit, true);
    Value* is_flipped = builder_.CreateICmpNE(builder_.CreateExtractElement(rep.parts[j], uint64_t{bit}),
                                              builder_.CreateAdd(first, ahead));
    flips = builder_.CreateOr(flips,
                              builder_.CreateShl(builder_.CreateZExt(is_flipped, type), llvm::Log2_32(bit)));
  }
  return flips;
}

}  // namespace heddle::exec::jit
