// The quadratic interpolator (approx/interpolator.h) on 16 lanes of 32 bits.
//
// Its sum has up to 40 bits. With slope = near slope + common slope, the common one a power of two, and x
// counted from the segment's middle where that is needed, near slope * x + curve * square + bias fits in 32
// bits: `rest`. The value then is
//     t + common * argument,  t = value of the segment + (rest >> value_shift)
// in which all that depends on the segment alone is part of the table, and `common * argument` is a shifted
// copy of the argument itself: the line that the classic bit tricks for logarithms and roots take for the
// whole function. So two words of 32 bits a segment are looked up, (near slope, curve) and value.
//
// The square is a sum of products of bits (i, j) of x, i + j >= 9: a square of the upper 8 bits, and for
// i in 1..7 and j in 0..8 a trapezoid, which is cut into two triangles of 3 x 3 bits and a square of 4 x 4
// bits in two halves; each of the four is a look-up by 6 bits in a table of bytes, added by a dot product.
#include "exec/jit/math/avx512_unit.h"

#include <array>

#include "approx/tables.gen.h"
#include "exec/jit/math/tables.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle::exec::jit::avx512 {

using approx::Interpolator;
using llvm::Constant;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr uint32_t sign_bit = 0x80000000;
constexpr unsigned lanes = 16;

// How an interpolator's sum is made to fit.
struct Scheme {
  const Interpolator& table;
  int common;         // the common slope, as a multiple of 2^value_shift
  int middle;         // what x is counted from
  int offset;         // of t
  unsigned flip = 0;  // bits of a segment's number that the argument has inverted
};
// The offsets: the exponent's bias, or so that values have one sign and 24 bits.
const Scheme ex2_scheme{approx::ex2_table, 4, 0, static_cast<int>(126u << 25)},
    lg2_scheme{approx::lg2_table, 8, 0, 0}, rcp_scheme{approx::rcp_table, -4, 1 << 15, -(56 << 20)},
    sin_scheme{approx::sin_table, 0, 0, 0}, rsqrt_scheme{approx::rsqrt_table, -2, 1 << 16, -(64 << 20), 64},
    sqrt_scheme{approx::sqrt_table, 2, 1 << 16, -(28 << 20), 64};

// VFIXUPIMM: what becomes of a number of each kind.
enum Token : uint32_t {
  keep,
  source,
  quiet,
  no_number,
  minus_infinity,
  plus_infinity,
  infinity,
  minus_zero,
  zero
};
struct Fixup {
  Token nan = quiet, zero_ = keep, one = keep, minus_inf = keep, plus_inf = keep, negative = keep,
        positive = keep;
};

struct Sum {
  Value* t;
  Value* rest;
};

class Unit : public Lanes {
 public:
  explicit Unit(llvm::IRBuilderBase& ir) : Lanes(ir, llvm::FixedVectorType::get(ir.getFloatTy(), lanes)) {}

  Value* rcp(Value* a, bool ftz) const;
  Value* divided(Value* a, Value* b, bool full, bool ftz) const;
  Value* rsqrt(Value* a, bool ftz) const;
  Value* sqrt(Value* a, bool ftz) const;
  Value* ex2(Value* a, bool ftz) const;
  Value* lg2(Value* a, bool ftz) const;
  Value* circular(Value* a, bool cosine) const;
  Value* tanh(Value* a) const;
  Value* half(Value* bits, Approximation function) const;  // 16 bits each

 private:
  llvm::FixedVectorType* bytes_type() const { return llvm::FixedVectorType::get(ir.getInt8Ty(), 64); }
  llvm::FixedVectorType* words_type() const { return llvm::FixedVectorType::get(ir.getInt16Ty(), 32); }
  Value* as(llvm::Type* type, Value* value) const { return ir.CreateBitCast(value, type); }
  Value* call(Intrinsic::ID id, llvm::ArrayRef<Value*> arguments) const {
    return ir.CreateIntrinsic(id, {}, arguments);
  }
  // (a & mask) | (b & ~mask), and other functions of three bits.
  Value* ternary(uint8_t function, Value* a, Value* b, Value* c) const {
    return call(Intrinsic::x86_avx512_pternlog_d_512, {a, b, c, ir.getInt32(function)});
  }
  Value* blended(uint32_t mask, Value* a, Value* b) const { return ternary(0xac, word(mask), b, a); }

