// Conversions from and to integers (PTX ISA 9.7.9.21).
#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;
using llvm::ConstantFP;
using llvm::Value;

uint64_t highest(IntegerType type) {
  return type.is_signed ? (uint64_t{1} << (type.bits - 1)) - 1 : ~uint64_t{0} >> (64 - type.bits);
}

// ---- from floating-point numbers

// The source as float or double, which hold it exactly.
Value* source(Lowering& l, Type type) {
  if (type == Type::f16 || type == Type::bf16) return from_half(l.ir(), l.get_bits(1), is_brain(type));
  return l.get(1);
}

// To an integral number, but for .rzi, which the conversion does.
Value* rounded(llvm::IRBuilder<>& ir, Value* value, Word rounding) {
  switch (rounding) {
    case Word::rni: return ir.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
    case Word::rmi: return ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
    case Word::rpi: return ir.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
    default: return value;
  }
}

// Cut to the type's range, then converted. `nan`: the integer that a NaN becomes. The bounds are powers of
// two, so exact; where the highest integer has too many digits for the floating-point type, what is above it
// is replaced after the conversion.
Value* to_integer(llvm::IRBuilder<>& ir, Value* value, IntegerType type, uint64_t nan) {
  llvm::Type* from = value->getType();
  const unsigned digits = from->isDoubleTy() ? 53 : 24, magnitude_bits = type.bits - (type.is_signed ? 1 : 0);
  const double end = static_cast<double>(uint64_t{1} << (magnitude_bits - 1)) * 2;
  Value* least = ConstantFP::get(from, type.is_signed ? -end : 0);
  Value* inside = ir.CreateSelect(ir.CreateFCmpOGT(value, least), value, least);  // a NaN becomes `least`
  const bool exact_end = magnitude_bits <= digits;
  if (exact_end) {
    Value* last = ConstantFP::get(from, end - 1);
    inside = ir.CreateSelect(ir.CreateFCmpOLT(inside, last), inside, last);
  }
  llvm::Type* to = ir.getIntNTy(type.bits);
  llvm::Type* through = ir.getIntNTy(std::max(type.bits, 32u));
  Value* out =
      type.is_signed || type.bits < 32 ? ir.CreateFPToSI(inside, through) : ir.CreateFPToUI(inside, through);
  out = ir.CreateTrunc(out, to);
  if (!exact_end) {
    Value* above = ir.CreateFCmpOGE(value, ConstantFP::get(from, end));
    out = ir.CreateSelect(above, like(out, highest(type)), out);
  }
  const uint64_t nan_so_far = type.is_signed ? uint64_t{1} << (type.bits - 1) : 0;
  if (nan == nan_so_far) return out;
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), like(out, nan), out);
}

// ---- to floating-point numbers

// How a result is rounded. `away`: the magnitude goes up, where it is not exact; nullptr for .rn.
struct MagnitudeRounding {
  Value* away = nullptr;
  Value* choose(llvm::IRBuilder<>& ir, uint64_t if_away, uint64_t if_not) const {
    return ir.CreateSelect(away, ir.getInt32(static_cast<uint32_t>(if_away)),
                           ir.getInt32(static_cast<uint32_t>(if_not)));
  }
};
MagnitudeRounding magnitude_rounding(llvm::IRBuilder<>& ir, Word rounding, Value* negative) {
  switch (rounding) {
    case Word::rz: return {ir.getFalse()};
    case Word::rm: return {negative};
    case Word::rp: return {ir.CreateNot(negative)};
    default: return {};
  }
}

