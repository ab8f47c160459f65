// Division by multiplying with the reciprocal.
#include "approx/approx.h"
#include "approx/function_unit.h"
#include "approx/soft_float.h"

namespace heddle::approx {
namespace {

constexpr uint32_t two_to_24 = 0x4b800000, two_to_126 = 0x7e800000, quarter = 0x3e800000;

// A divisor the unit would take for zero is scaled up, and the dividend with it.
void scale_both(uint32_t& a, uint32_t& b, uint32_t factor, bool ftz) {
  a = F32::multiply(a, factor, Rounding::nearest_even, ftz);
  b = F32::multiply(b, factor, Rounding::nearest_even, ftz);
}

uint32_t multiply_by_reciprocal(uint32_t a, uint32_t b, bool ftz) {
  return F32::multiply(a, unit::rcp(b), Rounding::nearest_even, ftz);
}

}  // namespace

uint32_t div_approx_f32(uint32_t a, uint32_t b, bool ftz) {
  if (!ftz && F32::magnitude(b) < F32::hidden) scale_both(a, b, two_to_24, ftz);
  return multiply_by_reciprocal(a, b, ftz);
}

uint32_t div_full_f32(uint32_t a, uint32_t b, bool ftz) {
  uint32_t divisor = F32::magnitude(b);
  if (divisor > two_to_126 && !F32::is_nan(b)) {
    scale_both(a, b, quarter, ftz);
  } else if (!ftz && divisor < F32::hidden) {
    scale_both(a, b, two_to_24, ftz);
  }
  return multiply_by_reciprocal(a, b, ftz);
}

}  // namespace heddle::approx