  // For each byte of a lane the 8 bits from the given bit of the lane on.
  Value* bytes_at(Value* word, std::array<int, 4> bits) const;
  Constant* bytes(llvm::ArrayRef<uint8_t> values) const {
    return llvm::ConstantDataVector::get(ir.getContext(), values);
  }
  Constant* every(std::array<bool, 4> of_four) const;
  Value* look_up(Value* index, llvm::ArrayRef<uint32_t> words) const;
  Value* truncated_square(Value* argument, int first_bit) const;
  Sum sum(const Scheme& scheme, Value* argument) const;

  // Zero where `where` is false.
  Value* fixed_up(Value* result, Value* source, const Fixup& fixup, Value* where = nullptr) const;
  // Zeros are scaled as well, to no effect.
  Value* subnormal(Value* a) const { return ir.CreateICmpEQ(mask(bits(a), 0x7f800000), word(0)); }
  Value* times(Value* a, double factor) const { return ir.CreateFMul(a, single(factor)); }
  Value* times_where(Value* where, Value* a, double factor) const {
    return ir.CreateSelect(where, times(a, factor), a);
  }
  Value* cut_to_float(Value* integer) const {  // toward zero
    return ir.CreateIntrinsic(Intrinsic::x86_avx512_sitofp_round, {f32(), i32()}, {integer, ir.getInt32(11)});
  }
  Value* to_integer(Value* a) const {
    return call(Intrinsic::x86_avx512_mask_cvttps2dq_512, {a, word(0), ir.getInt16(0xffff), ir.getInt32(4)});
  }
  // high * 2^shift + low, cut to 24 digits, times `scale`.
  Value* joined(Value* high, Value* low, double weight, Value* scale) const {
    Value* sum = call(Intrinsic::x86_avx512_vfmadd_ps_512,
                      {cut_to_float(high), single(weight), ir.CreateSIToFP(low, f32()), ir.getInt32(11)});
    return ir.CreateFMul(sum, scale);
  }
  // Subnormals, where they count as zeros, and what is done where they do not.
  Value* without_subnormals(Value* a) const {
    Value* below = ir.CreateICmpEQ(mask(bits(a), 0x7f800000), word(0));  // in any mode of the host
    return as_f32(ir.CreateSelect(below, mask(bits(a), sign_bit), bits(a)));
  }
};

Constant* Unit::every(std::array<bool, 4> of_four) const {
  llvm::SmallVector<Constant*, 64> flags;
  for (unsigned i = 0; i < 64; ++i) flags.push_back(ir.getInt1(of_four[i % 4]));
  return llvm::ConstantVector::get(flags);
}

Value* Unit::bytes_at(Value* word, std::array<int, 4> from) const {
  llvm::SmallVector<uint8_t, 64> control;
  for (unsigned i = 0; i < 64; ++i)
    control.push_back(static_cast<uint8_t>((from[i % 4] + static_cast<int>(i / 4 % 2 * 32)) & 63));
  return call(Intrinsic::x86_avx512_pmultishift_qb_512, {bytes(control), as(bytes_type(), word)});
}

// One of 64 words by bits 0 to 5 of the index, or of 128 by bits 0 to 6: 32 words lie in two registers, and
// which of these look-ups counts is chosen by the bits above. A look-up of 64 bytes or of 64 halves of words
// takes processors of Intel's three steps where one of 32 words takes one.
Value* Unit::look_up(Value* index, llvm::ArrayRef<uint32_t> words) const {
  const auto part = [&](std::size_t first) {
    const auto table = [&](std::size_t from) {
      return llvm::ConstantDataVector::get(ir.getContext(), words.slice(from, lanes));
    };
    return call(Intrinsic::x86_avx512_vpermi2var_d_512, {table(first), index, table(first + lanes)});
  };
  const auto bit = [&](uint32_t which) { return ir.CreateICmpNE(mask(index, which), word(0)); };
  Value* low = ir.CreateSelect(bit(32), part(32), part(0));
  if (words.size() == 64) return low;
  return ir.CreateSelect(bit(64), ir.CreateSelect(bit(32), part(96), part(64)), low);
}

