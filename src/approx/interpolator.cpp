#include "approx/interpolator.h"

#include <bit>

namespace heddle::approx {

uint32_t truncated_square(uint32_t x) {
  uint32_t sum = 0;
  for (uint32_t rest = x; rest != 0; rest &= rest - 1) sum += x >> (18 - std::countr_zero(rest));
  return sum >> 1;
}

int64_t Interpolator::raw(uint32_t argument) const {
  const Segment& segment = segments[argument >> x_bits];
  uint32_t x = argument & ((1u << x_bits) - 1);
  int64_t square = truncated_square(x << square_prescale);
  return (int64_t{segment.value} << value_shift) + int64_t{segment.slope} * x +
         segment.curve * square * (int64_t{1} << square_shift) + bias;
}

}  // namespace heddle::approx
