// One operation of math.h as a function over arrays: for tests and benches.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "exec/jit/codegen/machine.h"
#include "exec/jit/ir/math.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/math/expand.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

// out[i] = operation(a[i], b[i], c[i]) for i in [0, count), lanes at a time (0: scalars); count is a multiple
// of them.
using MathFunction = void (*)(const void* a, const void* b, const void* c, void* out, uint64_t count);

struct CompiledMath {
  std::shared_ptr<Code> code;
  MathFunction run = nullptr;
  std::string problem;
};

inline CompiledMath compile_math(Machine& machine, Op op, uint32_t first, uint32_t second, unsigned arity,
                                 unsigned lanes, llvm::Type* (*element)(llvm::LLVMContext&),
                                 bool flush_mode = false) {
  llvm::LLVMContext context;
  llvm::Module module("math", context);
  machine.prepare(module);
  llvm::IRBuilder<> ir(context);
  llvm::Type *pointer = ir.getPtrTy(), *word = ir.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, pointer, pointer, word}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "math", module);
  if (flush_mode) function->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  auto* before = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* after = llvm::BasicBlock::Create(context, "end", function);
  ir.SetInsertPoint(before);
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  llvm::PHINode* index = ir.CreatePHI(word, 2);
  index->addIncoming(ir.getInt64(0), before);
  llvm::Type* one = element(context);
  llvm::Type* value = lanes == 0 ? one : llvm::FixedVectorType::get(one, lanes);
  llvm::SmallVector<llvm::Value*, 5> arguments;
  if (op != Op::first_nan) arguments = {ir.getInt32(first), ir.getInt32(second)};
  const llvm::Align align(one->getScalarSizeInBits() / 8);
  for (unsigned i = 0; i < arity; ++i)
    arguments.push_back(ir.CreateAlignedLoad(value, ir.CreateGEP(one, function->getArg(i), index), align));
  llvm::Value* result = call_op(ir, op, value, arguments);
  ir.CreateAlignedStore(result, ir.CreateGEP(one, function->getArg(3), index), align);
  llvm::Value* next = ir.CreateAdd(index, ir.getInt64(lanes == 0 ? 1 : lanes));
  index->addIncoming(next, loop);
  ir.CreateCondBr(ir.CreateICmpULT(next, function->getArg(4)), loop, after);
  ir.SetInsertPoint(after);
  ir.CreateRetVoid();
  expand_math(*function, machine.host(), flush_mode);
  CompiledMath compiled;
  auto object = machine.compile(module, Tier::best);
  if (!object.ok()) {
    compiled.problem = object.error();
    return compiled;
  }
  if (const char* file = std::getenv("HEDDLE_MATH_OBJECT")) {
    if (std::FILE* out = std::fopen(file, "wb")) {
      std::fwrite(object->bytes.data(), 1, object->bytes.size(), out);
      std::fclose(out);
    }
  }
  auto code = machine.load(*object);
  if (!code.ok()) {
    compiled.problem = code.error();
    return compiled;
  }
  compiled.code = std::move(code).value();
  compiled.run = reinterpret_cast<MathFunction>(compiled.code->find("math"));
  return compiled;
}

}  // namespace heddle::exec::jit
