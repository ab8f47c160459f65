// Vectors of floats and doubles of any length, one lane included. The folder's functions are templates over
// them and give each lane the same bits whatever the length: arithmetic is IEEE's, nothing is contracted, and
// what is fused says so.
//
// These headers are compiled once for each level of vectors that a host may have (level_*.cpp), with that
// level's instructions. So that no two of them are taken for one by the linker, all is in a namespace of the
// level, HEDDLE_MATH_LEVEL, and nothing outside of it that is not inlined is called.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle::math::HEDDLE_MATH_LEVEL {

#define HEDDLE_INLINE [[gnu::always_inline]] inline

template <class T, int N>
using Vec = T __attribute__((ext_vector_type(N)));
template <class V>
using Element = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <class V>
inline constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(Element<V>));
template <class V>
inline constexpr bool is_single = std::is_same_v<Element<V>, float>;
// Integers of the elements' width, and doubles, as many as lanes.
template <class V>
using Word = std::conditional_t<sizeof(Element<V>) == 4, int32_t, int64_t>;
template <class V>
using Words = Vec<Word<V>, lanes<V>>;
template <class V>
using Doubles = Vec<double, lanes<V>>;

template <class V>
struct Format;
template <class V>
  requires(is_single<V>)
struct Format<V> {
  static constexpr int fraction_bits = 23, bias = 127;
  static constexpr int32_t nan = 0x7fff'ffff;  // of PTX's f32 arithmetic
};
template <class V>
  requires(!is_single<V>)
