#include "exec/jit/math/share.h"

#include <map>
#include <tuple>

#include "exec/jit/ir/ops.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

namespace {

// Longer than a call: tables on any host, directed roundings where they are no part of an instruction.
bool is_long(Op op, const Host& host) {
  return op == Op::approximate || (op == Op::rounded && host.level != VectorLevel::avx512);
}

constexpr unsigned immediates = 2;  // of both
constexpr const char* flushing = "denormal-fp-math-f32";

// The operation on the function's parameters.
llvm::Function* body_of(llvm::CallInst& call) {
  const llvm::Function& caller = *call.getFunction();
  llvm::SmallVector<llvm::Type*, 3> types;
  for (unsigned i = immediates; i < call.arg_size(); ++i) types.push_back(call.getArgOperand(i)->getType());
  llvm::Module& module = *call.getFunction()->getParent();
  auto* body =
      llvm::Function::Create(llvm::FunctionType::get(call.getType(), types, false),
                             llvm::Function::InternalLinkage, call.getCalledFunction()->getName(), module);
  if (caller.hasFnAttribute(flushing)) body->addFnAttr(caller.getFnAttribute(flushing));
  body->addFnAttr(llvm::Attribute::NoInline);
  body->addFnAttr(llvm::Attribute::NoUnwind);
  body->addFnAttr(llvm::Attribute::WillReturn);
  body->setDoesNotAccessMemory();
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(call.getContext(), "", body));
  llvm::SmallVector<llvm::Value*, 5> arguments(call.arg_begin(), call.arg_begin() + immediates);
  for (llvm::Argument& parameter : body->args()) arguments.push_back(&parameter);
  ir.CreateRet(ir.CreateCall(call.getCalledFunction(), arguments));
  return body;
}

}  // namespace

void share_math(llvm::Module& module, const Host& host) {
  // By the operation for its types (a declaration each) and by what it is to do.
  using Key = std::tuple<const llvm::Function*, uint64_t, uint64_t, bool>;
  std::map<Key, llvm::SmallVector<llvm::CallInst*, 8>> places;
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::instructions(f)) {
      const auto op = op_of(&i);
      if (!op || !is_long(*op, host)) continue;
      auto* call = llvm::cast<llvm::CallInst>(&i);
      places[{call->getCalledFunction(), immediate(*call, 0), immediate(*call, 1),
              f.hasFnAttribute(flushing)}]
          .push_back(call);
    }
  for (const auto& [key, calls] : places) {
    if (calls.size() < 2) continue;
    llvm::Function* body = body_of(*calls.front());
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> ir(call);
      const llvm::SmallVector<llvm::Value*, 3> sources(call->arg_begin() + immediates, call->arg_end());
      call->replaceAllUsesWith(ir.CreateCall(body, sources));
      call->eraseFromParent();
    }
  }
}

}  // namespace heddle::exec::jit
