// The arithmetic of IEEE 754 on float and double in the four roundings of PTX. Nothing here flushes, clamps
// or settles what a NaN looks like: that is result.h.
//
// Each operation is a functor f(a, ..., rounding). `odd` gives the result for f32 sources as a double that is
// exact, or else the neighbour whose last digit is odd: rounding that to 51 or fewer digits, in any way, is
// rounding the exact result.
#pragma once

#include <cmath>

#include "exec/interp/number/rounding.h"

namespace heddle::exec::interp {

namespace directed {  // ieee.cpp: by the host's rounding mode
template <class T>
T add(T a, T b, Rounding rounding);
template <class T>
T mul(T a, T b, Rounding rounding);
template <class T>
T fma(T a, T b, T c, Rounding rounding);
template <class T>
T div(T a, T b, Rounding rounding);
template <class T>
T sqrt(T a, Rounding rounding);
}  // namespace directed

double odd_sum(double a, double b);
double odd_quotient(double a, double b);  // both sources are exact floats

struct Add {
  template <class T>
  T operator()(T a, T b, Rounding r) const {
    return r == Rounding::nearest_even ? a + b : directed::add(a, b, r);
  }
  static double odd(float a, float b) { return odd_sum(a, b); }
};
struct Sub {
  template <class T>
  T operator()(T a, T b, Rounding r) const {
    return r == Rounding::nearest_even ? a - b : directed::add(a, -b, r);
  }
  static double odd(float a, float b) { return odd_sum(a, -b); }
};
struct Mul {
  template <class T>
  T operator()(T a, T b, Rounding r) const {
    return r == Rounding::nearest_even ? a * b : directed::mul(a, b, r);
  }
  static double odd(float a, float b) { return double{a} * double{b}; }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c, Rounding r) const {
    return r == Rounding::nearest_even ? std::fma(a, b, c) : directed::fma(a, b, c, r);
  }
  static double odd(float a, float b, float c) { return odd_sum(double{a} * double{b}, c); }
};
struct Div {
  template <class T>
  T operator()(T a, T b, Rounding r) const {
    return r == Rounding::nearest_even ? a / b : directed::div(a, b, r);
  }
  static double odd(float a, float b) { return odd_quotient(a, b); }
};
struct Rcp {
  template <class T>
  T operator()(T a, Rounding r) const {
    return Div{}(T{1}, a, r);
  }
  static double odd(float a) { return odd_quotient(1, a); }
};
struct Sqrt {
  template <class T>
  T operator()(T a, Rounding r) const {
    return r == Rounding::nearest_even ? std::sqrt(a) : directed::sqrt(a, r);
  }
  static double odd(float a) { return std::sqrt(double{a}); }  // never tiny: nobody rounds it again
};

}  // namespace heddle::exec::interp