// Of the 17 bits of the argument from `first_bit` on; from 0 on it has no others.
Value* Unit::truncated_square(Value* argument, int first_bit) const {
  const int at = first_bit;
  // Triangles: rows of 3 bits of the upper part against 3 bits of the lower, what lies on or above the
  // diagonal. Blocks: products of 2 bits and 4 bits.
  std::array<uint8_t, 64> triangle{}, block{};
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned low = i & 7, high = i >> 3;
    triangle[i] =
        static_cast<uint8_t>((high & 1) * (low >> 2) + (high >> 1 & 1) * (low >> 1) + (high >> 2) * low);
    block[i] = static_cast<uint8_t>((i & 15) * (i >> 4));
  }
  Value* lower = bytes_at(argument, {at + 2, at + 6, at + 5, at + 5});
  Value* upper = bytes_at(argument, {at + 11, at + 7, at + 9, at + 11});
  Value* index = as(bytes_type(), blended(0x0f0f0707, as(i32(), lower), as(i32(), upper)));
  const auto table = [&](llvm::ArrayRef<uint8_t> values) {
    return call(Intrinsic::x86_avx512_permvar_qi_512, {bytes(values), index});
  };
  Value* parts = ir.CreateSelect(every({true, true, false, false}), table(triangle), table(block));
  // Where x stands alone, what is above it is zero.
  Value* high = at == 0 ? bytes_at(argument, {9, 20, 20, 20})
                        : mask(right(argument, static_cast<unsigned>(at + 9)), 0xff);
  Value* square = call(Intrinsic::x86_avx512_pmaddw_d_512, {as(words_type(), high), as(words_type(), high)});
  return call(Intrinsic::x86_avx512_vpdpbusd_512, {right(square, 1), as(i32(), parts), word(0x04010101)});
}

Sum Unit::sum(const Scheme& scheme, Value* argument) const {
  const Interpolator& table = scheme.table;
  const int common = scheme.common * (1 << table.value_shift);
  // A bias of 2^n - 1 is one less than a multiple of what is cut off. The one comes of cutting off the
  // negated sum, and costs nothing.
  const bool negated = table.bias == 0x7fff && table.x_bits == 17;
  llvm::SmallVector<uint32_t, 128> slopes, values;
  for (unsigned place = 0; place < segment_count(table); ++place) {
    const unsigned i = place ^ scheme.flip;
    const approx::Segment& s = table.segments[i];
    int slope = s.slope - common, curve = s.curve * (1 << table.square_shift);
    int64_t value = s.value + (int64_t{slope} * scheme.middle >> table.value_shift) -
                    int64_t{scheme.common} * static_cast<int64_t>(i << table.x_bits) + scheme.offset;
    if (negated) {
      slope = -slope;
      curve = -curve;
      value += ((table.bias + 1) >> table.value_shift) - 1;
    }
    slopes.push_back(static_cast<uint32_t>(slope) << 16 | (static_cast<uint32_t>(curve) & 0xffff));
    values.push_back(static_cast<uint32_t>(value));
  }
  Value* index = right(argument, static_cast<unsigned>(table.x_bits));
  Value* line = look_up(index, slopes);
  Value* value = look_up(index, values);
  Constant* bias = word(static_cast<uint32_t>(table.bias));
  Value* rest = nullptr;
  if (table.x_bits == 16) {  // x is a word, less its middle a signed one: one dot product does it all
    Value* square = truncated_square(argument, -table.square_prescale);
    Value* pair = ir.CreateXor(ir.CreateXor(square, left(argument, 16)), word(sign_bit));
    rest = call(Intrinsic::x86_avx512_vpdpwssd_512, {bias, line, pair});
  } else {
    Value* x = mask(argument, (1u << table.x_bits) - 1);
    Value* square = truncated_square(x, 0);
    if (scheme.middle != 0) x = add(x, static_cast<uint32_t>(-scheme.middle));
    // Side by side: as one sum after the other they would take longer.
    Value* curved =
        negated || table.bias == 0
            ? call(Intrinsic::x86_avx512_pmaddw_d_512, {as(words_type(), line), as(words_type(), square)})
            : call(Intrinsic::x86_avx512_vpdpwssd_512, {bias, line, square});
    rest = ir.CreateAdd(ir.CreateMul(right_signed(line, 16), x), curved);
  }
  const auto shift = static_cast<unsigned>(table.value_shift);
  // All slopes of the sine are positive, and so is the sum, of 32 bits.
  Value* high = scheme.common == 0 ? right(rest, shift) : right_signed(rest, shift);
  return {negated ? ir.CreateSub(value, high) : ir.CreateAdd(value, high), rest};
}

