// f16 and bf16 arithmetic, single and in pairs (PTX ISA 9.7.4).
//
// A sum or product of two halves is computed as a float. A product has no more digits than a float holds. A
// sum of f16 is exact or so small compared with the greater addend that rounding twice is rounding once (24
// digits are twice 11 and two more); where it is subnormal it is exact. That does not hold for fma, which is
// rounded to odd in between.
#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/transform/nan.h"

namespace heddle::exec::jit {

using isa::Slot;
using isa::Type;
using llvm::Value;
using Sources = llvm::SmallVector<Value*, 3>;

namespace {

constexpr uint64_t nan_half = 0x7fff, sign_half = 0x8000, magnitude_half = 0x7fff;

uint64_t infinity_of(bool brain) { return brain ? 0x7f80 : 0x7c00; }

// d = f(sources) on each half of a pair: i32 of 16 bits in, i32 of 16 bits out.
template <class F>
void each_half(Lowering& l, int count, F&& f) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool pair = isa::info(l.type()).elements == 2;
  const auto half = [&](unsigned upper) {
    Sources sources;
    for (int i = 1; i <= count; ++i) {
      Value* bits = l.get_bits(i);
      if (!pair)
        bits = ir.CreateZExt(bits, ir.getInt32Ty());
      else
        bits = upper != 0 ? ir.CreateLShr(bits, 16) : ir.CreateAnd(bits, 0xffff);
      sources.push_back(bits);
    }
    return static_cast<Value*>(f(sources));
  };
  Value* low = half(0);
  if (!pair) return l.set(0, ir.CreateTrunc(low, ir.getInt16Ty()));
  l.set(0, ir.CreateOr(low, ir.CreateShl(half(1), 16)));
}

// A float, exact or rounded to odd, as the result of the instruction.
Value* finished(Lowering& l, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  if (l.has(Slot::ftz)) value = flushed_below(ir, value, value, tiny_f16);
  if (l.has(Slot::sat)) value = saturated(ir, value);
  Value* bits = to_half(ir, value, is_brain(l.type()));
  if (l.has(Slot::relu)) {
    Value* negative = ir.CreateICmpNE(ir.CreateAnd(bits, sign_half), ir.getInt32(0));
    bits = ir.CreateSelect(negative, ir.getInt32(0), bits);
  }
  return bits;
}

Sources widened(Lowering& l, const Sources& sources) {
  Sources wide;
  for (Value* bits : sources) {
    Value* value = from_half(l.ir(), bits, is_brain(l.type()));
    wide.push_back(l.has(Slot::ftz) ? flushed_below(l.ir(), value, value, 0x1p-14) : value);
  }
  return wide;
}

template <class F>
void emit_arithmetic(Lowering& l, F&& f) {
  each_half(l, 2, [&](const Sources& s) {
    const Sources x = widened(l, s);
    return finished(l, f(l.ir(), x[0], x[1]));
  });
}

Value* is_nan(llvm::IRBuilder<>& ir, Value* bits, bool brain) {
  return ir.CreateICmpUGT(ir.CreateAnd(bits, magnitude_half), ir.getInt32(infinity_of(brain)));
}
Value* flushed_f16(llvm::IRBuilder<>& ir, Value* bits) {
  Value* tiny = ir.CreateICmpULT(ir.CreateAnd(bits, magnitude_half), ir.getInt32(0x400));
  return ir.CreateSelect(tiny, ir.CreateAnd(bits, sign_half), bits);
}

// The bits of numbers with sign and magnitude as numbers in the same order; -0 is less than +0.
Value* key_of(llvm::IRBuilder<>& ir, Value* bits) {
  Value* wide = ir.CreateAShr(ir.CreateShl(bits, 16), 16);
  return ir.CreateXor(wide, ir.CreateAnd(ir.CreateAShr(wide, 31), magnitude_half));
}

void emit_order(Lowering& l, bool larger) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool brain = is_brain(l.type());
  each_half(l, 2, [&](const Sources& s) {
    Value *a = s[0], *b = s[1];
    if (l.has(Slot::ftz)) {
      a = flushed_f16(ir, a);
      b = flushed_f16(ir, b);
    }
    Value* signs = ir.CreateAnd(ir.CreateXor(a, b), sign_half);
    if (l.has(Slot::abs)) {
      a = ir.CreateAnd(a, magnitude_half);
      b = ir.CreateAnd(b, magnitude_half);
    }
    Value *a_nan = is_nan(ir, a, brain), *b_nan = is_nan(ir, b, brain);
    Value *x = ir.CreateSelect(a_nan, b, a), *y = ir.CreateSelect(b_nan, a, b);
    Value *kx = key_of(ir, x), *ky = key_of(ir, y);
    Value* taken = ir.CreateSelect(larger ? ir.CreateICmpSGT(kx, ky) : ir.CreateICmpSLT(kx, ky), x, y);
    if (l.has(Slot::xorsign)) taken = ir.CreateOr(ir.CreateAnd(taken, magnitude_half), signs);
    Value* none = l.has(Slot::nan) ? ir.CreateOr(a_nan, b_nan) : ir.CreateAnd(a_nan, b_nan);
    return ir.CreateSelect(none, ir.getInt32(nan_half), taken);
  });
}

