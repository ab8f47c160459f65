// Integer arithmetic (PTX ISA 9.7.1) but for products and bits: sums, quotients, order.
#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using llvm::Value;

IntegerType integer(Lowering& l) { return integer_type(l.type()); }

// Both halves of packed values. Each half stands at the top of a word when f sees it, above zeros, so that
// the order of words is the order of halves.
template <class F>
Value* by_halves(Lowering& l, F&& f) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get(1), *b = l.get(2);
  Value* low = f(ir.CreateShl(a, 16), ir.CreateShl(b, 16));
  Value* high = f(ir.CreateAnd(a, 0xffff0000), ir.CreateAnd(b, 0xffff0000));
  return ir.CreateOr(ir.CreateLShr(low, 16), high);
}

Value* not_negative(Lowering& l, Value* value) {  // .relu
  return l.has(Slot::relu) ? greatest(l.ir(), true, value, like(value, 0)) : value;
}

using Order = Value* (*)(llvm::IRBuilder<>&, bool, Value*, Value*);

void order(Lowering& l, Order choose) {
  l.set(0, not_negative(l, choose(l.ir(), integer(l).is_signed, l.get(1), l.get(2))));
}

void order_x2(Lowering& l, Order choose) {
  const bool is_signed = integer(l).is_signed;
  l.set(0,
        by_halves(l, [&](Value* a, Value* b) { return not_negative(l, choose(l.ir(), is_signed, a, b)); }));
}

// a / b or a % b for any b: the divisor of the machine's division is never 0, and never -1 where that may
// overflow. By zero an H200 gives all ones, for quotient and remainder alike; the least number by -1 wraps.
Value* divided(Lowering& l, bool remainder) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get(1), *b = l.get(2);
  Value* zero = ir.CreateICmpEQ(b, like(b, 0));
  Value* out = nullptr;
  if (integer(l).is_signed) {
    Value* minus_one = ir.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(b->getType()));
    Value* divisor = ir.CreateSelect(ir.CreateOr(zero, minus_one), like(b, 1), b);
    if (remainder)
      out = ir.CreateSRem(a, divisor);  // by 1 and by -1: 0
    else
      out = ir.CreateSelect(minus_one, ir.CreateNeg(a), ir.CreateSDiv(a, divisor));
  } else {
    Value* divisor = ir.CreateSelect(zero, like(b, 1), b);
    out = remainder ? ir.CreateURem(a, divisor) : ir.CreateUDiv(a, divisor);
  }
  return ir.CreateSelect(zero, llvm::ConstantInt::getAllOnesValue(b->getType()), out);
}

}  // namespace

void lower_add_int(Lowering& l) {
  Value *a = l.get(1), *b = l.get(2);
  l.set(0, l.has(Slot::sat) ? l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, a, b)
                            : l.ir().CreateAdd(a, b));
}

void lower_sub_int(Lowering& l) {
  Value *a = l.get(1), *b = l.get(2);
  l.set(0, l.has(Slot::sat) ? l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, a, b)
                            : l.ir().CreateSub(a, b));
}

// The highest bits of the halves are added without their carries.
void lower_add_int_x2(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get(1), *b = l.get(2);
  Value* low = ir.CreateAdd(ir.CreateAnd(a, 0x7fff7fff), ir.CreateAnd(b, 0x7fff7fff));
  l.set(0, ir.CreateXor(low, ir.CreateAnd(ir.CreateXor(a, b), 0x80008000)));
}

void lower_sad(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool is_signed = integer(l).is_signed;
  Value *a = l.get(1), *b = l.get(2);
  Value* distance = ir.CreateSub(greatest(ir, is_signed, a, b), least(ir, is_signed, a, b));
  l.set(0, ir.CreateAdd(l.get(3), distance));
}

void lower_div_int(Lowering& l) { l.set(0, divided(l, false)); }
void lower_rem(Lowering& l) { l.set(0, divided(l, true)); }

void lower_abs_int(Lowering& l) {  // of the least number: itself
  l.set(0, l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::abs, l.get(1), l.ir().getFalse()));
}
void lower_neg_int(Lowering& l) { l.set(0, l.ir().CreateNeg(l.get(1))); }

void lower_min_int(Lowering& l) { order(l, least); }
void lower_max_int(Lowering& l) { order(l, greatest); }
void lower_min_int_x2(Lowering& l) { order_x2(l, least); }
void lower_max_int_x2(Lowering& l) { order_x2(l, greatest); }

}  // namespace heddle::exec::jit
