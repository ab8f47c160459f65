#include "exec/jit/math/truncating_mad.h"

#include "exec/jit/math/avx512.h"
#include "exec/jit/math/lanes.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

struct Product {
  Value *truncated, *nearest;
  // `truncated` is right where least <= |judged| < end, as bits.
  Value* judged;
  uint32_t least, end;
};

// A product that is a float loses nothing else by being cut than by being rounded to zero.
Product product(const Lanes& l, const Host& host, Value* a, Value* b) {
  llvm::IRBuilderBase& ir = l.ir;
  Value* nearest = ir.CreateFMul(a, b);
  if (l.count() != 0)
    if (Value* cut = avx512::rounded(ir, avx512::features_of(host), Arithmetic::mul, Direction::zero, {a, b}))
      return {cut, nearest, cut, 0x0080'0000, 0x7f7f'ffff};  // the largest may stand for what is larger still
  // What rounding added is taken off again. The error of a product of 2^-78 and more is no subnormal.
  Value* error = l.fma(a, b, ir.CreateFNeg(nearest));
  Value* sign = ir.CreateXor(l.bits(error), l.bits(nearest));
  Value* beyond = ir.CreateAnd(ir.CreateICmpSLT(sign, l.word(0)), ir.CreateFCmpONE(error, l.single(0)));
  Value* cut = ir.CreateSub(l.bits(nearest), ir.CreateZExt(beyond, l.i32()));
  return {l.as_f32(cut), nearest, nearest, (127 - 78) << 23, 0x7f80'0000};
}

// least <= |value| < end, as bits.
Value* between(const Lanes& l, Value* value, uint32_t least, uint32_t end) {
  Value* place = l.ir.CreateSub(l.mask(l.bits(value), 0x7fff'ffff), l.word(least));
  return l.ir.CreateICmpULT(place, l.word(end - least));
}

Value* is_normal(const Lanes& l, const Host& host, Value* value) {
  if (host.level != VectorLevel::avx512 || l.count() != 16)
    return between(l, value, 0x0080'0000, 0x7f80'0000);
  constexpr uint32_t quiet = 0x01, zeros = 0x06, infinities = 0x18, subnormal = 0x20, signalling = 0x80;
  Value* other =
      l.ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {},
                           {value, l.ir.getInt32(quiet | zeros | infinities | subnormal | signalling)});
  return l.ir.CreateNot(other);
}

Value* flushed(const Lanes& l, Value* value) {
  Value* bits = l.bits(value);
  Value* tiny = l.ir.CreateICmpULT(l.mask(bits, 0x7fff'ffff), l.word(0x0080'0000));
  return l.as_f32(l.ir.CreateSelect(tiny, l.mask(bits, 0x8000'0000), bits));
}

}  // namespace

Value* truncating_mad(llvm::CallInst& call, const Host& host, bool flush_mode, llvm::ArrayRef<Value*> sources,
                      llvm::function_ref<Value*(llvm::IRBuilder<>&)> whole) {
  if (host.level == VectorLevel::v2) return nullptr;
  llvm::IRBuilder<> ir(&call);
  const Lanes l(ir, call.getType());
  Value *a = sources[0], *b = sources[1], *c = sources[2];
  if (!flush_mode) a = flushed(l, a), b = flushed(l, b), c = flushed(l, c);
  const Product p = product(l, host, a, b);
  Value* no_addend = ir.CreateFCmpOEQ(c, l.single(0));
  Value* sum = ir.CreateFAdd(ir.CreateSelect(no_addend, p.nearest, p.truncated), c);
  if (!flush_mode) sum = flushed(l, sum);
  sum = ir.CreateSelect(ir.CreateFCmpUNO(sum, sum), l.as_f32(l.word(0x7fff'ffff)), sum);
  // Zeros, infinities and NaNs give what they give with any product.
  Value* outside = ir.CreateNot(between(l, p.judged, p.least, p.end));
  Value* factors = ir.CreateAnd(is_normal(l, host, a), is_normal(l, host, b));
  Value* other = ir.CreateAnd(outside, factors);
  if (l.count() != 0) other = ir.CreateOrReduce(other);

  llvm::MDNode* rarely = llvm::MDBuilder(call.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(other, call.getIterator(), false, rarely);
  llvm::IRBuilder<> rare(end);
  rare.SetCurrentDebugLocation(call.getDebugLoc());
  Value* right = whole(rare);
  llvm::BasicBlock* rest = call.getParent();
  llvm::IRBuilder<> behind(rest, rest->begin());
  llvm::PHINode* result = behind.CreatePHI(call.getType(), 2);
  result->addIncoming(right, end->getParent());
  for (llvm::BasicBlock* before : llvm::predecessors(rest))
    if (before != end->getParent()) result->addIncoming(sum, before);
  return result;
}

}  // namespace heddle::exec::jit