// The bits of a magnitude in float or double, digits that do not fit left out.
struct Cut {
  Value *bits, *inexact;
};
Cut cut(llvm::IRBuilder<>& ir, Value* magnitude, llvm::Type* to) {
  const unsigned bits = magnitude->getType()->getIntegerBitWidth(), digits = to->isDoubleTy() ? 53 : 24;
  Value* kept = magnitude;
  if (bits > digits) {
    Value* zeros = ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, magnitude, ir.getFalse());
    Value* surplus = ir.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, like(zeros, bits - digits), zeros);
    kept =
        ir.CreateAnd(magnitude, ir.CreateShl(llvm::ConstantInt::getAllOnesValue(kept->getType()), surplus));
  }
  Value* number = ir.CreateUIToFP(kept, to);
  return {ir.CreateBitCast(number, ir.getIntNTy(to->getPrimitiveSizeInBits())),
          ir.CreateICmpNE(kept, magnitude)};
}

// The next number's bits follow a number's, from one exponent to the next as well.
Value* to_float(llvm::IRBuilder<>& ir, Value* magnitude, Value* negative, const MagnitudeRounding& rounding,
                llvm::Type* to) {
  const Cut c = cut(ir, magnitude, to);
  Value* up = ir.CreateAnd(c.inexact, rounding.away);
  Value* bits = ir.CreateAdd(c.bits, ir.CreateZExt(up, c.bits->getType()));
  Value* sign =
      ir.CreateSelect(negative, like(bits, uint64_t{1} << (to->isDoubleTy() ? 63 : 31)), like(bits, 0));
  return ir.CreateBitCast(ir.CreateOr(bits, sign), to);
}

// An f32's bits without the lowest `dropped` ones, rounded.
Value* narrowed(llvm::IRBuilder<>& ir, Value* bits, unsigned dropped, const MagnitudeRounding& rounding) {
  const uint64_t rest = (uint64_t{1} << dropped) - 1;
  Value* add = nullptr;
  if (rounding.away != nullptr)
    add = rounding.choose(ir, rest, 0);
  else
    add = ir.CreateAdd(ir.CreateAnd(ir.CreateLShr(bits, dropped), 1), like(bits, rest >> 1));
  return ir.CreateLShr(ir.CreateAdd(bits, add), dropped);
}

// Of a magnitude: all digits, or those that an f32 holds with a last one that says whether any were left out
// (rounded to odd): bf16 has fewer, so that this decides its rounding as well.
Value* to_bf16(llvm::IRBuilder<>& ir, Value* magnitude, const MagnitudeRounding& rounding) {
  const Cut c = cut(ir, magnitude, ir.getFloatTy());
  return narrowed(ir, ir.CreateOr(c.bits, ir.CreateZExt(c.inexact, c.bits->getType())), 16, rounding);
}

// 2^17 is past the end of f16 as all greater numbers are, and up to there an f32 is exact.
Value* to_f16(llvm::IRBuilder<>& ir, Value* magnitude, const MagnitudeRounding& rounding) {
  if (magnitude->getType()->getIntegerBitWidth() > 16)
    magnitude = least(ir, false, magnitude, like(magnitude, 1 << 17));
  Value* bits = ir.CreateBitCast(ir.CreateUIToFP(magnitude, ir.getFloatTy()), ir.getInt32Ty());
  constexpr uint64_t bias = 127 - 15;
  Value* out = ir.CreateSub(narrowed(ir, bits, 13, rounding), ir.getInt32(bias << 10));
  Value* end = rounding.away != nullptr ? rounding.choose(ir, 0x7c00, 0x7bff) : ir.getInt32(0x7c00);
  return ir.CreateSelect(ir.CreateICmpEQ(bits, ir.getInt32(0)), ir.getInt32(0), least(ir, false, out, end));
}

}  // namespace

void lower_cvt_int(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const IntegerType from = integer_type(l.type(Slot::atype)), to = integer_type(l.type(Slot::dtype));
  Value* a = l.get_bits(1);
  if (l.has(Slot::sat)) {
    if (from.is_signed && !to.is_signed) a = greatest(ir, true, a, like(a, 0));
    if (highest(to) < highest(from)) a = least(ir, from.is_signed, a, like(a, highest(to)));
    if (from.is_signed && to.is_signed && to.bits < from.bits)
      a = greatest(ir, true, a, like(a, ~highest(to)));
  }
  l.set(0, extended(ir, a, to.bits, from.is_signed));
}

