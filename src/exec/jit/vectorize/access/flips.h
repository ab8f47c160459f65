// Lanes of a vector that change places: lane l and lane l ^ flip, for a number that is known at run time.
#pragma once

#include "exec/jit/kernel/kernel.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

class Flips {
 public:
  // `flip`: an integer of at least 8 bits, below `lanes`.
  Flips(llvm::IRBuilder<>& builder, VectorLevel level, unsigned lanes, llvm::Value* flip)
      : b_(builder), level_(level), lanes_(lanes), flip_(flip) {}

  llvm::Value* of(llvm::Value* vector) const;     // elements of 8 to 64 bits
  llvm::Value* of_mask(llvm::Value* mask) const;  // of i1

 private:
  llvm::Value* places(
      unsigned bits) const;  // a number of so many bits for each lane: where its value comes from
  llvm::Value* permuted(llvm::Value* vector, unsigned bits) const;
  llvm::Value* bit_by_bit(llvm::Value* vector, unsigned bits) const;

  llvm::IRBuilder<>& b_;
  const VectorLevel level_;
  const unsigned lanes_;
  llvm::Value* flip_;
};

}  // namespace heddle::exec::jit
