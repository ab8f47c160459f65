#include "exec/jit/ir/mbarrier.h"

#include "exec/mbarrier_word.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::exec::jit {

using llvm::Value;
using namespace mbarrier_word;

namespace {

// Of an arrival's operand: the count, whether it drops out, and in the upper half the bytes. More than an
// object counts is as much as any larger number.
constexpr uint64_t most_count = 0x7fff'ffff;
constexpr unsigned drops_at = 31, more_bytes_at = 32;

Value* pending_of(llvm::IRBuilderBase& ir, Value* word) { return ir.CreateAnd(word, ir.getInt64(most)); }
Value* expected_of(llvm::IRBuilderBase& ir, Value* word) {
  return ir.CreateAnd(ir.CreateLShr(word, expected_at), ir.getInt64(most));
}

}  // namespace

Value* arrival(llvm::IRBuilderBase& ir, Value* count, bool drops, Value* bytes) {
  Value* many = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateZExt(count, ir.getInt64Ty()),
                                         ir.getInt64(most_count));
  Value* all = ir.CreateOr(many, ir.getInt64(uint64_t{drops ? 1U : 0U} << drops_at));
  return ir.CreateOr(all, ir.CreateShl(ir.CreateSExt(bytes, ir.getInt64Ty()), more_bytes_at));
}

uint64_t plain_count(const Value* arrival) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(arrival);
  return number != nullptr && number->getZExtValue() <= most ? number->getZExtValue() : 0;
}

Value* after_arrival(llvm::IRBuilderBase& ir, Value* word, Value* arrival) {
  Value* count = ir.CreateAnd(arrival, ir.getInt64(most_count));
  Value* drops = ir.CreateTrunc(ir.CreateLShr(arrival, drops_at), ir.getInt1Ty());
  Value* leaving = ir.CreateSelect(drops, count, ir.getInt64(0));
  Value *pending = pending_of(ir, word), *expected = expected_of(ir, word);
  Value* good = ir.CreateAnd(ir.CreateICmpULE(count, pending), ir.CreateICmpULE(leaving, expected));
  pending = ir.CreateSub(pending, count);
  expected = ir.CreateSub(expected, leaving);
  Value* bytes =
      ir.CreateAnd(ir.CreateAdd(ir.CreateLShr(word, bytes_at), ir.CreateAShr(arrival, more_bytes_at)),
                   ir.getInt64(bytes_mask));
  // The phase ends when nothing is outstanding.
  Value* ends =
      ir.CreateAnd(ir.CreateICmpEQ(pending, ir.getInt64(0)), ir.CreateICmpEQ(bytes, ir.getInt64(no_bytes)));
  Value* after = ir.CreateOr(ir.CreateSelect(ends, expected, pending), ir.CreateShl(expected, expected_at));
  after = ir.CreateOr(after, ir.CreateShl(bytes, bytes_at));
  Value* parity = ir.CreateXor(ir.CreateLShr(word, parity_at), ir.CreateZExt(ends, ir.getInt64Ty()));
  after = ir.CreateOr(after, ir.CreateShl(parity, parity_at));
  return ir.CreateSelect(good, after, word);
}

Value* takes_arrivals(llvm::IRBuilderBase& ir, Value* word, Value* count, bool drops) {
  Value* many = ir.CreateZExt(count, ir.getInt64Ty());
  Value* good = ir.CreateICmpULE(many, pending_of(ir, word));
  return drops ? ir.CreateAnd(good, ir.CreateICmpULE(many, expected_of(ir, word))) : good;
}

}  // namespace heddle::exec::jit
