// Conversions among floating-point numbers (PTX ISA 9.7.9.21). Those from and to integers are in
// convert_integer.cpp.
//
// A narrower result is the nearest one of LLVM's, moved to its neighbour where the rounding asks for that:
// comparing it with the source is exact.
#include <optional>

#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/transform/nan.h"

namespace heddle::exec::jit {

using isa::Slot;
using isa::Type;
using isa::Word;
using llvm::Value;

namespace {

Value* bits_of_float(llvm::IRBuilder<>& ir, Value* value) { return bits_with_any_nan(ir, value); }

// `bits` of a number with sign and magnitude, `nearest` the same as a number of `exact`'s type.
Value* directed(llvm::IRBuilder<>& ir, Word rounding, Value* bits, Value* nearest, Value* exact) {
  Value *less = ir.CreateSub(bits, llvm::ConstantInt::get(bits->getType(), 1)),
        *more = ir.CreateAdd(bits, llvm::ConstantInt::get(bits->getType(), 1));
  Value* negative = ir.CreateICmpSLT(bits_of_float(ir, nearest),
                                     llvm::ConstantInt::get(bits_of_float(ir, nearest)->getType(), 0));
  switch (rounding) {
    case Word::rz: {
      Value* beyond = ir.CreateFCmpOGT(magnitude(ir, nearest), magnitude(ir, exact));
      return ir.CreateSelect(beyond, less, bits);
    }
    case Word::rm:
      return ir.CreateSelect(ir.CreateFCmpOGT(nearest, exact), ir.CreateSelect(negative, more, less), bits);
    case Word::rp:
      return ir.CreateSelect(ir.CreateFCmpOLT(nearest, exact), ir.CreateSelect(negative, less, more), bits);
    default: return bits;
  }
}

// Whether .ftz takes the f32 that a double is rounded to for subnormal: what it would be with no least
// exponent.
Value* is_tiny_f32(llvm::IRBuilder<>& ir, Word rounding, Value* exact) {
  Value* size = magnitude(ir, exact);
  constexpr double below = 0x1p-126 - 0x1p-150;  // with 24 digits, the one before the least normal number
  Value* plain = ir.CreateFCmpOLT(size, number(size, rounding == Word::rn ? tiny_f32 : 0x1p-126));
  if (rounding != Word::rm && rounding != Word::rp) return plain;
  Value* away = rounding == Word::rp ? ir.CreateFCmpOGT(exact, number(exact, 0))
                                     : ir.CreateFCmpOLT(exact, number(exact, 0));
  return ir.CreateSelect(away, ir.CreateFCmpOLE(size, number(size, below)), plain);
}

// The upper 16 bits of a float that is exact or rounded to odd.
Value* to_bf16(llvm::IRBuilder<>& ir, Word rounding, Value* value) {
  Value* bits = bits_of_float(ir, value);
  Value* kept = ir.CreateLShr(bits, 16);
  Value* inexact = ir.CreateICmpNE(ir.CreateAnd(bits, 0xffff), ir.getInt32(0));
  Value* negative = ir.CreateICmpSLT(bits, ir.getInt32(0));
  switch (rounding) {
    case Word::rz: return kept;
    case Word::rm: return ir.CreateAdd(kept, ir.CreateZExt(ir.CreateAnd(inexact, negative), ir.getInt32Ty()));
    case Word::rp:
      return ir.CreateAdd(kept,
                          ir.CreateZExt(ir.CreateAnd(inexact, ir.CreateNot(negative)), ir.getInt32Ty()));
    default:
      return ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(bits, ir.getInt32(0x7fff)), ir.CreateAnd(kept, 1)), 16);
  }
}

Value* to_f16(llvm::IRBuilder<>& ir, Word rounding, Value* value) {
  Value* half = ir.CreateFPTrunc(value, ir.getHalfTy());
  Value* bits = ir.CreateZExt(ir.CreateBitCast(half, ir.getInt16Ty()), ir.getInt32Ty());
  return directed(ir, rounding, bits, ir.CreateFPExt(half, ir.getFloatTy()), value);
}