// Both clamped to the type, a above b; below 16 bits the lower digits of c go above them.
void lower_cvt_pack(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const IntegerType to = integer_type(l.type(Slot::dtype));
  const uint64_t most = highest(to), digits = highest({to.bits, false});
  auto clamped = [&](int i) {
    Value* a = l.get(i);
    a = greatest(ir, true, a, like(a, to.is_signed ? ~most : 0));
    return ir.CreateAnd(least(ir, true, a, like(a, most)), digits);
  };
  Value* out = ir.CreateOr(ir.CreateShl(clamped(1), uint64_t{to.bits}), clamped(2));
  if (l.has(Slot::ctype)) out = ir.CreateOr(out, ir.CreateShl(l.get_bits(3), uint64_t{2} * to.bits));
  l.set(0, out);
}

// Clamps with and without .sat. A NaN becomes 0, but for f64 sources and 64-bit results the highest bit
// alone.
void lower_cvt_float_to_int(Lowering& l) {
  const Type from = l.type(Slot::atype);
  if (is_demoted(l, from)) return l.step();
  const IntegerType to = integer_type(l.type(Slot::dtype));
  const Word rounding = l.word(Slot::irnd);
  const bool flush = from == Type::f32 && flushes(l);
  Value* value = source(l, from);
  // Rounding down or up brings even the least subnormal to 1 or -1, unless .ftz took it away.
  if (flush && (rounding == Word::rmi || rounding == Word::rpi)) value = flushed_f32(l.ir(), value);
  const bool high_nan = from == Type::f64 || to.bits == 64;
  l.set(0, to_integer(l.ir(), rounded(l.ir(), value, rounding), to,
                      high_nan ? uint64_t{1} << (to.bits - 1) : 0));
}

void lower_cvt_int_to_float(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const IntegerType from = integer_type(l.type(Slot::atype));
  const Type to = l.type(Slot::dtype);
  if (is_demoted(l, to)) return l.step();
  Value* a = l.get_bits(1);
  llvm::Type* type = l.value_type(to);
  const bool half = to == Type::f16 || to == Type::bf16;
  if (l.has(Slot::sat)) {
    Value* positive = from.is_signed ? ir.CreateICmpSGT(a, like(a, 0)) : ir.CreateICmpNE(a, like(a, 0));
    llvm::Constant* one =
        half ? llvm::ConstantInt::get(type, to == Type::f16 ? 0x3c00 : 0x3f80) : ConstantFP::get(type, 1);
    return l.set(0, ir.CreateSelect(positive, one, llvm::Constant::getNullValue(type)));
  }
  Value* negative = from.is_signed ? ir.CreateICmpSLT(a, like(a, 0)) : ir.getFalse();
  const MagnitudeRounding how = magnitude_rounding(ir, l.word(Slot::rnd), negative);
  const unsigned digits = to == Type::f64 ? 53 : 24;
  if (!half && (how.away == nullptr || from.bits - (from.is_signed ? 1 : 0) <= digits))
    return l.set(0, from.is_signed ? ir.CreateSIToFP(a, type) : ir.CreateUIToFP(a, type));
  Value* magnitude = from.is_signed ? ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, ir.getFalse()) : a;
  if (!half) return l.set(0, to_float(ir, magnitude, negative, how, type));
  Value* bits = to == Type::f16 ? to_f16(ir, magnitude, how) : to_bf16(ir, magnitude, how);
  bits = ir.CreateOr(bits, ir.CreateSelect(negative, ir.getInt32(0x8000), ir.getInt32(0)));
  l.set(0, ir.CreateTrunc(bits, type));
}

}  // namespace heddle::exec::jit
