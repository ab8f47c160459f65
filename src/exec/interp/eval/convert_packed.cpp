// Conversions to and from packed and narrow formats, and cvt.pack (PTX ISA 9.7.9.21, 9.7.9.22).
#include <algorithm>

#include "exec/interp/number/half.h"
#include "exec/interp/number/narrow.h"
#include "exec/interp/number/to_integer.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;

// The elements of a packed type; `stride` is the distance between them in bits.
struct Packed {
  Format format;
  int stride;
  bool exponent_only = false;  // ue8m0, which is no format of the common kind
};

Packed packed(Type type) {
  switch (type) {
    case Type::f16x2: return {formats::f16, 16};
    case Type::bf16x2: return {formats::bf16, 16};
    case Type::e4m3x2:
    case Type::e4m3x4: return {formats::e4m3, 8};
    case Type::e5m2x2:
    case Type::e5m2x4: return {formats::e5m2, 8};
    case Type::e2m3x2:
    case Type::e2m3x4: return {formats::e2m3, 8};
    case Type::e3m2x2:
    case Type::e3m2x4: return {formats::e3m2, 8};
    case Type::e2m1x2:
    case Type::e2m1x4: return {formats::e2m1, 4};
    default: return {formats::bf16, 8, true};
  }
}

// One element of the destination.
struct Element {
  Packed to;
  Rounding rounding;
  Overflow overflow;
  bool relu;

  uint64_t of(float value) const {
    if (to.exponent_only) return to_ue8m0(value, rounding, overflow);
    return narrow({to.format, rounding, overflow, relu}, value);
  }
  uint64_t of(float value, uint32_t random, int random_bits) const {
    return narrow_stochastic({to.format, Rounding::toward_zero, overflow, relu}, value, random, random_bits);
  }
};

Element element(Step& s) {
  return {packed(s.type(Slot::dtype)), rounding_of(s.word(Slot::rnd)),
          s.has(Slot::satfinite) ? Overflow::largest : Overflow::ieee, s.has(Slot::relu)};
}

}  // namespace

// The result has f32's exponent and the 10 upper digits of its fraction, the rest is zero. .rna is made of
// integer instructions: a NaN is cut like a number, and .satfinite takes what is not finite one step down.
void eval_cvt_tf32(Step& s) {
  constexpr int dropped = 13;
  constexpr uint32_t unit = 1u << dropped, infinity = 0x7f80'0000;
  const Rounding rounding = rounding_of(s.word(Slot::rnd));
  const bool finite = s.has(Slot::satfinite);
  if (rounding == Rounding::nearest_away) {
    return s.each([&](int lane) {
      uint32_t bits = s.get<uint32_t>(1, lane);
      if ((bits & infinity) != infinity) bits += unit / 2;
      bits &= ~(unit - 1);
      if (finite && (bits & infinity) == infinity) bits -= unit;
      s.set<uint32_t>(0, lane, bits);
    });
  }
  const Narrowing how{formats::tf32, rounding, finite ? Overflow::largest : Overflow::ieee,
                      s.has(Slot::relu)};
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(narrow(how, s.get<float>(1, lane))) << dropped);
  });
}

// a is converted into the upper half, b into the lower one. With .rs each half of the random bits belongs to
// the operand of that half, as many of them as the conversion drops digits.
void eval_cvt_pair(Step& s) {
  const Element e = element(s);
  const bool stochastic = s.word(Slot::rnd) == Word::rs;
  const int bits = formats::f32.fraction_bits - e.to.format.fraction_bits;
  s.each([&](int lane) {
    const auto a = s.get<float>(1, lane), b = s.get<float>(2, lane);
    if (!stochastic) return s.set<uint32_t>(0, lane, static_cast<uint32_t>(e.of(a) << 16 | e.of(b)));
    const auto random = s.get<uint32_t>(3, lane);
    const uint32_t mask = (1u << bits) - 1;
    s.set<uint32_t>(
        0, lane,
        static_cast<uint32_t>(e.of(a, random >> 16 & mask, bits) << 16 | e.of(b, random & mask, bits)));
  });
}

void eval_cvt_narrow_pair(Step& s) {
  const Element e = element(s);
  s.each([&](int lane) {
    const uint64_t high = e.of(s.get<float>(1, lane)), low = e.of(s.get<float>(2, lane));
    s.set<uint16_t>(0, lane, static_cast<uint16_t>(high << e.to.stride | low));
  });
}

// Four results, the first one uppermost. Each pair has its 16 random bits: a half of the word, and for e2m1
// the same byte of both halves.
void eval_cvt_narrow_quad(Step& s) {
  const Element e = element(s);
  const auto sources = s.children(s.operand(1));
  s.each([&](int lane) {
    const auto random = s.get<uint32_t>(2, lane);
    uint32_t upper = random >> 16, lower = random & 0xffff;
    if (e.to.stride == 4) {
      const uint32_t high_bytes = (upper & 0xff00) | lower >> 8,
                     low_bytes = (upper & 0xff) << 8 | (lower & 0xff);
      upper = high_bytes;
      lower = low_bytes;
    }
    uint64_t result = 0;
    for (std::size_t i = 0; i < sources.size(); ++i)
      result = result << e.to.stride | e.of(s.get<float>(sources[i], lane), i < 2 ? upper : lower, 16);
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(result));
  });
}

void eval_cvt_narrow_packed(Step& s) {
  const Element e = element(s);
  const HalfType from{s.type(Slot::atype) == Type::bf16x2};
  s.each([&](int lane) {
    const auto a = s.get<uint32_t>(1, lane);
    const uint64_t high = e.of(from.decode(static_cast<uint16_t>(a >> 16))),
                   low = e.of(from.decode(static_cast<uint16_t>(a)));
    s.set<uint16_t>(0, lane, static_cast<uint16_t>(high << e.to.stride | low));
  });
}

void eval_cvt_widen_packed(Step& s) {
  const Packed from = packed(s.type(Slot::atype));
  const HalfType to{s.type(Slot::dtype) == Type::bf16x2};
  const bool relu = s.has(Slot::relu);
  const auto one = [&](uint32_t bits) -> uint32_t {
    const double value = from.exponent_only ? from_ue8m0(static_cast<uint8_t>(bits))
                                            : decode(from.format, bits & (from.format.sign_bit() * 2 - 1));
    const uint16_t half = to.encode(value);
    return relu && (half & 0x8000) != 0 ? 0 : half;
  };
  s.each([&](int lane) {
    const uint32_t a = s.get<uint16_t>(1, lane);
    s.set<uint32_t>(0, lane, one(a >> from.stride) << 16 | one(a));
  });
}

// Both clamped to the type, a above b; below 16 bits the lower digits of c go above them.
void eval_cvt_pack(Step& s) {
  const isa::TypeInfo& type = isa::info(s.type(Slot::dtype));
  const IntegerType to{type.bits, type.kind == isa::TypeKind::signed_}, from{32, true};
  const bool shifts_in = s.has(Slot::ctype);
  s.each([&](int lane) {
    const uint64_t a = clamp_integer(s.get<uint32_t>(1, lane), from, to),
                   b = clamp_integer(s.get<uint32_t>(2, lane), from, to),
                   c = shifts_in ? s.get<uint32_t>(3, lane) : 0;
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(c << 2 * to.bits | a << to.bits | b));
  });
}

}  // namespace heddle::exec::interp