// An i32 of 16 bits, of no NaN. The float is exact or rounded to odd.
Value* to_half(llvm::IRBuilder<>& ir, Word rounding, Value* value, bool brain, bool finite) {
  Value* bits = brain ? to_bf16(ir, rounding, value) : to_f16(ir, rounding, value);
  if (!finite) return bits;
  const uint64_t infinity = brain ? 0x7f80 : 0x7c00;
  Value* infinite = ir.CreateICmpEQ(ir.CreateAnd(bits, 0x7fff), ir.getInt32(infinity));
  return ir.CreateSelect(infinite, ir.CreateSub(bits, ir.getInt32(1)), bits);
}

// -0 too; NaNs stay.
Value* without_negatives(llvm::IRBuilder<>& ir, Value* value) {
  llvm::Constant* zero = number(value, 0);
  return ir.CreateSelect(ir.CreateFCmpUGT(value, zero), value, zero);
}

Value* integral(llvm::IRBuilder<>& ir, Word rounding, Value* value) {
  const auto how = rounding == Word::rzi   ? llvm::Intrinsic::trunc
                   : rounding == Word::rmi ? llvm::Intrinsic::floor
                   : rounding == Word::rpi ? llvm::Intrinsic::ceil
                                           : llvm::Intrinsic::roundeven;
  return ir.CreateUnaryIntrinsic(how, value);
}

// A double's NaN cut to the digits of f16 or bf16, and quiet.
Value* cut_nan(llvm::IRBuilder<>& ir, Value* nan, bool brain) {
  Value* bits = ir.CreateBitCast(nan, ir.getInt64Ty());
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, 48), 0x8000);
  Value* payload = ir.CreateAnd(ir.CreateLShr(bits, brain ? 45 : 42), brain ? 0x7f : 0x3ff);
  Value* rest = ir.CreateOr(sign, ir.getInt64(brain ? 0x7fc0 : 0x7e00));
  return ir.CreateTrunc(ir.CreateOr(payload, rest), ir.getInt32Ty());
}

struct Conversion {
  Type from, to;
  Word rounding;
  bool flush, saturate, relu, finite;
};

Value* to_f32(Lowering& l, const Conversion& c, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  if (value->getType()->isFloatTy()) {
    // A bf16 has subnormals that an f32 has too.
    Value* result = c.flush ? flushed_f32(ir, value) : value;
    mark_arithmetic(result);
    return result;
  }
  Value* nearest = ir.CreateFPTrunc(value, ir.getFloatTy());
  Value* result = nearest;
  if (c.rounding != Word::rn && c.rounding != Word::none) {
    Value* bits = bits_of_float(ir, nearest);
    Value* exact = ir.CreateFPExt(nearest, ir.getDoubleTy());
    mark_number(exact);
    result = ir.CreateBitCast(directed(ir, c.rounding, bits, exact, value), ir.getFloatTy());
  }
  if (!c.flush) return result;
  return ir.CreateSelect(is_tiny_f32(ir, c.rounding, value), signed_zero(ir, result), result);
}

Value* to_half(Lowering& l, const Conversion& c, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool brain = c.to == Type::bf16;
  Value* narrow = value->getType()->isDoubleTy() ? narrowed_to_odd(ir, value) : value;
  Value* bits = to_half(ir, c.rounding, narrow, brain, c.finite);
  if (!c.saturate) {
    Value* nan = value->getType()->isDoubleTy() ? cut_nan(ir, value, brain) : ir.getInt32(0x7fff);
    bits = ir.CreateSelect(ir.CreateFCmpUNO(value, value), nan, bits);
  }
  return ir.CreateTrunc(bits, ir.getInt16Ty());
}

Value* source(Lowering& l, const Conversion& c) {
  llvm::IRBuilder<>& ir = l.ir();
  switch (c.from) {
    case Type::f16:
      if (c.to != Type::f64) return from_half(ir, l.get_bits(1), false);
      // In one step, so that a NaN keeps its digits.
      return ir.CreateFPExt(ir.CreateBitCast(l.get_bits(1), ir.getHalfTy()), ir.getDoubleTy());
    case Type::bf16: return from_half(ir, l.get_bits(1), true);
    case Type::f32: {
      Value* a = l.get(1);
      // Devices keep the subnormals of an f32 that becomes an f16, whatever .ftz says.
      const bool flush = c.flush && (c.to != Type::f16 || l.meaning().flushes_f32);
      if (flush) {
        a = flushed_f32(ir, a);
        mark_arithmetic(a);
      }
      return a;
    }
    default: return l.get(1);
  }
}

}  // namespace

