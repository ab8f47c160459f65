// Square roots and their reciprocals over [1, 4): the lowest bit of the exponent is the highest of the
// argument.
#include "approx/function_unit.h"
#include "approx/tables.gen.h"

namespace heddle::approx::unit {

static uint32_t root_argument(const Parts& x) {
  return static_cast<uint32_t>(x.exponent & 1) << 23 | x.fraction;
}

uint32_t rsqrt(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.zero) return x.sign | infinity;
  if (x.sign) return nan;
  if (x.infinite) return 0;
  uint32_t argument = root_argument(x);
  int half = x.exponent >> 1;
  if (argument == 0) return join(0, -half, 1u << 23);  // the one result with another exponent
  return join(0, -half - 1, static_cast<uint32_t>(rsqrt_table.at(argument)));
}

uint32_t sqrt(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.zero) return x.sign;
  if (x.sign) return nan;
  if (x.infinite) return infinity;
  return join(0, x.exponent >> 1, static_cast<uint32_t>(sqrt_table.at(root_argument(x))));
}

}  // namespace heddle::approx::unit
