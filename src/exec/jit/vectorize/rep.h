// A value of the thread program as code sees it: one scalar for all lanes, one a vector, or vectors.
#pragma once

#include "exec/jit/analysis/pattern.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

struct Rep {
  Pattern pattern;
  // One when affine, else one a vector; of xored the rows, then the flips.
  llvm::SmallVector<llvm::Value*, 4> parts;

  bool has_flips() const { return pattern.kind == Pattern::xored; }
  // What is added to a value is added to these.
  llvm::MutableArrayRef<llvm::Value*> bases() {
    return llvm::MutableArrayRef<llvm::Value*>(parts).take_front(parts.size() / (has_flips() ? 2 : 1));
  }
  llvm::ArrayRef<llvm::Value*> bases() const {
    return llvm::ArrayRef<llvm::Value*>(parts).take_front(parts.size() / (has_flips() ? 2 : 1));
  }
};

// Makes scalars and vectors out of reps.
class LaneBuilder {
 public:
  LaneBuilder(llvm::IRBuilder<>& builder, unsigned lanes) : builder_(builder), lanes_(lanes) {}

  // The scalar at lane 0 of vector `j`.
  llvm::Value* base(const Rep& rep, unsigned j) const;
  llvm::Value* base(const Rep& rep, llvm::Value* j) const;  // of an affine rep, `j` an i32
  llvm::Value* vector(const Rep& rep, unsigned j) const;
  // Vector `j` as row + lane_step * (lane ^ flip). Of vectors: as the lanes have them, if there is such a
  // row.
  llvm::Value* row(const Rep& rep, unsigned j, int64_t lane_step) const;
  llvm::Value* flip(const Rep& rep, unsigned j, int64_t lane_step) const;
  llvm::Value* spread(llvm::Value* base, int64_t lane_step) const;  // base + lane_step * lane
  llvm::FixedVectorType* vector_type(llvm::Type* element) const;
  unsigned lanes() const { return lanes_; }

 private:
  llvm::IRBuilder<>& builder_;
  unsigned lanes_;
};

inline unsigned part_count(const Pattern& pattern, unsigned vectors) {
  return pattern.kind == Pattern::affine ? 1 : pattern.kind == Pattern::xored ? 2 * vectors : vectors;
}
llvm::Type* part_type(const Pattern& pattern, llvm::Type* element, unsigned lanes);

}  // namespace heddle::exec::jit
