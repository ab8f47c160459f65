// Rows in a ring: `buffer[(i + 1) & (n - 1)]`, an address made of the low bits of a value whose lanes step.
// Whether the lanes of a vector lie side by side is then seen by the first and the last of them alone.
#pragma once

#include <optional>

#include "exec/jit/analysis/pattern.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

struct Ring {
  llvm::Value* index = nullptr;  // whose low bits count
  uint64_t mask = 0;             // 2^n - 1
  // What makes an address of those bits, in this order: extensions, products by constants, sums with what
  // the lanes of a vector have in common.
  llvm::SmallVector<const llvm::Instruction*, 4> steps;
  // The index, and what the sums add to the bits, in the order of the steps.
  void each_value(llvm::function_ref<void(llvm::Value*)> tell) const;
  const llvm::Instruction* bits = nullptr;  // of the index
};

// Of an address whose lanes are `bytes` apart as long as the bits do not come round.
std::optional<Ring> find_ring(const llvm::Value* address, const Patterns& patterns, uint64_t bytes);

}  // namespace heddle::exec::jit
