// Floating-point arithmetic with one rounding (PTX ISA 9.7.3.3 to 9.7.3.8, 9.7.3.13, 9.7.3.15).
#include <type_traits>

#include "exec/interp/eval/floating.h"
#include "exec/interp/number/half.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

// d = op(a, ...) in f32 or f64.
template <class Op>
void arithmetic(Step& s, Op op) {
  const Manner manner = manner_of(s);
  with_floating(s, s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) {
      if constexpr (std::is_invocable_v<Op, T, Rounding>)
        s.set<T>(0, lane, compute(op, manner, s.get<T>(1, lane)));
      else if constexpr (std::is_invocable_v<Op, T, T, Rounding>)
        s.set<T>(0, lane, compute(op, manner, s.get<T>(1, lane), s.get<T>(2, lane)));
      else
        s.set<T>(0, lane, compute(op, manner, s.get<T>(1, lane), s.get<T>(2, lane), s.get<T>(3, lane)));
    });
  });
}

float part(uint64_t pair, int half) { return std::bit_cast<float>(static_cast<uint32_t>(pair >> 32 * half)); }

// Two f32 in a 64-bit register. f(half) is one result.
template <class F>
void set_pair(Step& s, int lane, F&& f) {
  const uint64_t low = std::bit_cast<uint32_t>(f(0)), high = std::bit_cast<uint32_t>(f(1));
  s.set<uint64_t>(0, lane, low | high << 32);
}

template <class Op>
void arithmetic_x2(Step& s, Op op) {
  const Manner manner = manner_of(s);
  s.each([&](int lane) {
    const auto a = s.get<uint64_t>(1, lane), b = s.get<uint64_t>(2, lane);
    set_pair(s, lane, [&](int half) { return compute(op, manner, part(a, half), part(b, half)); });
  });
}

// An f16 or bf16 source of an f32 instruction.
float widened(Step& s, int i, int lane) {
  return HalfType{s.type(isa::Slot::atype) == isa::Type::bf16}.decode(s.get<uint16_t>(i, lane));
}

// d = op(a, c), a being a half.
template <class Op>
void arithmetic_mixed(Step& s, Op op) {
  const Manner manner = manner_of(s);
  s.each([&](int lane) {
    s.set<float>(0, lane, compute(op, manner, widened(s, 1, lane), s.get<float>(2, lane)));
  });
}

// The product's significand cut to 24 digits, its exponent unbounded, then the sum rounded to nearest. A zero
// addend makes it a mul and an add (9.7.3.7).
struct TruncatingMad {
  float operator()(float a, float b, float c, Rounding) const {
    return c == 0 ? flushed(a * b) + c : static_cast<float>(odd(a, b, c));
  }
  static double odd(float a, float b, float c) {
    const double product = double{a} * double{b};
    if (c == 0 || !std::isfinite(product)) return product + c;
    constexpr uint64_t dropped = (uint64_t{1} << (52 - 23)) - 1;
    return odd_sum(std::bit_cast<double>(std::bit_cast<uint64_t>(product) & ~dropped), c);
  }
};

}  // namespace

void eval_add_float(Step& s) { arithmetic(s, Add{}); }
void eval_sub_float(Step& s) { arithmetic(s, Sub{}); }
void eval_mul_float(Step& s) { arithmetic(s, Mul{}); }
void eval_fma_float(Step& s) { arithmetic(s, Fma{}); }
void eval_mad_float(Step& s) { arithmetic(s, Fma{}); }
void eval_div_float(Step& s) { arithmetic(s, Div{}); }
void eval_rcp_float(Step& s) { arithmetic(s, Rcp{}); }
void eval_sqrt_float(Step& s) { arithmetic(s, Sqrt{}); }

void eval_add_f32x2(Step& s) { arithmetic_x2(s, Add{}); }
void eval_sub_f32x2(Step& s) { arithmetic_x2(s, Sub{}); }
void eval_mul_f32x2(Step& s) { arithmetic_x2(s, Mul{}); }
void eval_fma_f32x2(Step& s) {
  const Manner manner = manner_of(s);
  s.each([&](int lane) {
    const auto a = s.get<uint64_t>(1, lane), b = s.get<uint64_t>(2, lane), c = s.get<uint64_t>(3, lane);
    set_pair(s, lane,
             [&](int half) { return compute(Fma{}, manner, part(a, half), part(b, half), part(c, half)); });
  });
}

void eval_add_mixed(Step& s) { arithmetic_mixed(s, Add{}); }
void eval_sub_mixed(Step& s) { arithmetic_mixed(s, Sub{}); }
void eval_fma_mixed(Step& s) {
  const Manner manner = manner_of(s);
  s.each([&](int lane) {
    s.set<float>(0, lane,
                 compute(Fma{}, manner, widened(s, 1, lane), widened(s, 2, lane), s.get<float>(3, lane)));
  });
}

// Devices that do not truncate take it as fma.rn, which flushes where the target or a .ftz says so: an H200
// does with sm_13, and does not with sm_20.
void eval_mad_truncating(Step& s) {
  Manner manner = manner_of(s);
  const bool truncates = s.warp().run().truncates_mad;
  manner.flush |= truncates;
  s.each([&](int lane) {
    const auto a = s.get<float>(1, lane), b = s.get<float>(2, lane), c = s.get<float>(3, lane);
    s.set<float>(0, lane,
                 truncates ? compute(TruncatingMad{}, manner, a, b, c) : compute(Fma{}, manner, a, b, c));
  });
}

}  // namespace heddle::exec::interp