Value* Unit::fixed_up(Value* result, Value* from, const Fixup& f, Value* where) const {
  const std::array tokens{f.nan, f.nan, f.zero_, f.one, f.minus_inf, f.plus_inf, f.negative, f.positive};
  uint32_t table = 0;
  for (unsigned i = 0; i < tokens.size(); ++i) table |= uint32_t{tokens[i]} << 4 * i;
  if (where != nullptr)
    return call(Intrinsic::x86_avx512_maskz_fixupimm_ps_512,
                {result, from, word(table), ir.getInt32(0), ir.CreateBitCast(where, ir.getInt16Ty()),
                 ir.getInt32(4)});
  return call(Intrinsic::x86_avx512_mask_fixupimm_ps_512,
              {result, from, word(table), ir.getInt32(0), ir.getInt16(0xffff), ir.getInt32(4)});
}

// The exponents of the argument and the result add up to a constant.
Value* Unit::rcp(Value* a, bool ftz) const {
  constexpr uint32_t two_to_126 = 0x7e800000;
  Value *below = nullptr, *above = nullptr;
  Value* size = mask(bits(a), ~sign_bit);
  Value* number = bits(a);
  if (ftz) {
    a = without_subnormals(a);  // for what is fixed up in the end
  } else {
    below = subnormal(a);
    a = times_where(below, a, 0x1p24);
  }
  above = ir.CreateICmpUGT(size, word(two_to_126));
  if (!ftz) {
    a = times_where(above, a, 0.25);
    number = bits(a);
  }
  const Sum s = sum(rcp_scheme, number);
  Value* result = ir.CreateAdd(right_signed(s.t, 2), ir.CreateSub(word((252u << 23) + (56u << 18)), number));
  if (ftz) result = ir.CreateSelect(above, mask(number, sign_bit), result);
  result = fixed_up(as_f32(result), a, {.zero_ = infinity, .minus_inf = minus_zero, .plus_inf = zero});
  if (ftz) return result;
  return times_where(above, times_where(below, result, 0x1p24), 0.25);
}

Value* Unit::divided(Value* a, Value* b, bool full, bool ftz) const {
  constexpr uint32_t two_to_126 = 0x7e800000;
  const auto flushed = [&](Value* x) { return ftz ? without_subnormals(x) : x; };
  a = flushed(a);
  Value* size = mask(bits(b), ~sign_bit);
  Value* above = ir.CreateICmpUGT(size, word(two_to_126));
  if (full) {
    b = times_where(above, b, 0.25);
    a = flushed(times_where(above, a, 0.25));
    // What is infinite still has a reciprocal of zero.
  }
  if (!ftz) {
    Value* below = subnormal(b);
    b = times_where(below, b, 0x1p24);
    a = times_where(below, a, 0x1p24);
  } else {
    b = without_subnormals(b);
  }
  Value* number = bits(b);
  const Sum s = sum(rcp_scheme, number);
  Value* result = ir.CreateAdd(right_signed(s.t, 2), ir.CreateSub(word((252u << 23) + (56u << 18)), number));
  if (!full) result = ir.CreateSelect(above, mask(number, sign_bit), result);
  Value* reciprocal =
      fixed_up(as_f32(result), b, {.zero_ = infinity, .minus_inf = minus_zero, .plus_inf = zero});
  Value* quotient = ir.CreateFMul(a, reciprocal);
  if (!ftz) return quotient;
  Value* judged = ir.CreateFMul(times(a, 0x1p24), reciprocal);
  Value* tiny = ir.CreateFCmpOLT(magnitude(judged), single(0x1p-102));
  return as_f32(ir.CreateSelect(tiny, mask(bits(quotient), sign_bit), bits(quotient)));
}

