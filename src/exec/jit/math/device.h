// The operation `math`: calls of device math functions' code, in the widths that there are (math/math.h).
#pragma once

#include "exec/jit/abi/host.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "math/math.h"

namespace heddle::exec::jit {

class DeviceMath {
 public:
  DeviceMath(llvm::Function& function, const Host& host, bool flush_mode)
      : function_(function), host_(host), flushing_(flush_mode) {}
  // The builder stands at `call`. Calls in the order of a block: a second result of arguments whose first one
  // was asked for is at hand.
  llvm::Value* expand(llvm::IRBuilderBase& ir, llvm::CallInst& call);

 private:
  struct Done {
    const llvm::BasicBlock* block;
    math::Id id;
    llvm::SmallVector<llvm::Value*, 4> sources;
    llvm::Value* results[2];
  };
  llvm::Value* in_place(llvm::IRBuilderBase& ir, const Done& done) const;
  void emit(llvm::IRBuilderBase& ir, Done& done);
  llvm::Value* place(llvm::Type* type);  // in memory, for a second result

  llvm::Function& function_;
  const Host& host_;
  const bool flushing_;
  llvm::SmallVector<Done, 4> done_;
  llvm::SmallVector<llvm::AllocaInst*, 4> places_;
};

}  // namespace heddle::exec::jit
