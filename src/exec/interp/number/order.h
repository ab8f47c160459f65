// min and max of floating-point numbers, on their bits (PTX ISA 9.7.3.11, 9.7.4.7).
#pragma once

#include <cstdint>

#include "exec/interp/number/float_format.h"

namespace heddle::exec::interp {

struct Order {
  bool larger = false;     // max
  bool any_nan = false;    // .NaN: NaN if any source is one; else only if all are
  bool magnitude = false;  // .abs: the sources' magnitudes are compared and given
  bool xorsign = false;    // .xorsign: the sign is the exclusive or of the sources' signs
};

// Sources already flushed. `nan` is the NaN that the instruction gives. -0 is less than +0.
template <class Bits>
Bits extremum(const Format& format, const Order& order, Bits a, Bits b, Bits nan) {
  const auto sign_bit = static_cast<Bits>(format.sign_bit());
  const auto sign = static_cast<Bits>((a ^ b) & sign_bit);
  if (order.magnitude) {
    a &= static_cast<Bits>(~sign_bit);
    b &= static_cast<Bits>(~sign_bit);
  }
  const bool a_nan = format.is_nan(a), b_nan = format.is_nan(b);
  if ((a_nan && b_nan) || (order.any_nan && (a_nan || b_nan))) return nan;
  // Unsigned integers in the numbers' order.
  const auto key = [&](Bits x) { return static_cast<Bits>((x & sign_bit) != 0 ? ~x : x | sign_bit); };
  const bool take_a = !a_nan && (b_nan || (order.larger ? key(a) > key(b) : key(a) < key(b)));
  const Bits taken = take_a ? a : b;
  return order.xorsign ? static_cast<Bits>((taken & ~sign_bit) | sign) : taken;
}

}  // namespace heddle::exec::interp
