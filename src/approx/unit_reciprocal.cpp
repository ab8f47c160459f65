// 1/x over [1, 2); the exponent is negated.
#include "approx/function_unit.h"
#include "approx/tables.gen.h"

namespace heddle::approx::unit {

uint32_t rcp(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.zero) return x.sign | infinity;
  if (x.infinite) return x.sign;
  auto significand = static_cast<uint32_t>(rcp_table.at(x.fraction));
  int exponent = -x.exponent - 1;
  if (significand >> 24) return join(x.sign, exponent + 1, significand >> 1);
  return join(x.sign, exponent, significand);
}

}  // namespace heddle::approx::unit
