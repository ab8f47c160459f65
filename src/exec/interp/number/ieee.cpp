// The one file that touches the host's rounding mode. The compiler must not move or fold arithmetic across
// the calls that change it, which is what the pragma says.
#include "exec/interp/number/ieee.h"

#include <bit>
#include <cfenv>
#include <cstdint>

#pragma STDC FENV_ACCESS ON

namespace heddle::exec::interp {

namespace directed {
namespace {

int host_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero: return FE_TOWARDZERO;
    case Rounding::down: return FE_DOWNWARD;
    case Rounding::up: return FE_UPWARD;
    default: return FE_TONEAREST;
  }
}

template <class F>
auto in_mode(Rounding rounding, F&& f) {
  std::fesetround(host_mode(rounding));
  const auto result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace

template <class T>
T add(T a, T b, Rounding rounding) {
  return in_mode(rounding, [=] { return a + b; });
}
template <class T>
T mul(T a, T b, Rounding rounding) {
  return in_mode(rounding, [=] { return a * b; });
}
template <class T>
T fma(T a, T b, T c, Rounding rounding) {
  return in_mode(rounding, [=] { return std::fma(a, b, c); });
}
template <class T>
T div(T a, T b, Rounding rounding) {
  return in_mode(rounding, [=] { return a / b; });
}
template <class T>
T sqrt(T a, Rounding rounding) {
  return in_mode(rounding, [=] { return std::sqrt(a); });
}

template float add(float, float, Rounding);
template float mul(float, float, Rounding);
template float fma(float, float, float, Rounding);
template float div(float, float, Rounding);
template float sqrt(float, Rounding);
template double add(double, double, Rounding);
template double mul(double, double, Rounding);
template double fma(double, double, double, Rounding);
template double div(double, double, Rounding);
template double sqrt(double, Rounding);

}  // namespace directed

namespace {

// `rounded` is the nearest double to a value that differs from it by something of the sign of `error`.
double to_odd(double rounded, double error) {
  const auto bits = std::bit_cast<uint64_t>(rounded);
  if (error == 0 || !std::isfinite(rounded) || (bits & 1) != 0) return rounded;
  // An even neighbour was taken; the value lies between it and the odd one on the error's side.
  return std::bit_cast<double>((error > 0) == (rounded > 0) ? bits + 1 : bits - 1);
}

}  // namespace

double odd_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a, a_part = sum - b_part;
  return to_odd(sum, (a - a_part) + (b - b_part));
}

double odd_quotient(double a, double b) {
  const double quotient = a / b;
  if (!std::isfinite(quotient) || !std::isfinite(b)) return quotient;
  const double remainder = std::fma(-quotient, b, a);
  return to_odd(quotient, b > 0 ? remainder : -remainder);
}

}  // namespace heddle::exec::interp
