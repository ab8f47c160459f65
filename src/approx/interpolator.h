// The quadratic interpolator behind every instruction of this room.
//
// A table gives three coefficients for a segment of the argument; the value within the segment is
// value + slope * x + curve * x^2 in fixed point, with a truncated squarer and one constant added for
// rounding. The scheme is published: S. Oberman and M. Siu, "A high-performance area-efficient multifunction
// interpolator", ARITH-17, 2005. The coefficients (spec/approx) are measured: tools/approx/fit.py solves them
// from a device's answers.
#pragma once

#include <cstdint>

namespace heddle::approx {

struct Segment {
  int32_t value, slope, curve;
};

struct Interpolator {
  const Segment* segments;
  int x_bits;  // the argument's low bits: the place within a segment; those above it number the segment
  int square_prescale;  // the squarer takes 17 bits: shorter arguments are shifted up
  int value_shift, square_shift;
  int64_t bias;
  int result_shift;

  // The fixed-point value at `argument`, before and after the final shift.
  int64_t raw(uint32_t argument) const;
  int64_t at(uint32_t argument) const { return raw(argument) >> result_shift; }
};

// Where the segments are not of one length: those of the arguments of one exponent.
struct Binade {
  uint32_t first;     // segment
  int argument_bits;  // bits of the fraction that number the segment and the place within it
};

// x^2 / 2^19 for 17 bits of x, out of partial products that are cut off before they are added.
uint32_t truncated_square(uint32_t x);

}  // namespace heddle::approx
