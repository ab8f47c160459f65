// mad.f32 of devices before sm_20 without the function that has all of it (math::Id::truncating_mad).
#pragma once

#include "exec/jit/abi/host.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

// Stands for `call`, of floats or vectors of them. `whole` makes the call of the function, for when some lane
// needs it. `flush_mode`: the host's mode without subnormals holds. nullptr: not on this host.
llvm::Value* truncating_mad(llvm::CallInst& call, const Host& host, bool flush_mode,
                            llvm::ArrayRef<llvm::Value*> sources,
                            llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> whole);

}  // namespace heddle::exec::jit
