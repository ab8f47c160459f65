// The approximate functions as approx/ has them, a select for each of its branches.
#include "exec/jit/math/portable.h"

#include "approx/tables.gen.h"
#include "exec/jit/math/tables.h"
#include "llvm/IR/Module.h"

namespace heddle::exec::jit::portable {

using approx::Interpolator;
using llvm::Value;

namespace {

constexpr uint32_t nan_bits = 0x7fffffff, infinity = 0x7f800000, sign_bit = 0x80000000, hidden = 0x800000,
                   fraction_mask = 0x7fffff;

class Function : public Lanes {
 public:
  Function(llvm::IRBuilderBase& ir, llvm::Type* shape) : Lanes(ir, shape) {}

  Value* rcp(Value* a) const;
  Value* rsqrt(Value* a) const;
  Value* sqrt(Value* a) const;
  Value* lg2(Value* a) const;
  Value* ex2(Value* a) const;
  Value* tanh(Value* a) const;
  Value* circular(Value* a, bool cosine) const;
  Value* divided(Value* a, Value* b, bool full, bool ftz) const;
  Value* rcp_f64(Value* a) const;
  Value* rsqrt_f64(Value* a, bool ftz) const;

  Value* with_subnormals(Approximation function, bool ftz, Value* a) const;
  Value* half(Value* a, Approximation function) const;

 private:
  Value* select(Value* condition, Value* a, Value* b) const { return ir.CreateSelect(condition, a, b); }
  Value* size_of(Value* a) const { return mask(a, ~sign_bit); }
  Value* sign_of(Value* a) const { return mask(a, sign_bit); }
  Value* is_zero(Value* a) const { return ir.CreateICmpULT(size_of(a), word(hidden)); }
  Value* is_nan(Value* a) const { return ir.CreateICmpUGT(size_of(a), word(infinity)); }
  Value* is_negative(Value* a) const { return ir.CreateICmpSLT(a, like(a, 0)); }
  Value* exponent_of(Value* a) const {  // unbiased
    return add(right(size_of(a), 23), static_cast<uint32_t>(-127));
  }