struct Format<V> {
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr int64_t nan = static_cast<int64_t>(0xfff8'0000'0000'0000);  // of an invalid operation
};

template <class To, class V>
HEDDLE_INLINE To cast(V v) {
  return __builtin_bit_cast(To, v);
}
template <class V>
HEDDLE_INLINE Words<V> bits(V v) {
  return cast<Words<V>>(v);
}
template <class V>
HEDDLE_INLINE V splat(double value) {
  return V(static_cast<Element<V>>(value));
}
template <class V>
HEDDLE_INLINE V infinity() {
  return splat<V>(__builtin_inf());
}
template <class V>
HEDDLE_INLINE V quiet_nan() {
  return cast<V>(Words<V>(Format<V>::nan));
}

template <class V>
HEDDLE_INLINE Doubles<V> widen(V v) {
  return __builtin_convertvector(v, Doubles<V>);
}
template <class V>
HEDDLE_INLINE V narrow(Doubles<V> v) {
  return __builtin_convertvector(v, V);
}

template <class M>
HEDDLE_INLINE bool any(M mask) {
  return __builtin_reduce_or(mask) != 0;
}
// Of vectors of one shape; `mask` is what a comparison of them gives.
template <class M, class V>
HEDDLE_INLINE V select(M mask, V a, V b) {
  return cast<V>((cast<Words<V>>(mask) & bits(a)) | (~cast<Words<V>>(mask) & bits(b)));
}

// `usual` but where it does not hold: there what `other` makes, which is for few lanes that few vectors have.
template <class M, class V, class F>
HEDDLE_INLINE V except(M where, V usual, const F& other) {
  return any(where) ? select(where, other(), usual) : usual;
}
// A NaN stays one.
template <class V>
HEDDLE_INLINE V at_most(V v, V end) {
  return select(v > end, end, v);
}
template <class V>
HEDDLE_INLINE V at_least(V v, V end) {
  return select(v < end, end, v);
}

template <class V>
HEDDLE_INLINE V abs(V v) {
  return __builtin_elementwise_abs(v);
}
template <class V>
HEDDLE_INLINE V sqrt(V v) {
  return __builtin_elementwise_sqrt(v);
}
template <class V>
HEDDLE_INLINE V fma(V a, V b, V c) {
  return __builtin_elementwise_fma(a, b, c);
}
template <class V>
HEDDLE_INLINE V trunc(V v) {
  return __builtin_elementwise_trunc(v);
}
template <class V>
HEDDLE_INLINE V rint(V v) {
  return __builtin_elementwise_roundeven(v);
}
template <class V>
HEDDLE_INLINE V copysign(V v, V sign) {
  return __builtin_elementwise_copysign(v, sign);
}
template <class V>
HEDDLE_INLINE V negated_with(V v, V sign) {  // v where `sign` is positive
  return cast<V>(bits(v) ^ (bits(sign) & bits(splat<V>(-0.0))));
}
template <class V>
HEDDLE_INLINE V larger(V a, V b) {  // b where one of them is a NaN
  return select(a > b, a, b);
}
template <class V>
HEDDLE_INLINE auto is_nan(V v) {
  return v != v;
}
template <class V>
HEDDLE_INLINE auto is_infinite(V v) {
  return abs(v) == infinity<V>();
}

// Whether a fused multiplication is one instruction. Where it is a call, functions of our own that live on it
// leave the work to SLEEF.
#if defined(__FMA__)
inline constexpr bool fuses = true;
#else
inline constexpr bool fuses = false;
#endif
template <class V>
inline constexpr bool in_single = fuses && is_single<V>;

// 2^e for exponents of normal numbers.
template <class V>
HEDDLE_INLINE V power_of_two(Words<V> e) {
  return cast<V>((e + Format<V>::bias) << Format<V>::fraction_bits);
}
// x 2^e, rounded once: the first of two factors is exact for an x near 1.
template <class V>
HEDDLE_INLINE V scaled_by(V x, Words<V> e) {
  Words<V> half = e >> 1;
  return x * power_of_two<V>(half) * power_of_two<V>(e - half);
}
// The exponent field, less the bias: that of a normal number; -bias for zeros and subnormals.
template <class V>
HEDDLE_INLINE Words<V> exponent_of(V v) {
  return ((bits(v) >> Format<V>::fraction_bits) & (2 * Format<V>::bias + 1)) - Format<V>::bias;
}

// Horner's rule; coefficients by ascending power.
template <class V, class Coefficients>
HEDDLE_INLINE V polynomial(V x, const Coefficients& c) {
  constexpr int count = static_cast<int>(sizeof(c) / sizeof(c[0]));
  V value = splat<V>(c[count - 1]);
#pragma clang loop unroll(full)
  for (int i = count - 2; i >= 0; --i) value = fma(value, x, splat<V>(c[i]));
  return value;
}

// x factor as a whole number, far below the precision's end: what it is added to has no bits behind the
// point.
template <class V>
struct Rounded {
  V value;
  Words<V> word;
};
template <class V>
HEDDLE_INLINE Rounded<V> rounded_product(V x, V factor) {
  V magic = splat<V>(is_single<V> ? 0x1.8p23 : 0x1.8p52);
  V sum = fma(x, factor, magic);
  return {sum - magic, bits(sum) - bits(magic)};
}

// By the first coefficients for floats, by the second for doubles.
template <class V, class Single, class Double>
HEDDLE_INLINE V polynomial(V x, const Single& single, const Double& its_double) {
  if constexpr (is_single<V>)
    return polynomial(x, single);
  else
    return polynomial(x, its_double);
}

// A number in twice the precision: high + low.
template <class V>
struct Twice {
  V high, low;
};
template <class V>
HEDDLE_INLINE Twice<V> exact_sum(V a, V b) {
  V sum = a + b;
  V part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
template <class V>
HEDDLE_INLINE Twice<V> exact_product(V a, V b) {
  V product = a * b;
  return {product, fma(a, b, -product)};
}

// f of vectors that SLEEF has no function for is f of their halves.
template <class F, class V, class... Vs>
HEDDLE_INLINE V by_parts(const F& f, V x, Vs... xs) {
  if constexpr (requires { f(x, xs...); }) {
    return f(x, xs...);
  } else {
    V result;
    result.lo = by_parts(f, x.lo, xs.lo...);
    result.hi = by_parts(f, x.hi, xs.hi...);
    return result;
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