Value* narrowed_to_odd(llvm::IRBuilder<>& ir, Value* value) {
  Value* nearest = ir.CreateFPTrunc(value, ir.getFloatTy());
  Value* bits = bits_of_float(ir, nearest);
  Value* exact = ir.CreateFPExt(nearest, ir.getDoubleTy());
  mark_number(exact);
  Value* beyond = ir.CreateFCmpOGT(magnitude(ir, exact), magnitude(ir, value));
  Value* moved =
      ir.CreateSelect(beyond, ir.CreateSub(bits, ir.getInt32(1)), ir.CreateAdd(bits, ir.getInt32(1)));
  Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, 1), ir.getInt32(0));
  Value* inexact = ir.CreateFCmpONE(exact, value);
  return ir.CreateBitCast(ir.CreateSelect(ir.CreateAnd(even, inexact), moved, bits), ir.getFloatTy());
}

void lower_cvt_float(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const Conversion c{l.type(Slot::atype), l.type(Slot::dtype), l.word(Slot::rnd),     flushes(l),
                     l.has(Slot::sat),    l.has(Slot::relu),   l.has(Slot::satfinite)};
  if (is_demoted(l, c.from) || is_demoted(l, c.to)) return l.step();
  const bool to_integral = l.has(Slot::irnd);
  const bool wide = c.from == Type::f64 || c.to == Type::f64;
  // Without anything to do it is a move, which leaves a NaN's bits as they are: f32 and f64 to themselves,
  // and bf16 to f32, whose upper half it is.
  if (!to_integral && !c.saturate && !c.flush) {
    if (c.from == c.to && (c.to == Type::f32 || c.to == Type::f64)) return l.set(0, l.get(1));
    if (c.from == Type::bf16 && c.to == Type::f32) return l.set(0, from_half(ir, l.get_bits(1), true));
  }
  Value* a = source(l, c);
  if (to_integral) a = integral(ir, l.word(Slot::irnd), a);
  if (wide && !a->getType()->isDoubleTy()) a = ir.CreateFPExt(a, ir.getDoubleTy());
  if (c.saturate) a = saturated(ir, a);
  if (c.relu) a = without_negatives(ir, a);
  switch (c.to) {
    case Type::f16:
    case Type::bf16: return l.set(0, to_half(l, c, a));
    case Type::f32: return l.set(0, to_f32(l, c, a));
    default:
      return l.set(0, c.from == Type::f64 && !c.saturate ? l.op(Op::first_nan, a->getType(), {a, a}) : a);
  }
}

