// Every choice of signs, vector length and level of the host, against sums of products.
#include <gtest/gtest.h>

#include <random>

#include "exec/jit/codegen/machine.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/math/expand.h"

namespace heddle::exec::jit {
namespace {

int32_t part(uint32_t word, int byte, bool is_signed) {
  const uint32_t bits = word >> 8 * byte & 0xff;
  return is_signed ? static_cast<int8_t>(bits) : static_cast<int32_t>(bits);
}

// (c, a, b, out) of `lanes` words each; 1: a scalar.
void check(const Host& host, unsigned lanes, bool a_signed, bool b_signed) {
  Machine machine(host);
  llvm::LLVMContext context;
  llvm::Module module("dot", context);
  llvm::IRBuilder<> ir(context);
  llvm::Type* word = ir.getInt32Ty();
  llvm::Type* type = lanes == 1 ? word : llvm::FixedVectorType::get(word, lanes);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), ir.getPtrTy(), ir.getPtrTy(), ir.getPtrTy()},
                              false),
      llvm::GlobalValue::ExternalLinkage, "dot", module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  const auto load = [&](unsigned i) {
    return ir.CreateAlignedLoad(type, function->getArg(i), llvm::Align(4));
  };
  llvm::Value *c = load(0), *a = load(1), *b = load(2);
  llvm::Value* out = call_op(ir, Op::dot_bytes, type,
                             {ir.getInt32(a_signed ? 1 : 0), ir.getInt32(b_signed ? 1 : 0), a, b, c});
  ir.CreateAlignedStore(out, function->getArg(3), llvm::Align(4));
  ir.CreateRetVoid();
  expand_math(*function, host);
  auto object = machine.compile(module, Tier::quick);
  ASSERT_TRUE(object) << object.error();
  auto code = machine.load(*object);
  ASSERT_TRUE(code) << code.error();
  auto* dot = reinterpret_cast<void (*)(uint32_t*, uint32_t*, uint32_t*, uint32_t*)>((*code)->find("dot"));
  std::mt19937 random(lanes);
  constexpr uint32_t edges[] = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80ff7f01};
  for (int round = 0; round < 1000; ++round) {
    uint32_t values[4][16];
    for (auto& row : values) {
      for (uint32_t& v : row) v = random() % 3 == 0 ? edges[random() % 5] : static_cast<uint32_t>(random());
    }
    dot(values[0], values[1], values[2], values[3]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint32_t expected = values[0][lane];
      for (int i = 0; i < 4; ++i)
        expected +=
            static_cast<uint32_t>(part(values[1][lane], i, a_signed) * part(values[2][lane], i, b_signed));
      ASSERT_EQ(values[3][lane], expected) << name(host.level) << " " << lanes << a_signed << b_signed;
    }
  }
}

TEST(DotOfBytes, IsTheSumOfProducts) {
  for (const char* level : {"x86-64-v2", "avx2", "avx512", ""}) {
    auto host = find_host(level);
    if (!host) continue;  // this machine has less
    for (const unsigned lanes : {1u, 4u, 8u, 16u}) {
      for (const bool a_signed : {false, true}) {
        for (const bool b_signed : {false, true}) check(*host, lanes, a_signed, b_signed);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::exec::jit