// neg and abs: `mask` clears the sign, `flip` turns it.
void emit_sign(Lowering& l, uint64_t mask, uint64_t flip) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool brain = is_brain(l.type());
  each_half(l, 1, [&](const Sources& s) {
    Value* a = l.has(Slot::ftz) ? flushed_f16(ir, s[0]) : s[0];
    Value* changed = ir.CreateXor(ir.CreateAnd(a, mask), flip);
    return ir.CreateSelect(is_nan(ir, a, brain), ir.getInt32(nan_half), changed);
  });
}

// The NaN that a tensor copy fills with where it reads out of bounds, of either sign.
Value* is_out_of_bounds(llvm::IRBuilder<>& ir, Value* bits) {
  return ir.CreateICmpEQ(ir.CreateAnd(bits, magnitude_half), ir.getInt32(0x7ff7));
}

void emit_approximation(Lowering& l, Approximation brain, Approximation half) {
  const auto function = is_brain(l.type()) ? brain : half;
  Value* a = l.get_bits(1);
  l.set(0, l.op(Op::approximate, a->getType(), {l.imm(static_cast<uint64_t>(function)), l.imm(0), a}));
}

}  // namespace

Value* from_half(llvm::IRBuilder<>& ir, Value* bits, bool brain) {
  if (brain) return ir.CreateBitCast(ir.CreateShl(ir.CreateZExt(bits, ir.getInt32Ty()), 16), ir.getFloatTy());
  Value* half = ir.CreateBitCast(ir.CreateTrunc(bits, ir.getInt16Ty()), ir.getHalfTy());
  return ir.CreateFPExt(half, ir.getFloatTy());
}

Value* to_half(llvm::IRBuilder<>& ir, Value* value, bool brain) {
  Value* rounded = nullptr;
  if (brain) {
    Value* bits = bits_with_any_nan(ir, value);
    Value* odd = ir.CreateAnd(ir.CreateLShr(bits, 16), 1);
    rounded = ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(bits, ir.getInt32(0x7fff)), odd), 16);
  } else {
    Value* half = ir.CreateFPTrunc(value, ir.getHalfTy());
    rounded = ir.CreateZExt(ir.CreateBitCast(half, ir.getInt16Ty()), ir.getInt32Ty());
  }
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ir.getInt32(nan_half), rounded);
}

// Neighbours' last digits differ, so one of the two is odd; where they are one number it is exact.
Value* to_odd(llvm::IRBuilder<>& ir, Value* down, Value* up) {
  Value* last = ir.CreateAnd(bits_with_any_nan(ir, down), 1);
  return ir.CreateSelect(ir.CreateICmpNE(last, ir.getInt32(0)), down, up);
}

void lower_add_half(Lowering& l) {
  emit_arithmetic(l, [](llvm::IRBuilder<>& ir, Value* a, Value* b) { return ir.CreateFAdd(a, b); });
}
void lower_sub_half(Lowering& l) {
  emit_arithmetic(l, [](llvm::IRBuilder<>& ir, Value* a, Value* b) { return ir.CreateFSub(a, b); });
}
void lower_mul_half(Lowering& l) {
  emit_arithmetic(l, [](llvm::IRBuilder<>& ir, Value* a, Value* b) { return ir.CreateFMul(a, b); });
}

void lower_fma_half(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  each_half(l, 3, [&](const Sources& s) {
    const Sources x = widened(l, s);
    Value* down = arithmetic(l, Arithmetic::fma, isa::Word::rm, x);
    Value* up = arithmetic(l, Arithmetic::fma, isa::Word::rp, x);
    Value* bits = finished(l, to_odd(ir, down, up));
    if (!l.has(Slot::oob)) return bits;
    Value* outside = ir.CreateOr(is_out_of_bounds(ir, s[0]), is_out_of_bounds(ir, s[1]));
    return ir.CreateSelect(outside, ir.getInt32(0), bits);
  });
}

void lower_neg_half(Lowering& l) { emit_sign(l, 0xffff, sign_half); }
void lower_abs_half(Lowering& l) { emit_sign(l, magnitude_half, 0); }
void lower_min_half(Lowering& l) { emit_order(l, false); }
void lower_max_half(Lowering& l) { emit_order(l, true); }

void lower_tanh_half(Lowering& l) {
  emit_approximation(l, Approximation::tanh_bf16, Approximation::tanh_f16);
}
void lower_ex2_half(Lowering& l) { emit_approximation(l, Approximation::ex2_bf16, Approximation::ex2_f16); }

}  // namespace heddle::exec::jit