  Value* entry(const Interpolator& table, Value* index, unsigned column) const;
  Value* truncated_square(Value* x) const;
  Value* interpolated(const Interpolator& table, Value* argument) const;  // i64
  Value* significand(const Interpolator& table, Value* argument) const {
    return narrowed(interpolated(table, argument));
  }
  Value* rooted(Value* a) const {  // the argument of a square root
    return ir.CreateOr(left(ir.CreateXor(mask(right(a, 23), 1), word(1)), 23), mask(a, fraction_mask));
  }
  // value * 2^-fraction_bits cut to 24 digits; not negative.
  Value* cut_to_float(Value* value, int fraction_bits) const;
  Value* scaled(Value* a, Value* where, double factor) const {
    return bits(select(where, ir.CreateFMul(as_f32(a), single(factor)), as_f32(a)));
  }
  Value* flushed(Value* a) const { return select(ir.CreateICmpULT(size_of(a), word(hidden)), sign_of(a), a); }
};

Value* Function::entry(const Interpolator& table, Value* index, unsigned column) const {
  llvm::GlobalVariable* columns = table_of(*ir.GetInsertBlock()->getModule(), table, column);
  if (count() == 0)
    return ir.CreateLoad(ir.getInt32Ty(), ir.CreateGEP(ir.getInt32Ty(), columns, widened(index)));
  Value* places = ir.CreateGEP(ir.getInt32Ty(), columns, widened(index));
  return ir.CreateMaskedGather(i32(), places, llvm::Align(4));
}

Value* Function::truncated_square(Value* x) const {
  Value *high = right(x, 9), *low = mask(x, 0x1ff);
  Value* sum = right(ir.CreateMul(high, high), 1);
  for (unsigned bit = 1; bit < 8; ++bit) {
    Value* all = right_signed(left(high, 31 - bit), 31);
    sum = ir.CreateAdd(sum, ir.CreateAnd(right(low, 9 - bit), all));
  }
  return sum;
}

Value* Function::interpolated(const Interpolator& table, Value* argument) const {
  Value* index = right(argument, table.x_bits);
  Value* x = mask(argument, (1u << table.x_bits) - 1);
  Value* square = widened(truncated_square(left(x, table.square_prescale)));
  const auto column = [&](unsigned i) { return ir.CreateSExt(entry(table, index, i), i64()); };
  Value* value = left(column(0), table.value_shift);
  Value* slope = ir.CreateMul(column(1), widened(x));
  Value* curve = left(ir.CreateMul(column(2), square), table.square_shift);
  Value* sum = ir.CreateAdd(ir.CreateAdd(value, slope), curve);
  return right_signed(add(sum, static_cast<uint64_t>(table.bias)), table.result_shift);
}

Value* Function::cut_to_float(Value* value, int fraction_bits) const {
  Value* zeros = ir.CreateIntrinsic(llvm::Intrinsic::ctlz, {i64()}, {value, ir.getFalse()});
  Value* drop = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, ir.CreateSub(wide(40), zeros), wide(0));
  Value* kept = ir.CreateShl(ir.CreateLShr(value, drop), drop);
  double scale = 1;
  for (int i = 0; i < fraction_bits; ++i) scale /= 2;
  return bits(ir.CreateFMul(ir.CreateSIToFP(kept, f32()), single(scale)));
}

Value* Function::rcp(Value* a) const {
  Value* size = size_of(a);
  Value* r = significand(approx::rcp_table, mask(a, fraction_mask));
  Value* exponent = mask(size, infinity);
  Value* result = ir.CreateAdd(ir.CreateSub(word(252u << 23), exponent), r);
  result = select(ir.CreateICmpUGT(size, word(253u << 23)), word(0), result);
  result = ir.CreateOr(select(is_zero(a), word(infinity), result), sign_of(a));
  return select(is_nan(a), word(nan_bits), result);
}

Value* Function::rsqrt(Value* a) const {
  Value* argument = rooted(a);
  Value* r =
      select(ir.CreateICmpEQ(argument, word(0)), word(1u << 24), significand(approx::rsqrt_table, argument));
  Value* half = right_signed(exponent_of(a), 1);
  Value* result = ir.CreateAdd(left(ir.CreateSub(word(125), half), 23), r);
  result = select(ir.CreateICmpEQ(a, word(infinity)), word(0), result);
  result = select(is_negative(a), word(nan_bits), result);
  result = select(is_zero(a), ir.CreateOr(sign_of(a), word(infinity)), result);
  return select(is_nan(a), word(nan_bits), result);
}

Value* Function::sqrt(Value* a) const {
  Value* r = significand(approx::sqrt_table, rooted(a));
  Value* half = right_signed(exponent_of(a), 1);
  Value* result = ir.CreateAdd(left(add(half, 126), 23), r);
  result = select(ir.CreateICmpEQ(a, word(infinity)), a, result);
  result = select(is_negative(a), word(nan_bits), result);
  result = select(is_zero(a), sign_of(a), result);
  return select(is_nan(a), word(nan_bits), result);
}

// 36 bits of fraction; a negative sum is complemented, not negated.
Value* Function::lg2(Value* a) const {
  Value* fraction = interpolated(approx::lg2_table, mask(a, fraction_mask));
  Value* sum = ir.CreateAdd(fraction, left(ir.CreateSExt(exponent_of(a), i64()), 36));
  Value* sign = right_signed(sum, 63);
  Value* result = cut_to_float(ir.CreateXor(sum, sign), 36);
  result = ir.CreateOr(result, mask(narrowed(sign), sign_bit));
  result = select(ir.CreateICmpEQ(a, word(0x3f800000)), word(0), result);
  result = select(ir.CreateICmpEQ(a, word(infinity)), a, result);
  result = select(is_negative(a), word(nan_bits), result);
  result = select(is_zero(a), word(sign_bit | infinity), result);
  return select(is_nan(a), word(nan_bits), result);
}

// |a| in units of 2^-23, cut off. A negative one is complemented, not negated, unless it is a whole number.
Value* Function::ex2(Value* a) const {
  Value* size = size_of(a);
  Value* inside = ir.CreateICmpULT(size, word(0x43000000));  // 128
  Value* safe = as_f32(select(inside, size, word(0)));
  Value* fixed = ir.CreateFPToSI(ir.CreateFMul(safe, single(0x1p23)), i32());
  Value* whole = ir.CreateICmpEQ(mask(fixed, fraction_mask), word(0));
  Value* minus = ir.CreateAdd(ir.CreateNot(fixed), ir.CreateZExt(whole, i32()));
  fixed = select(is_negative(a), minus, fixed);
  Value* r = significand(approx::ex2_table, mask(fixed, fraction_mask));
  Value* exponent = right_signed(fixed, 23);
  Value* result = ir.CreateAdd(left(add(exponent, 126), 23), r);
  result = select(ir.CreateICmpSLT(exponent, word(static_cast<uint32_t>(-126))), word(0), result);
  Value* outside = select(is_negative(a), word(0), word(infinity));
  result = select(inside, result, outside);
  return select(is_nan(a), word(nan_bits), result);
}

Value* Function::tanh(Value* a) const {
  // What a binade's segments are: where they begin, and how many bits of the fraction they leave out.
  Value* exponent = exponent_of(a);
  Value *first = word(0), *drop = word(0);
  for (int i = 0; i < approx::tanh_binade_count; ++i) {
    const approx::Binade& binade = approx::tanh_binades[i];
    Value* here = ir.CreateICmpEQ(exponent, word(static_cast<uint32_t>(approx::tanh_first_exponent + i)));
    first = select(here, word(binade.first << approx::tanh_table.x_bits), first);
    drop = select(here, word(static_cast<uint32_t>(23 - binade.argument_bits)), drop);
  }
  Value* argument = ir.CreateAdd(first, ir.CreateLShr(mask(a, fraction_mask), drop));
  const uint32_t last = approx::tanh_binades[approx::tanh_binade_count - 1].first + 8;
  argument = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, argument,
                                      word((last << approx::tanh_table.x_bits) - 1));
  Value* result = cut_to_float(interpolated(approx::tanh_table, argument), 41);
  Value* large = ir.CreateICmpSGE(
      exponent, word(static_cast<uint32_t>(approx::tanh_first_exponent + approx::tanh_binade_count)));
  result = ir.CreateOr(select(large, word(0x3f800000), result), sign_of(a));
  Value* small = ir.CreateICmpSLT(exponent, word(static_cast<uint32_t>(approx::tanh_first_exponent)));
  return select(is_nan(a), word(nan_bits), select(small, a, result));
}

