// Stores that go past the caches: of launches that write so much that none of it would be there when somebody
// reads it. A line need not be read before it is written, then.
#pragma once

#include <cstdint>

#include "exec/jit/analysis/pattern.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

// What a launch writes, from which on it is a stream: more than most hosts' caches keep.
inline constexpr uint64_t stream_bytes = uint64_t{32} << 20;

// Marks the stores of a thread program that may stream; how many bytes a thread writes by them.
uint64_t find_streams(llvm::Function& thread);
bool may_stream(const llvm::CallInst& store);
uint64_t stored_bytes(const llvm::CallInst& store);  // of a thread

// Vectors of `row` bytes one behind the other, which are lines where the first begins at one: these go past.
bool is_row_of_lines(const Pattern& address, uint64_t row, unsigned vectors);
llvm::Value* begins_at_line(llvm::IRBuilder<>& builder, llvm::Value* place, uint64_t row);

}  // namespace heddle::exec::jit
