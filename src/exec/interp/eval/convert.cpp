// Conversions among integers and floating-point numbers (PTX ISA 9.7.9.21). Those to and from packed formats
// are in eval_convert_packed.cpp.
#include "exec/interp/eval/floating.h"
#include "exec/interp/number/half.h"
#include "exec/interp/number/to_integer.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;

IntegerType integer_type(Type type) {
  const isa::TypeInfo& t = isa::info(type);
  return {t.bits, t.kind == isa::TypeKind::signed_};
}

// How a type is computed with: an f64 that is demoted is an f32.
Type effective(Step& s, Type type) { return demoted(s, type) ? Type::f32 : type; }

const Format& format_of(Type type) {
  switch (type) {
    case Type::f16: return formats::f16;
    case Type::bf16: return formats::bf16;
    case Type::f32: return formats::f32;
    default: return formats::f64;
  }
}

// The source, which a double holds exactly. Flushing makes a NaN the canonical one.
double source(Step& s, Type type, int lane, bool flush) {
  switch (type) {
    case Type::f16: return from_f16(s.get<uint16_t>(1, lane));
    case Type::bf16: return from_bf16(s.get<uint16_t>(1, lane));
    case Type::f32: {
      const auto a = s.get<float>(1, lane);
      return !flush ? a : std::isnan(a) ? canonical_nan() : flushed(a);
    }
    default: return s.get<double>(1, lane);
  }
}

// A NaN cut to the digits of a format, and quiet.
uint64_t cut_nan(const Format& format, double nan) {
  const auto bits = std::bit_cast<uint64_t>(nan);
  return (std::signbit(nan) ? format.sign_bit() : 0) | format.infinity() | format.hidden() >> 1 |
         (bits & (formats::f64.hidden() - 1)) >> (formats::f64.fraction_bits - format.fraction_bits);
}

struct FloatResult {
  Type from, type;
  Rounding rounding;
  Overflow overflow;
  bool flush, saturate, relu;

  // The NaN of an f64 keeps what fits, in either direction; all others become canonical.
  uint64_t of_nan(double nan) const {
    if (saturate) return 0;
    if (type == Type::f64) return std::bit_cast<uint64_t>(nan_of(nan));
    if (from == Type::f64) return cut_nan(format_of(type), nan);
    return type == Type::f32 ? nan_f32 : nan_half;
  }
  uint64_t of(double value) const {
    if (std::isnan(value)) return of_nan(value);
    if (saturate) value = value > 0 ? std::min(value, 1.0) : 0;
    if (relu && std::signbit(value)) return 0;
    if (type == Type::f64) return std::bit_cast<uint64_t>(value);
    const Format& format = format_of(type);
    const uint64_t bits = encode(format, value, rounding, overflow);
    const bool flushes = flush && type == Type::f32 && is_tiny(format, value, rounding);
    return flushes ? bits & format.sign_bit() : bits;
  }
};

FloatResult float_result(Step& s) {
  return {effective(s, s.type(Slot::atype)),
          effective(s, s.type(Slot::dtype)),
          rounding_of(s.word(Slot::rnd)),
          s.has(Slot::satfinite) ? Overflow::largest : Overflow::ieee,
          flushes_f32(s),
          s.has(Slot::sat),
          s.has(Slot::relu)};
}

}  // namespace

void eval_cvt_int(Step& s) {
  const IntegerType from = integer_type(s.type(Slot::atype)), to = integer_type(s.type(Slot::dtype));
  const bool saturate = s.has(Slot::sat);
  s.each([&](int lane) {
    const auto a = s.get<uint64_t>(1, lane);
    s.set<uint64_t>(0, lane, saturate ? clamp_integer(a, from, to) : wrap_integer(a, from, to));
  });
}

// Clamps with and without .sat.
void eval_cvt_float_to_int(Step& s) {
  const Type from = effective(s, s.type(Slot::atype));
  const IntegerType to = integer_type(s.type(Slot::dtype));
  const Rounding rounding = rounding_of(s.word(Slot::irnd));
  const bool flush = flushes_f32(s);
  s.each([&](int lane) {
    const double a = source(s, from, lane, flush);
    s.set<uint64_t>(0, lane,
                    std::isnan(a) ? nan_integer(from == Type::f64, to) : to_integer(a, rounding, to));
  });
}

void eval_cvt_int_to_float(Step& s) {
  const IntegerType from = integer_type(s.type(Slot::atype));
  const Format& format = format_of(effective(s, s.type(Slot::dtype)));
  const Rounding rounding = rounding_of(s.word(Slot::rnd));
  const bool saturate = s.has(Slot::sat);
  s.each([&](int lane) {
    Finite value = finite_of(s.get<uint64_t>(1, lane), from);
    if (saturate) value = {false, value.negative ? 0 : std::min<uint64_t>(value.significand, 1), 0};
    s.set<uint64_t>(0, lane, encode(format, value, rounding));
  });
}

void eval_cvt_float(Step& s) {
  const FloatResult result = float_result(s);
  const bool to_integral = s.has(Slot::irnd);
  // Without anything to do it is a move, which leaves a NaN's bits as they are: f32 and f64 to themselves,
  // and bf16 to f32, whose upper half it is.
  if (!to_integral && !result.saturate && !result.flush) {
    if (result.type == result.from && (result.type == Type::f32 || result.type == Type::f64))
      return with_floating(s, s.type(Slot::atype), [&]<class T>(T) {
        s.each([&](int lane) { s.set<T>(0, lane, s.get<T>(1, lane)); });
      });
    if (result.type == Type::f32 && result.from == Type::bf16)
      return s.each([&](int lane) { s.set<uint32_t>(0, lane, uint32_t{s.get<uint16_t>(1, lane)} << 16); });
  }
  // Devices keep the subnormals of an f32 that becomes an f16, whatever .ftz says.
  const bool flush = result.flush && (result.type != Type::f16 || s.warp().run().flushes_f32);
  const Rounding integral_rounding = rounding_of(s.word(Slot::irnd));
  s.each([&](int lane) {
    double a = source(s, result.from, lane, flush);
    if (to_integral && !std::isnan(a)) a = integral(a, integral_rounding);
    s.set<uint64_t>(0, lane, result.of(a));
  });
}

}  // namespace heddle::exec::interp