// Quarter turns modulo 8 in units of 2^-23, cut off; the argument is in radians.
Value* Function::circular(Value* a, bool cosine) const {
  Value* exact = ir.CreateFMul(ir.CreateFPExt(as_f32(a), f64()), real(0x1.45f306p-3));
  Value* turns = portable::narrowed(*this, Direction::zero, exact);
  Value* t = bits(turns);
  Value* size = magnitude(turns);
  Value* finite = ir.CreateFCmpOLT(size, single(0x1p23));
  size = select(finite, size, single(0));  // greater ones are whole
  Value* fraction = ir.CreateFSub(size, ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, size));
  Value* position = ir.CreateFPToSI(ir.CreateFMul(fraction, single(0x1p25)), i32());
  position = select(is_zero(t), word(0), position);
  Value* sign = cosine ? static_cast<Value*>(word(0)) : sign_of(t);
  if (cosine) position = add(position, 1u << 23);
  Value* backwards = right_signed(left(position, 8), 31);
  Value* argument = mask(ir.CreateXor(position, backwards), fraction_mask);
  sign = ir.CreateXor(sign, mask(left(position, 7), sign_bit));
  Value* result = ir.CreateXor(cut_to_float(interpolated(approx::sin_table, argument), 37), sign);
  return select(ir.CreateICmpUGE(size_of(t), word(infinity)), word(nan_bits), result);
}

Value* Function::divided(Value* a, Value* b, bool full, bool ftz) const {
  const auto both = [&](Value* where, double factor) {
    a = scaled(a, where, factor);
    b = scaled(b, where, factor);
  };
  if (ftz) {
    a = flushed(a);
    b = flushed(b);
  }
  Value* size = size_of(b);
  if (full) {
    Value* large = ir.CreateAnd(ir.CreateICmpUGT(size, word(0x7e800000)), ir.CreateNot(is_nan(b)));
    both(large, 0.25);
  }
  if (!ftz) both(ir.CreateICmpULT(size, word(hidden)), 0x1p24);
  if (ftz) a = flushed(a);
  Value* reciprocal = as_f32(rcp(b));
  Value* result = ir.CreateFMul(as_f32(a), reciprocal);
  if (!ftz) return bits(result);
  Value* judged = ir.CreateFMul(ir.CreateFMul(as_f32(a), single(0x1p24)), reciprocal);
  Value* tiny = ir.CreateFCmpOLT(magnitude(judged), single(0x1p-102));
  return select(tiny, sign_of(bits(result)), bits(result));
}