// Half the exponent goes the other way; its last digit is the argument's first.
Value* Unit::rsqrt(Value* a, bool ftz) const {
  Value *below = nullptr, *number = bits(a);
  if (ftz) {
    a = without_subnormals(a);  // for what is fixed up in the end
  } else {
    below = subnormal(a);
    a = times_where(below, a, 0x1p24);
    number = bits(a);
  }
  // The segments of an even exponent come first, but the bias is odd.
  const Sum s = sum(rsqrt_scheme, number);
  Value* line = ir.CreateSub(word((377u << 23) + (64u << 19)), number);
  Value* result = right(ir.CreateAdd(line, right_signed(s.t, 1)), 1);
  // 1 is the one argument whose result is not cut off to below 1.
  Value* one = ir.CreateICmpEQ(mask(line, 0xffffff), word(0));
  result = ir.CreateSelect(one, add(result, 1), result);
  result = fixed_up(as_f32(result), a,
                    {.zero_ = infinity, .minus_inf = no_number, .plus_inf = zero, .negative = no_number});
  return ftz ? result : times_where(below, result, 0x1p12);
}

Value* Unit::sqrt(Value* a, bool ftz) const {
  Value *below = nullptr, *number = bits(a);
  if (ftz) {
    a = without_subnormals(a);  // for what is fixed up in the end
  } else {
    below = subnormal(a);
    a = times_where(below, a, 0x1p24);
    number = bits(a);
  }
  const Sum s = sum(sqrt_scheme, number);
  Value* line = add(number, (125u << 23) + (28u << 19));
  Value* result = right(ir.CreateAdd(line, right_signed(s.t, 1)), 1);
  result = fixed_up(as_f32(result), a,
                    {.zero_ = source, .minus_inf = no_number, .plus_inf = source, .negative = no_number});
  return ftz ? result : times_where(below, result, 0x1p-12);
}

// In fixed point with 23 bits of fraction: the integer part is the exponent, and the result's bits are this
// number and what the function differs from its line.
Value* Unit::ex2(Value* a, bool ftz) const {
  Value* small = nullptr;
  if (!ftz) {  // the result is subnormal, its root is not
    small = ir.CreateFCmpOLT(a, single(-126));
    a = times_where(small, a, 0.5);
  }
  Value* least = ir.CreateFCmpULT(single(128), a);
  Value* clamped = ir.CreateSelect(least, single(128), a);
  Value* fixed = to_integer(times(clamped, 0x1p23));
  // A negative number is complemented, not negated, unless it is whole.
  Value* negative = ir.CreateICmpSLT(bits(a), word(0));
  Value* fractional = ir.CreateICmpNE(mask(fixed, 0x7fffff), word(0));
  fixed = ir.CreateSelect(ir.CreateAnd(negative, fractional), add(fixed, 0xffffffff), fixed);
  const Sum s = sum(ex2_scheme, fixed);
  Value* result = ir.CreateAdd(right(s.t, 2), fixed);
  // Zero where the result would be subnormal.
  Value* normal = ir.CreateFCmpUGE(a, single(-126));
  Value* power = fixed_up(as_f32(result), a, {}, normal);
  return ftz ? power : ir.CreateSelect(small, ir.CreateFMul(power, power), power);
}

