#include "approx/interpolator.h"

namespace heddle::approx {

// One partial product for each bit, without branches: the bits of an argument are as good as random.
uint32_t truncated_square(uint32_t x) {
  uint32_t sum = 0;
  for (int bit = 0; bit < 17; ++bit) sum += x >> (18 - bit) & (0u - (x >> bit & 1));
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