// What the instructions without .ftz do around the functions.
Value* Function::with_subnormals(Approximation function, bool ftz, Value* a) const {
  Value* below = ftz ? nullptr : is_zero(a);
  const auto at = [&](auto f, double before, auto after) {
    if (ftz) return (this->*f)(a);
    Value* result = (this->*f)(scaled(a, below, before));
    return select(below, bits(after(as_f32(result))), result);
  };
  const auto times = [&](double factor) {
    return [this, factor](Value* result) { return ir.CreateFMul(result, single(factor)); };
  };
  switch (function) {
    case Approximation::rsqrt: return at(&Function::rsqrt, 0x1p24, times(0x1p12));
    case Approximation::sqrt: return at(&Function::sqrt, 0x1p24, times(0x1p-12));
    case Approximation::lg2:
      return at(&Function::lg2, 0x1p24, [this](Value* result) { return ir.CreateFAdd(result, single(-24)); });
    case Approximation::rcp: {
      if (ftz) return rcp(a);
      Value* large = ir.CreateICmpUGT(size_of(a), word(0x7e800000));
      Value* factor = select(below, single(0x1p24), select(large, single(0.25), single(1)));
      Value* result = rcp(bits(ir.CreateFMul(as_f32(a), factor)));
      return bits(ir.CreateFMul(as_f32(result), factor));
    }
    case Approximation::ex2: {
      if (ftz) return ex2(a);
      Value* small = ir.CreateFCmpOLT(as_f32(a), single(-126));
      Value* result = ex2(scaled(a, small, 0.5));
      return select(small, bits(ir.CreateFMul(as_f32(result), as_f32(result))), result);
    }
    case Approximation::sin: return circular(a, false);
    case Approximation::cos: return circular(a, true);
    default: return tanh(a);
  }
}

constexpr uint64_t sign_f64 = uint64_t{1} << 63;

// The unit sees the high word only: 20 bits of fraction in, 20 bits out.
Value* Function::rcp_f64(Value* a) const {
  Value* high = narrowed(right(a, 32));
  Value* size = size_of(high);
  Value* r = significand(approx::rcp_table, left(mask(high, 0xfffff), 3));
  Value* exponent = mask(size, 0x7ff00000);
  Value* result = ir.CreateAdd(ir.CreateSub(word(2044u << 20), exponent), right(r, 3));
  result = select(ir.CreateICmpSLT(result, word(0x100000)), word(0), result);
  result = select(ir.CreateICmpULT(size, word(0x100000)), word(0x7ff00000), result);
  result = select(ir.CreateICmpEQ(size, word(0x7ff00000)), word(0), result);
  result = ir.CreateOr(result, sign_of(high));
  result = select(ir.CreateICmpUGT(size, word(0x7ff00000)), word(0x7fffffff), result);
  return left(widened(result), 32);
}