// The exponent and the interpolated fraction make one number with 36 bits of fraction, which a negative one
// has complemented; it is cut to 24 digits.
Value* Unit::lg2(Value* a, bool ftz) const {
  Value *below = nullptr, *number = bits(a);
  if (ftz) {
    a = without_subnormals(a);  // for what is fixed up in the end
  } else {
    below = subnormal(a);
    a = times_where(below, a, 0x1p24);
    number = bits(a);
  }
  const Sum s = sum(lg2_scheme, number);
  Value* line = add(number, static_cast<uint32_t>(-0x3f800000));
  Value* sign = right_signed(line, 31);
  Value* high = ir.CreateXor(ir.CreateAdd(right_signed(s.t, 2), left(line, 1)), sign);
  Value* low = blended(0xfff, s.rest, left(s.t, 12));
  low = mask(ir.CreateXor(low, sign), 0x3ffc);
  Value* scale = as_f32(ir.CreateOr(mask(sign, sign_bit), bits(single(0x1p-38))));
  Value* result = joined(high, low, 0x1p14, scale);
  result = fixed_up(result, a,
                    {.zero_ = minus_infinity,
                     .one = zero,
                     .minus_inf = no_number,
                     .plus_inf = plus_infinity,
                     .negative = no_number});
  return ftz ? result : ir.CreateSelect(below, ir.CreateFAdd(result, single(-24)), result);
}

Value* Unit::circular(Value* a, bool cosine) const {
  Value* turns = call(Intrinsic::x86_avx512_mul_ps_512, {a, single(0x1.45f306p-3), ir.getInt32(11)});
  // What is left of whole turns: exact.
  Value* fraction = call(Intrinsic::x86_avx512_mask_reduce_ps_512,
                         {turns, ir.getInt32(3), single(0), ir.getInt16(0xffff), ir.getInt32(4)});
  Value* position = to_integer(times(magnitude(fraction), 0x1p25));
  if (cosine) position = add(position, 1u << 23);
  Value* backwards = ir.CreateICmpNE(mask(position, 1u << 23), word(0));
  Value* argument = ir.CreateSelect(backwards, ir.CreateXor(position, word(0x7fffff)), position);
  const Sum s = sum(sin_scheme, argument);
  Value* sign = left(position, 7);
  if (!cosine) sign = ir.CreateXor(sign, bits(a));
  Value* scale = as_f32(ir.CreateOr(mask(sign, sign_bit), bits(single(0x1p-37))));
  Value* result = joined(s.t, mask(s.rest, 0x7ff), 0x1p11, scale);
  return fixed_up(result, a, {.minus_inf = no_number, .plus_inf = no_number});
}

// Segments of other lengths for each exponent, and slopes of up to 20 bits: but those end in zeros, and with
// some of them they fit. The sum has 41 bits of fraction, 10 of which are cut off in any case.
Value* Unit::tanh(Value* a) const {
  const Interpolator& table = approx::tanh_table;
  constexpr int first_exponent = 127 + approx::tanh_first_exponent, cut = 10;
  std::array<uint32_t, 16> firsts{}, drops{};
  for (int i = 0; i < approx::tanh_binade_count; ++i) {
    const approx::Binade& binade = approx::tanh_binades[i];
    const auto place = static_cast<unsigned>(first_exponent + i) % 16;
    firsts[place] = binade.first << table.x_bits;
    drops[place] = static_cast<uint32_t>(23 - binade.argument_bits);
  }
  llvm::SmallVector<uint32_t, 64> slopes(64), values(64);
  for (unsigned i = 0; i < segment_count(table); ++i) {
    const approx::Segment& s = table.segments[i];
    int zeros = 0;
    while (s.slope >> zeros > 0xffff) ++zeros;
    slopes[i] = static_cast<uint32_t>(s.slope >> zeros) << 16 |
                (static_cast<uint32_t>(s.curve / (1 << zeros)) & 0xffff);
    values[i] = static_cast<uint32_t>(cut - 2 - zeros) << 24 | static_cast<uint32_t>(s.value);
  }
  const auto by_exponent = [&](const std::array<uint32_t, 16>& words) {
    Constant* data = llvm::ConstantDataVector::get(ir.getContext(), llvm::ArrayRef<uint32_t>(words));
    return call(Intrinsic::x86_avx512_permvar_si_512, {data, right(bits(a), 23)});
  };
  Value* size = mask(bits(a), ~sign_bit);
  Value* fraction = call(Intrinsic::x86_avx512_psrlv_d_512, {mask(size, 0x7fffff), by_exponent(drops)});
  Value* argument = ir.CreateAdd(fraction, by_exponent(firsts));
  Value* index = right(argument, 17);
  Value *line = look_up(index, slopes), *value = look_up(index, values);
  Value* x = mask(argument, (1u << 17) - 1);
  // Two bits less of x: the product of the others has 31 bits.
  Value* slope = right(line, 16);
  Value* low = call(Intrinsic::x86_avx512_vpdpwssd_512,
                    {ir.CreateMul(slope, mask(x, 3)), line, truncated_square(x, 0)});
  Value* rest = ir.CreateAdd(ir.CreateMul(slope, right(x, 2)), right_signed(low, 2));
  rest = call(Intrinsic::x86_avx512_psrlv_d_512, {rest, right(value, 24)});
  Value* sum = ir.CreateAdd(mask(left(value, 7), 0x7fffffff), rest);
  Value* scale = as_f32(ir.CreateOr(mask(bits(a), sign_bit), bits(single(0x1p-31))));
  Value* result = ir.CreateFMul(cut_to_float(sum), scale);
  Value* one = as_f32(ir.CreateOr(mask(bits(a), sign_bit), bits(single(1))));
  result = ir.CreateSelect(ir.CreateICmpUGE(size, bits(single(8))), one, result);
  // What is small is its own; NaNs are fixed up.
  result = ir.CreateSelect(ir.CreateICmpULT(size, bits(single(0x1p-8))), a, result);
  return fixed_up(result, a, {});
}

