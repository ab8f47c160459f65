// f16 and bf16 arithmetic, single and in pairs (PTX ISA 9.7.4).
#include "exec/interp/number/half.h"

#include "approx/approx.h"
#include "exec/interp/number/order.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;

// The NaN that a tensor copy fills with where it reads out of bounds, of either sign: on an H200 these two of
// all patterns make the result of .oob zero, in both formats, as factors and not as the addend.
bool is_out_of_bounds(uint16_t bits) { return (bits & 0x7fff) == 0x7ff7; }

HalfType half_type(isa::Type type) { return {type == isa::Type::bf16 || type == isa::Type::bf16x2}; }

HalfManner half_manner(Step& s) {
  return {half_type(s.type()), s.has(Slot::ftz), s.has(Slot::sat), s.has(Slot::relu)};
}

// d = f(a, ...), on each half of a pair.
template <class F, class... Sources>
void each_half(Step& s, F&& f, Sources... sources) {
  const bool pair = isa::info(s.type()).elements == 2;
  s.each([&](int lane) {
    const auto low = static_cast<uint16_t>(f(s.get<uint16_t>(sources, lane)...));
    if (!pair) return s.set<uint16_t>(0, lane, low);
    const auto high =
        static_cast<uint16_t>(f(static_cast<uint16_t>(s.get<uint32_t>(sources, lane) >> 16)...));
    s.set<uint32_t>(0, lane, low | static_cast<uint32_t>(high) << 16);
  });
}

template <class Op>
void arithmetic(Step& s, Op op) {
  const HalfManner manner = half_manner(s);
  each_half(s, [&](uint16_t a, uint16_t b) { return compute_half(op, manner, a, b); }, 1, 2);
}

void order(Step& s, bool larger) {
  const HalfType type = half_type(s.type());
  const Order order{larger, s.has(Slot::nan), s.has(Slot::abs), s.has(Slot::xorsign)};
  const bool flush = s.has(Slot::ftz);
  each_half(
      s,
      [&](uint16_t a, uint16_t b) {
        if (flush) a = type.flushed(a), b = type.flushed(b);
        return extremum(type.format(), order, a, b, nan_half);
      },
      1, 2);
}

// neg and abs: `mask` clears the sign, `flip` turns it.
void change_sign(Step& s, uint16_t mask, uint16_t flip) {
  const HalfType type = half_type(s.type());
  const bool flush = s.has(Slot::ftz);
  each_half(
      s,
      [&](uint16_t a) -> uint16_t {
        if (type.is_nan(a)) return nan_half;
        if (flush) a = type.flushed(a);
        return static_cast<uint16_t>((a & mask) ^ flip);
      },
      1);
}

}  // namespace

void eval_add_half(Step& s) { arithmetic(s, Add{}); }
void eval_sub_half(Step& s) { arithmetic(s, Sub{}); }
void eval_mul_half(Step& s) { arithmetic(s, Mul{}); }

void eval_fma_half(Step& s) {
  const HalfManner manner = half_manner(s);
  const bool oob = s.has(Slot::oob);
  each_half(
      s,
      [&](uint16_t a, uint16_t b, uint16_t c) -> uint16_t {
        if (oob && (is_out_of_bounds(a) || is_out_of_bounds(b))) return 0;
        return compute_half(Fma{}, manner, a, b, c);
      },
      1, 2, 3);
}

void eval_neg_half(Step& s) { change_sign(s, 0xffff, 0x8000); }
void eval_abs_half(Step& s) { change_sign(s, 0x7fff, 0); }
void eval_min_half(Step& s) { order(s, false); }
void eval_max_half(Step& s) { order(s, true); }

void eval_tanh_half(Step& s) {
  const bool brain = half_type(s.type()).brain;
  each_half(s, [&](uint16_t a) { return brain ? approx::tanh_bf16(a) : approx::tanh_f16(a); }, 1);
}
void eval_ex2_half(Step& s) {
  const bool brain = half_type(s.type()).brain;
  each_half(s, [&](uint16_t a) { return brain ? approx::ex2_ftz_bf16(a) : approx::ex2_f16(a); }, 1);
}

}  // namespace heddle::exec::interp