Value* Function::rsqrt_f64(Value* a, bool ftz) const {
  const auto high_part = [&](Value* x) {
    Value* high = narrowed(right(x, 32));
    Value* size = size_of(high);
    Value* exponent = add(right(size, 20), static_cast<uint32_t>(-1023));
    Value* argument = ir.CreateOr(left(mask(exponent, 1), 23), left(mask(high, 0xfffff), 3));
    Value* r = select(ir.CreateICmpEQ(argument, word(0)), word(1u << 24),
                      significand(approx::rsqrt_table, argument));
    Value* result = ir.CreateAdd(left(ir.CreateSub(word(1021), right_signed(exponent, 1)), 20), right(r, 3));
    result = select(ir.CreateICmpEQ(high, word(0x7ff00000)), word(0), result);
    result = select(is_negative(high), word(0x7fffffff), result);
    result =
        select(ir.CreateICmpULT(size, word(0x100000)), ir.CreateOr(sign_of(high), word(0x7ff00000)), result);
    result = select(ir.CreateICmpUGT(size, word(0x7ff00000)), word(0x7fffffff), result);
    return left(widened(result), 32);
  };
  if (ftz) return high_part(a);
  // y, close to 1/sqrt(x), one step closer: y + y e (1/2 + 3/8 e), where e = 1 - x y^2.
  Value* subnormal = ir.CreateICmpULT(mask(a, ~sign_f64), wide(uint64_t{1} << 52));
  Value* x = select(subnormal, ir.CreateFMul(as_f64(a), real(0x1p54)), as_f64(a));
  Value* y = as_f64(high_part(bits(x)));
  Value* e = fma(x, ir.CreateFNeg(ir.CreateFMul(y, y)), real(1));
  Value* refined = fma(fma(e, real(0.375), real(0.5)), ir.CreateFMul(y, e), y);
  refined = select(subnormal, ir.CreateFMul(refined, real(0x1p27)), refined);
  Value* result = bits(refined);
  Value* size = mask(a, ~sign_f64);
  result = select(ir.CreateICmpEQ(a, wide(0x7ff0000000000000)), wide(0), result);
  result = select(ir.CreateICmpSLT(a, wide(0)), wide(0xfff8000000000000), result);
  Value* nan = ir.CreateICmpUGT(size, wide(0x7ff0000000000000));
  result = select(nan, ir.CreateOr(a, wide(uint64_t{1} << 51)), result);
  Value* zero = ir.CreateICmpEQ(size, wide(0));
  return select(zero, ir.CreateOr(a, wide(0x7ff0000000000000)), result);
}

// Between two conversions. The second one cuts off; what is too large is infinite all the same.
Value* Function::half(Value* a, Approximation function) const {
  const bool brain = function == Approximation::ex2_bf16 || function == Approximation::tanh_bf16;
  const bool exponential = function == Approximation::ex2_bf16 || function == Approximation::ex2_f16;
  const auto apply = [&](Value* x) { return exponential ? ex2(x) : tanh(x); };
  if (brain) {
    Value* result = apply(left(ir.CreateZExt(a, i32()), 16));
    return ir.CreateTrunc(right(result, 16), i16());
  }
  Value* result = apply(bits(ir.CreateFPExt(ir.CreateBitCast(a, Lanes::half()), f32())));
  Value* value = as_f32(result);
  Value* near = ir.CreateFPTrunc(value, Lanes::half());
  Value* out = ir.CreateBitCast(near, i16());
  Value* beyond = ir.CreateFCmpOGT(magnitude(ir.CreateFPExt(near, f32())), magnitude(value));
  Value* too_large = ir.CreateFCmpOGE(magnitude(value), single(0x1p16));
  Value* down = ir.CreateAnd(beyond, ir.CreateNot(too_large));
  out = ir.CreateSub(out, ir.CreateZExt(down, i16()));
  return select(is_nan(result), like(out, 0x7fff), out);
}

}  // namespace

Value* approximate(llvm::IRBuilderBase& ir, Approximation function, bool ftz,
                   llvm::ArrayRef<Value*> sources) {
  const Function f(ir, sources[0]->getType());
  llvm::Type* type = sources[0]->getType();
  switch (function) {
    case Approximation::rcp_f64: return f.as_f64(f.rcp_f64(f.bits(sources[0])));
    case Approximation::rsqrt_f64: return f.as_f64(f.rsqrt_f64(f.bits(sources[0]), ftz));
    case Approximation::div:
    case Approximation::div_full:
      return f.as_f32(
          f.divided(f.bits(sources[0]), f.bits(sources[1]), function == Approximation::div_full, ftz));
    case Approximation::ex2_f16:
    case Approximation::ex2_bf16:
    case Approximation::tanh_f16:
    case Approximation::tanh_bf16: {
      if (type->getScalarSizeInBits() == 16) return f.half(sources[0], function);
      Value* low = f.half(ir.CreateTrunc(sources[0], f.i16()), function);
      Value* high = f.half(ir.CreateTrunc(f.right(sources[0], 16), f.i16()), function);
      return ir.CreateOr(ir.CreateZExt(low, type), f.left(ir.CreateZExt(high, type), 16));
    }
    default: return f.as_f32(f.with_subnormals(function, ftz, f.bits(sources[0])));
  }
}

}  // namespace heddle::exec::jit::portable
