// Dot products of bytes (dp4a), which hosts have an instruction for, of vectors; of scalars the plain sum.
#pragma once

#include "exec/jit/abi/host.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

llvm::Value* dot_bytes(llvm::IRBuilderBase& ir, const Host& host, bool a_signed, bool b_signed,
                       llvm::Value* a, llvm::Value* b, llvm::Value* c);

}  // namespace heddle::exec::jit
