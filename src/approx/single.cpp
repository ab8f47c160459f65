// The f32 instructions of one operand: a function of the unit, and the scaling that keeps subnormals where
// .ftz is absent.
#include "approx/approx.h"
#include "approx/function_unit.h"
#include "approx/soft_float.h"

namespace heddle::approx {
namespace {

constexpr uint32_t two_to_24 = 0x4b800000, two_to_12 = 0x45800000, two_to_minus_12 = 0x39800000,
                   quarter = 0x3e800000;
constexpr uint32_t half = 0x3f000000, minus_24 = 0xc1c00000, minus_126 = 0xc2fc0000;
constexpr uint32_t reciprocal_of_two_pi = 0x3e22f983;
constexpr uint32_t two_to_126 = 0x7e800000;

// Whether the unit would take it for zero. Zeroes are scaled as well, to no effect.
bool below_normal(uint32_t a) { return F32::magnitude(a) < F32::hidden; }

// Radians to turns, cut off; subnormals stay, .ftz or not.
uint32_t turns(uint32_t a) { return F32::multiply(a, reciprocal_of_two_pi, Rounding::toward_zero); }

}  // namespace

uint32_t rcp_f32(uint32_t a, bool ftz) {
  uint32_t scale = F32::one;
  if (below_normal(a)) scale = two_to_24;
  if (F32::magnitude(a) > two_to_126 && !F32::is_nan(a)) scale = quarter;  // its reciprocal is subnormal
  if (ftz || scale == F32::one) return unit::rcp(a);
  return F32::multiply(scale, unit::rcp(F32::multiply(a, scale)));
}

uint32_t rsqrt_f32(uint32_t a, bool ftz) {
  if (ftz || !below_normal(a)) return unit::rsqrt(a);
  return F32::multiply(unit::rsqrt(F32::multiply(a, two_to_24)), two_to_12);
}

uint32_t sqrt_f32(uint32_t a, bool ftz) {
  if (ftz || !below_normal(a)) return unit::sqrt(a);
  return F32::multiply(unit::sqrt(F32::multiply(a, two_to_24)), two_to_minus_12);
}

uint32_t lg2_f32(uint32_t a, bool ftz) {
  if (ftz || !below_normal(a)) return unit::lg2(a);
  return F32::add(unit::lg2(F32::multiply(a, two_to_24)), minus_24);
}

uint32_t ex2_f32(uint32_t a, bool ftz) {
  bool small = (a & F32::sign_bit) != 0 && a > minus_126 && !F32::is_nan(a);
  if (ftz || !small) return unit::ex2(a);
  uint32_t root = unit::ex2(F32::multiply(a, half));  // the result is subnormal, its root is not
  return F32::multiply(root, root);
}

uint32_t sin_f32(uint32_t a, bool) { return unit::sin(turns(a)); }
uint32_t cos_f32(uint32_t a, bool) { return unit::cos(turns(a)); }
uint32_t tanh_f32(uint32_t a) { return unit::tanh(a); }

}  // namespace heddle::approx
