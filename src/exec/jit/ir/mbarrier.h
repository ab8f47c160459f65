// mbarriers (PTX ISA 9.7.13.15) as words that atomic operations change, AtomicKind::arrive.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

// What an arrival brings, i64: the operand of the operation. `bytes` are those that the phase waits for
// besides, fewer when it is negative; `drops`: later phases expect it no more.
llvm::Value* arrival(llvm::IRBuilderBase& ir, llvm::Value* count, bool drops, llvm::Value* bytes);

// Of a constant that `arrival` gave, the count, where it brings nothing else; else 0.
uint64_t plain_count(const llvm::Value* arrival);

// What is in the word after it. One that the object does not take changes nothing.
llvm::Value* after_arrival(llvm::IRBuilderBase& ir, llvm::Value* word, llvm::Value* arrival);

// Whether it takes `count` more, i1; of a word, i64.
llvm::Value* takes_arrivals(llvm::IRBuilderBase& ir, llvm::Value* word, llvm::Value* count, bool drops);

}  // namespace heddle::exec::jit
