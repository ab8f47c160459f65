#include "exec/jit/math/expand.h"

#include "exec/jit/ir/ops.h"
#include "exec/jit/math/avx512.h"
#include "exec/jit/math/device.h"
#include "exec/jit/math/dot.h"
#include "exec/jit/math/portable.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

Value* expanded(llvm::IRBuilder<>& ir, llvm::CallInst& call, Op op, const avx512::Features& features,
                const Host& host, DeviceMath& device) {
  if (op == Op::math) return device.expand(ir, call);
  llvm::SmallVector<Value*, 3> sources;
  for (unsigned i = op == Op::first_nan ? 0 : 2; i < call.arg_size(); ++i)
    sources.push_back(call.getArgOperand(i));
  switch (op) {
    case Op::approximate: {
      const auto function = static_cast<Approximation>(immediate(call, 0));
      const bool ftz = immediate(call, 1) != 0;
      if (Value* fast = avx512::approximate(ir, features, function, ftz, sources)) return fast;
      return portable::approximate(ir, function, ftz, sources);
    }
    case Op::rounded: {
      const auto operation = static_cast<Arithmetic>(immediate(call, 0));
      const auto direction = static_cast<Direction>(immediate(call, 1));
      if (Value* fast = avx512::rounded(ir, features, operation, direction, sources)) return fast;
      return portable::rounded(ir, operation, direction, sources);
    }
    case Op::dot_bytes:
      return dot_bytes(ir, host, immediate(call, 0) != 0, immediate(call, 1) != 0, sources[0], sources[1],
                       sources[2]);
    default:
      if (Value* fast = avx512::first_nan(ir, features, sources[0], sources[1])) return fast;
      return portable::first_nan(ir, sources[0], sources[1]);
  }
}

}  // namespace

void expand_math(llvm::Function& function, const Host& host, bool flush_mode) {
  llvm::SmallVector<std::pair<llvm::CallInst*, Op>, 16> calls;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (const auto op = op_of(&i))
      if (is_math(*op)) calls.emplace_back(llvm::cast<llvm::CallInst>(&i), *op);
  const avx512::Features features = avx512::features_of(host);
  DeviceMath device(function, host, flush_mode);
  for (auto [call, op] : calls) {
    llvm::IRBuilder<> ir(call);
    call->replaceAllUsesWith(expanded(ir, *call, op, features, host, device));
    llvm::Function* declaration = call->getCalledFunction();
    call->eraseFromParent();
    if (declaration->use_empty()) declaration->eraseFromParent();
  }
}

}  // namespace heddle::exec::jit
