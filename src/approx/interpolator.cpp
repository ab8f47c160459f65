#include "approx/interpolator.h"

namespace heddle::approx {

// Two bits i and j of x contribute 2^(i + j - 18) if that is a whole number. With x = 2^9 high + low, that is
// every pair of bits in high, none in low, and twice (bits i of high, j of low) what is left of low below bit
// i.
uint32_t truncated_square(uint32_t x) {
  uint32_t high = x >> 9, low = x & 0x1ff;
  uint32_t sum = high * high >> 1;
  for (int bit = 1; bit < 8; ++bit) sum += low >> (9 - bit) & (0u - (high >> bit & 1));
  return sum;
}

int64_t Interpolator::raw(uint32_t argument) const {
  const Segment& segment = segments[argument >> x_bits];
  uint32_t x = argument & ((1u << x_bits) - 1);
  int64_t square = truncated_square(x << square_prescale);
  return (int64_t{segment.value} << value_shift) + int64_t{segment.slope} * x +
         segment.curve * square * (int64_t{1} << square_shift) + bias;
}

}  // namespace heddle::approx
