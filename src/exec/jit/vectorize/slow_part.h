// Slow code of a region as a function of its own, so that a kernel can run before its slow code is made.
//
//   i32 @slow.N(Context*, ptr frame)
//
// N numbers the slow parts of a kernel. Its frame holds what the part uses of the kernel around it; its
// result says where the kernel goes on. The kernel calls it through heddle_jit_slow, which knows whether it
// is there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/jit/vectorize/weaver.h"

namespace heddle::exec::jit {

// Cuts the slow parts that the weaver knows (Weaver::slow_parts) out of its kernel, in their order.
std::vector<llvm::Function*> take_slow_parts_out(Weaver& weaver);

// A module of their own for these functions, in the same LLVM context.
std::unique_ptr<llvm::Module> move_to_own_module(llvm::Module& from,
                                                 llvm::ArrayRef<llvm::Function*> functions);

}  // namespace heddle::exec::jit
