// The one file of this room that touches the host's rounding mode: f64 arithmetic in a direction, for hosts
// whose instructions have none.
#include "exec/jit/math/host_rounding.h"

#include <cfenv>
#include <cmath>

#include "exec/jit/ir/math.h"

#pragma STDC FENV_ACCESS ON

namespace heddle::exec::jit {

double heddle_jit_rounded(uint32_t operation, uint32_t direction, double a, double b, double c) {
  constexpr int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[direction]);
  double result = 0;
  switch (static_cast<Arithmetic>(operation)) {
    case Arithmetic::add: result = a + b; break;
    case Arithmetic::mul: result = a * b; break;
    case Arithmetic::fma: result = std::fma(a, b, c); break;
    case Arithmetic::div: result = a / b; break;
    case Arithmetic::sqrt: result = std::sqrt(a); break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace heddle::exec::jit