// Between two conversions. The second one cuts off; what is too large is infinite all the same.
Value* Unit::half(Value* sixteen, Approximation function) const {
  const bool brain = function == Approximation::ex2_bf16 || function == Approximation::tanh_bf16;
  const bool exponential = function == Approximation::ex2_bf16 || function == Approximation::ex2_f16;
  Value* a = brain ? as_f32(left(ir.CreateZExt(sixteen, i32()), 16))
                   : ir.CreateFPExt(ir.CreateBitCast(sixteen, Lanes::half()), f32());
  Value* result = exponential ? ex2(a, true) : tanh(a);
  Value* bits16 = nullptr;
  if (brain) {
    bits16 = ir.CreateTrunc(right(bits(result), 16), i16());
  } else {
    bits16 = call(Intrinsic::x86_avx512_mask_vcvtps2ph_512,
                  {result, ir.getInt32(3), llvm::Constant::getNullValue(i16()), ir.getInt16(0xffff)});
    if (exponential) bits16 = ir.CreateSelect(ir.CreateFCmpOGE(a, single(16)), like(bits16, 0x7c00), bits16);
  }
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), like(bits16, 0x7fff), bits16);
}

}  // namespace

bool has_unit(Approximation function) {
  return function != Approximation::rcp_f64 && function != Approximation::rsqrt_f64;
}

Value* unit(llvm::IRBuilderBase& ir, Approximation function, bool ftz, llvm::ArrayRef<Value*> sources) {
  const Unit u(ir);
  Value* a = sources[0];
  switch (function) {
    case Approximation::rcp: return u.rcp(a, ftz);
    case Approximation::rsqrt: return u.rsqrt(a, ftz);
    case Approximation::sqrt: return u.sqrt(a, ftz);
    case Approximation::sin: return u.circular(a, false);
    case Approximation::cos: return u.circular(a, true);
    case Approximation::lg2: return u.lg2(a, ftz);
    case Approximation::ex2: return u.ex2(a, ftz);
    case Approximation::tanh: return u.tanh(a);
    case Approximation::div: return u.divided(a, sources[1], false, ftz);
    case Approximation::div_full: return u.divided(a, sources[1], true, ftz);
    default: break;
  }
  if (a->getType()->getScalarSizeInBits() == 16) return u.half(a, function);
  Value* low = u.half(ir.CreateTrunc(a, u.i16()), function);
  Value* high = u.half(ir.CreateTrunc(u.right(a, 16), u.i16()), function);
  return ir.CreateOr(ir.CreateZExt(low, u.i32()), u.left(ir.CreateZExt(high, u.i32()), 16));
}

}  // namespace heddle::exec::jit::avx512
