// A value of the thread program as code sees it: one scalar for all lanes, one a vector, or vectors.
#pragma once

#include "exec/jit/warp/pattern.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

struct Rep {
  Pattern pattern;
  llvm::SmallVector<llvm::Value*, 4> parts;  // one when affine, else one a vector
};

// Makes scalars and vectors out of reps.
class LaneBuilder {
 public:
  LaneBuilder(llvm::IRBuilder<>& builder, unsigned lanes) : builder_(builder), lanes_(lanes) {}

  // The scalar at lane 0 of vector `j`.
  llvm::Value* base(const Rep& rep, unsigned j) const;
  llvm::Value* base(const Rep& rep, llvm::Value* j) const;  // of an affine rep, `j` an i32
  llvm::Value* vector(const Rep& rep, unsigned j) const;
  llvm::Value* spread(llvm::Value* base, int64_t lane_step) const;  // base + lane_step * lane
  llvm::FixedVectorType* vector_type(llvm::Type* element) const;
  unsigned lanes() const { return lanes_; }

 private:
  llvm::IRBuilder<>& builder_;
  unsigned lanes_;
};

inline unsigned part_count(const Pattern& pattern, unsigned vectors) {
  return pattern.kind == Pattern::affine ? 1 : vectors;
}
llvm::Type* part_type(const Pattern& pattern, llvm::Type* element, unsigned lanes);

}  // namespace heddle::exec::jit