// The result has f32's exponent and the 10 upper digits of its fraction, the rest is zero. .rna is made of
// integer instructions: a NaN is cut like a number, and .satfinite takes what is not finite one step down.
void lower_cvt_tf32(Lowering& l) {
  constexpr uint32_t unit = 1u << 13, infinity = 0x7f80'0000;
  llvm::IRBuilder<>& ir = l.ir();
  const Word rounding = l.word(Slot::rnd);
  const bool finite = l.has(Slot::satfinite);
  const auto one_less = [&](Value* bits) {
    Value* special = ir.CreateICmpEQ(ir.CreateAnd(bits, infinity), ir.getInt32(infinity));
    return ir.CreateSelect(special, ir.CreateSub(bits, ir.getInt32(unit)), bits);
  };
  Value* bits = l.get_bits(1);
  const auto cut = [&](Value* sum) { return ir.CreateAnd(sum, ~uint64_t{unit - 1} & 0xffff'ffff); };
  if (rounding == Word::rna) {
    Value* special = ir.CreateICmpEQ(ir.CreateAnd(bits, infinity), ir.getInt32(infinity));
    Value* result = cut(ir.CreateSelect(special, bits, ir.CreateAdd(bits, ir.getInt32(unit / 2))));
    return l.set(0, finite ? one_less(result) : result);
  }
  Value* result = bits;
  if (rounding != Word::rz) {
    Value* odd = ir.CreateAnd(ir.CreateLShr(bits, 13), 1);
    result = ir.CreateAdd(ir.CreateAdd(bits, ir.getInt32(unit / 2 - 1)), odd);
  }
  result = cut(result);
  if (finite) result = one_less(result);
  if (l.has(Slot::relu))
    result = ir.CreateSelect(ir.CreateICmpSLT(bits, ir.getInt32(0)), ir.getInt32(0), result);
  Value* nan = ir.CreateICmpUGT(ir.CreateAnd(bits, 0x7fff'ffff), ir.getInt32(infinity));
  l.set(0, ir.CreateSelect(nan, ir.getInt32(0x7fff'e000), result));
}

// ---- pairs and narrow formats

namespace {

// A format of 8 or fewer bits.
struct Narrow {
  unsigned exponent_bits, fraction_bits;
  int bias;
  unsigned stride;  // of the elements of a pair
  uint64_t nan;     // the canonical one; where there is none, the largest number
  uint64_t largest;
};
std::optional<Narrow> narrow_format(Type type) {
  switch (type) {
    case Type::e4m3x2: return Narrow{4, 3, 7, 8, 0x7f, 0x7e};
    case Type::e5m2x2: return Narrow{5, 2, 15, 8, 0x7f, 0x7b};
    case Type::e2m3x2: return Narrow{2, 3, 1, 8, 0x1f, 0x1f};
    case Type::e3m2x2: return Narrow{3, 2, 3, 8, 0x1f, 0x1f};
    case Type::e2m1x2: return Narrow{2, 1, 1, 4, 0x7, 0x7};
    default: return std::nullopt;
  }
}

double power_of_two(int exponent) {
  double value = 1;
  for (; exponent > 0; --exponent) value *= 2;
  for (; exponent < 0; ++exponent) value /= 2;
  return value;
}

// To nearest even; what is too large becomes the largest number.
Value* to_narrow(Lowering& l, const Narrow& f, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* bits = bits_of_float(ir, value);
  Value* size = ir.CreateAnd(bits, 0x7fff'ffff);
  const unsigned dropped = 23 - f.fraction_bits;
  Value* odd = ir.CreateAnd(ir.CreateLShr(size, dropped), 1);
  Value* sum = ir.CreateAdd(ir.CreateAdd(size, ir.getInt32((1u << (dropped - 1)) - 1)), odd);
  Value* normal = ir.CreateSub(ir.CreateLShr(sum, dropped), ir.getInt32((127 - f.bias) << f.fraction_bits));
  // A number whose last digit is the subnormals' one makes the addition round to that digit.
  const double magic = power_of_two(1 - f.bias - static_cast<int>(f.fraction_bits) + 23);
  Value* wide = ir.CreateFAdd(ir.CreateBitCast(size, ir.getFloatTy()), number(value, magic));
  Value* magic_bits = ir.CreateBitCast(number(value, magic), ir.getInt32Ty());
  Value* subnormal = ir.CreateSub(bits_of_float(ir, wide), magic_bits);
  Value* is_normal =
      ir.CreateICmpUGE(size, ir.CreateBitCast(number(value, power_of_two(1 - f.bias)), ir.getInt32Ty()));
  Value* result = ir.CreateSelect(is_normal, normal, subnormal);
  result = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, ir.getInt32(f.largest));
  Value* negative = ir.CreateICmpSLT(bits, ir.getInt32(0));
  const uint64_t sign = uint64_t{1} << (f.exponent_bits + f.fraction_bits);
  if (l.has(Slot::relu))
    result = ir.CreateSelect(negative, ir.getInt32(0), result);
  else
    result = ir.CreateSelect(negative, ir.CreateOr(result, ir.getInt32(sign)), result);
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ir.getInt32(f.nan), result);
}

// The magnitude's exponent. 2^-127 is the least number, and there is no zero.
Value* to_ue8m0(Lowering& l, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* size = ir.CreateAnd(bits_of_float(ir, value), 0x7fff'ffff);
  Value* field = ir.CreateLShr(size, 23);
  if (l.word(Slot::rnd) == Word::rp) {
    Value* fraction = ir.CreateAnd(size, 0x7f'ffff);
    Value* whole =
        ir.CreateSelect(ir.CreateICmpEQ(field, ir.getInt32(0)), ir.getInt32(0x40'0000), ir.getInt32(0));
    field = ir.CreateAdd(field, ir.CreateZExt(ir.CreateICmpUGT(fraction, whole), ir.getInt32Ty()));
  }
  field = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, field,
                                   ir.getInt32(l.has(Slot::satfinite) ? 0xfe : 0xff));
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ir.getInt32(0xff), field);
}

// d = two elements, the first one above.
void set_narrow_pair(Lowering& l, Value* first, Value* second) {
  llvm::IRBuilder<>& ir = l.ir();
  const std::optional<Narrow> format = narrow_format(l.type(Slot::dtype));
  const auto one = [&](Value* value) { return format ? to_narrow(l, *format, value) : to_ue8m0(l, value); };
  Value* high = ir.CreateShl(one(first), format ? format->stride : 8);
  l.set(0, ir.CreateTrunc(ir.CreateOr(high, one(second)), ir.getInt16Ty()));
}

}  // namespace

// a is converted into the upper half, b into the lower one.
void lower_cvt_pair(Lowering& l) {
  if (l.word(Slot::rnd) == Word::rs) return l.step();
  llvm::IRBuilder<>& ir = l.ir();
  const auto one = [&](Value* value) {
    if (l.has(Slot::relu)) value = without_negatives(ir, value);
    Value* bits =
        to_half(ir, l.word(Slot::rnd), value, is_brain(l.type(Slot::dtype)), l.has(Slot::satfinite));
    return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ir.getInt32(0x7fff), bits);
  };
  l.set(0, ir.CreateOr(ir.CreateShl(one(l.get(1)), 16), one(l.get(2))));
}

void lower_cvt_narrow_pair(Lowering& l) { set_narrow_pair(l, l.get(1), l.get(2)); }

void lower_cvt_narrow_packed(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool brain = is_brain(l.type(Slot::atype));
  Value* a = l.get_bits(1);
  set_narrow_pair(l, from_half(ir, ir.CreateLShr(a, 16), brain), from_half(ir, a, brain));
}

void lower_cvt_widen_packed(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const std::optional<Narrow> format = narrow_format(l.type(Slot::atype));
  Value* a = ir.CreateZExt(l.get_bits(1), ir.getInt32Ty());
  // As the upper digits of an f16 of another bias, which a multiplication sets right: exact.
  const auto one = [&](Value* bits) -> Value* {
    const unsigned width = format->exponent_bits + format->fraction_bits;
    Value* size = ir.CreateAnd(bits, (uint64_t{1} << width) - 1);
    Value* value = from_half(ir, ir.CreateShl(size, 10 - format->fraction_bits), false);
    value = ir.CreateFMul(value, number(value, power_of_two(15 - format->bias)));
    if (format->exponent_bits == 5) value = from_half(ir, ir.CreateShl(size, 8), false);
    Value* half = ir.CreateBitCast(ir.CreateFPTrunc(value, ir.getHalfTy()), ir.getInt16Ty());
    Value* magnitude = ir.CreateZExt(half, ir.getInt32Ty());
    Value* sign = ir.CreateAnd(ir.CreateShl(bits, 15 - width), 0x8000);
    Value* result = ir.CreateOr(magnitude, sign);
    if (l.has(Slot::relu))
      result = ir.CreateSelect(ir.CreateICmpNE(sign, ir.getInt32(0)), ir.getInt32(0), result);
    if (format->exponent_bits >= 4) {
      Value* nan = format->exponent_bits == 5 ? ir.CreateICmpUGT(size, ir.getInt32(0x7c))
                                              : ir.CreateICmpEQ(size, ir.getInt32(0x7f));
      result = ir.CreateSelect(nan, ir.getInt32(0x7fff), result);
    }
    return result;
  };
  const auto power = [&](Value* bits) -> Value* {  // of ue8m0; the least is a subnormal bf16
    bits = ir.CreateAnd(bits, 0xff);
    Value* result =
        ir.CreateSelect(ir.CreateICmpEQ(bits, ir.getInt32(0)), ir.getInt32(0x40), ir.CreateShl(bits, 7));
    return ir.CreateSelect(ir.CreateICmpEQ(bits, ir.getInt32(0xff)), ir.getInt32(0x7fff), result);
  };
  const auto element = [&](Value* bits) { return format ? one(bits) : power(bits); };
  Value* high = element(ir.CreateLShr(a, format ? format->stride : 8));
  l.set(0, ir.CreateOr(ir.CreateShl(high, 16), element(a)));
}

}  // namespace heddle::exec::jit
