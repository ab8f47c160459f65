// tanh over [2^-8, 8); what is smaller is its own hyperbolic tangent, what is larger has 1.
#include <bit>

#include "approx/function_unit.h"
#include "approx/tables.gen.h"

namespace heddle::approx::unit {

uint32_t tanh(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.exponent < tanh_first_exponent) return a;
  int binade = x.exponent - tanh_first_exponent;
  if (binade >= tanh_binade_count) return x.sign | 0x3f800000;
  const Binade& segments = tanh_binades[binade];
  uint32_t argument = (segments.first << tanh_table.x_bits) + (x.fraction >> (23 - segments.argument_bits));
  int64_t value = tanh_table.at(argument);  // 41 bits of fraction
  int top = std::bit_width(static_cast<uint64_t>(value)) - 1;
  return join(x.sign, top - 41, static_cast<uint32_t>(value >> (top - 23)));
}

}  // namespace heddle::approx::unit
