// Circular functions and their inverses. Our own where arguments are not large, but for tan of doubles.
#pragma once

#include "math/elementary.gen.h"
#include "math/kernels/sleef.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// What a number has no digits for follows in the next.
template <class V>
inline constexpr double pi = is_single<V> ? 0x1.921fb6p+1 : 0x1.921fb54442d18p+1;
template <class V>
inline constexpr double pi_low = is_single<V> ? -0x1.777a5cp-24 : 0x1.1a62633145c07p-53;
template <class V>
inline constexpr double pi_last = is_single<V> ? -0x1.ee59dap-49 : -0x1.f1976b7ed8fbcp-109;

// x less the nearest multiple of pi / 2, its sine and cosine, and which multiple it is.
template <class V>
struct Turn {
  V sine, cosine;
  Words<V> quarters;
};
// Up to here the multiple's number and its products' errors do not matter.
template <class V>
inline constexpr double largest_turn = is_single<V> ? 30000 : 1e6;

template <class V>
HEDDLE_INLINE Turn<V> turn_of(V size) {
  Rounded<V> q = rounded_product(size, splat<V>(0x1.45f306dc9c883p-1));
  V r = fma(-q.value, splat<V>(pi<V> / 2), size);
  r = fma(-q.value, splat<V>(pi_low<V> / 2), r);
  r = fma(-q.value, splat<V>(pi_last<V> / 2), r);
  V s = r * r;
  V sine = fma(r * s, polynomial(s, fitted::sin_single, fitted::sin_double), r);
  V cosine =
      fma(s * s, polynomial(s, fitted::cos_single, fitted::cos_double), fma(s, splat<V>(-0.5), splat<V>(1)));
  return {sine, cosine, q.word};
}
template <class V>
HEDDLE_INLINE V sine_of(Turn<V> turn, V sign) {
  V result = select((turn.quarters & 1) != 0, turn.cosine, turn.sine);
  // The second of the lowest bits becomes the sign.
  V back = cast<V>(turn.quarters << (8 * sizeof(Element<V>) - 2));
  return negated_with(negated_with(result, back), sign);
}
template <class V>
HEDDLE_INLINE V cosine_of(Turn<V> turn) {
  turn.quarters += 1;
  return sine_of(turn, splat<V>(0));
}

// atan(z), 0 <= z <= 1.
template <class V>
HEDDLE_INLINE V atan_to_1(V z) {
  V s = z * z;
  return fma(z * s, polynomial(s, fitted::atan_single, fitted::atan_double), z);
}

// asin(t), 0 <= t <= 1, as `part`, or as pi / 2 - 2 `part` where `far`.
template <class V>
struct ArcSine {
  V part;
  Words<V> far;
};
template <class V>
HEDDLE_INLINE ArcSine<V> asin_of(V t) {
  auto far = t > splat<V>(0.5);
  V s = select(far, fma(t, splat<V>(-0.5), splat<V>(0.5)), t * t);
  V z = select(far, sqrt(s), t);
  return {fma(z * s, polynomial(s, fitted::asin_single, fitted::asin_double), z), cast<Words<V>>(far)};
}

// ---- the functions

template <class V>
HEDDLE_INLINE V device_sin(V x) {
  if constexpr (fuses) {
    auto large = ~(abs(x) <= splat<V>(largest_turn<V>));
    return except(large, sine_of(turn_of(abs(x)), x), [&] { return sleef_sin(x); });
  } else {
    return sleef_sin(x);
  }
}
template <class V>
HEDDLE_INLINE V device_cos(V x) {
  if constexpr (fuses) {
    auto large = ~(abs(x) <= splat<V>(largest_turn<V>));
    return except(large, cosine_of(turn_of(abs(x))), [&] { return sleef_cos(x); });
  } else {
    return sleef_cos(x);
  }
}
template <class V>
HEDDLE_INLINE V device_sincos(V x, V* cosine) {
  if constexpr (fuses) {
    Turn<V> turn = turn_of(abs(x));
    auto large = ~(abs(x) <= splat<V>(largest_turn<V>));
    *cosine = except(large, cosine_of(turn), [&] { return sleef_cos(x); });
    return except(large, sine_of(turn, x), [&] { return sleef_sin(x); });
  } else {
    *cosine = sleef_cos(x);
    return sleef_sin(x);
  }
}
template <class V>
HEDDLE_INLINE V device_tan(V x) {
  if constexpr (in_single<V>) {
    Turn<V> turn = turn_of(abs(x));
    auto odd = (turn.quarters & 1) != 0;
    V quotient = select(odd, turn.cosine, turn.sine) / select(odd, -turn.sine, turn.cosine);
    auto large = ~(abs(x) <= splat<V>(largest_turn<V>));
    return except(large, negated_with(quotient, x), [&] { return sleef_tan(x); });
  } else {
    return sleef_tan(x);
  }
}

// x less the nearest multiple of 2, exactly. Of an infinity a NaN.
template <class V>
HEDDLE_INLINE V remainder_of_2(V x) {
  V half = rint(x * splat<V>(0.5));
  return x - (half + half);
}
// Of pi x, where |x| is no larger than this; and where it is.
template <class V>
inline constexpr double largest_half_turns = is_single<V> ? 0x1p20 : 0x1p50;
template <class V>
HEDDLE_INLINE Turn<V> turn_of_pi(V size) {
  Rounded<V> q = rounded_product(size, splat<V>(2));
  V r = fma(q.value, splat<V>(-0.5), size);  // exact
  V s = r * r;
  V rest = fma(r * s, polynomial(s, fitted::sinpi_single, fitted::sinpi_double), r * splat<V>(pi_low<V>));
  V cosine = fma(s, polynomial(s, fitted::cospi_single, fitted::cospi_double), splat<V>(1));
  return {fma(r, splat<V>(pi<V>), rest), cosine, q.word};
}
template <class V>
HEDDLE_INLINE V sleef_sinpi_anywhere(V x) {
  V r = remainder_of_2(x), size = abs(r);
  return select((size == splat<V>(0)) | (size == splat<V>(1)), splat<V>(0), sleef_sinpi(r));
}
template <class V>
HEDDLE_INLINE V sleef_cospi_anywhere(V x) {
  V r = remainder_of_2(x);
  return select(abs(r) == splat<V>(0.5), splat<V>(0), sleef_cospi(r));
}
// Whole numbers give a zero of their own sign (IEEE 754, 9.2.1: sinPi); halves give cosPi a positive one.
template <class V>
HEDDLE_INLINE V device_sinpi(V x) {
  V result;
  if constexpr (fuses) {
    auto large = ~(abs(x) <= splat<V>(largest_half_turns<V>));
    result = except(large, sine_of(turn_of_pi(abs(x)), x), [&] { return sleef_sinpi_anywhere(x); });
  } else {
    result = sleef_sinpi_anywhere(x);
  }
  return select(result == splat<V>(0), copysign(splat<V>(0), x), result);
}
template <class V>
HEDDLE_INLINE V device_cospi(V x) {
  V result;
  if constexpr (fuses) {
    auto large = ~(abs(x) <= splat<V>(largest_half_turns<V>));
    result = except(large, cosine_of(turn_of_pi(abs(x))), [&] { return sleef_cospi_anywhere(x); });
  } else {
    result = sleef_cospi_anywhere(x);
  }
  return select(result == splat<V>(0), splat<V>(0), result);
}
template <class V>
HEDDLE_INLINE V device_sincospi(V x, V* cosine) {
  if constexpr (fuses) {
    Turn<V> turn = turn_of_pi(abs(x));
    auto large = ~(abs(x) <= splat<V>(largest_half_turns<V>));
    *cosine = except(large, cosine_of(turn), [&] { return sleef_cospi_anywhere(x); });
    V sine = except(large, sine_of(turn, x), [&] { return sleef_sinpi_anywhere(x); });
    *cosine = select(*cosine == splat<V>(0), splat<V>(0), *cosine);
    return select(sine == splat<V>(0), copysign(splat<V>(0), x), sine);
  } else {
    *cosine = device_cospi(x);
    return device_sinpi(x);
  }
}

template <class V>
HEDDLE_INLINE V device_asin(V x) {
  if constexpr (fuses) {
    ArcSine<V> arc = asin_of(abs(x));
    V far = (splat<V>(pi<V> / 2) - (arc.part + arc.part)) + splat<V>(pi_low<V> / 2);
    return copysign(select(arc.far, far, arc.part), x);
  } else {
    return sleef_asin(x);
  }
}
template <class V>
HEDDLE_INLINE V device_acos(V x) {
  if constexpr (fuses) {
    ArcSine<V> arc = asin_of(abs(x));
    V twice = arc.part + arc.part;
    V far = select(x < splat<V>(0), (splat<V>(pi<V>) - twice) + splat<V>(pi_low<V>), twice);
    V near = splat<V>(pi<V> / 2) - (copysign(arc.part, x) - splat<V>(pi_low<V> / 2));
    return select(arc.far, far, near);
  } else {
    return sleef_acos(x);
  }
}
template <class V>
HEDDLE_INLINE V device_atan(V x) {
  if constexpr (fuses) {
    V size = abs(x);
    auto steep = size > splat<V>(1);
    V near = atan_to_1(select(steep, splat<V>(1) / size, size));
    V result = select(steep, splat<V>(pi<V> / 2) - (near - splat<V>(pi_low<V> / 2)), near);
    return copysign(result, x);
  } else {
    return sleef_atan(x);
  }
}
template <class V>
HEDDLE_INLINE V device_atan2(V y, V x) {
  if constexpr (fuses) {
    V rise = abs(y), run = abs(x);
    auto steep = rise > run;
    V more = select(steep, rise, run), less = select(steep, run, rise);
    V result = atan_to_1(less / more);
    result = select(steep, splat<V>(pi<V> / 2) - (result - splat<V>(pi_low<V> / 2)), result);
    result = select(bits(x) < 0, splat<V>(pi<V>) - (result - splat<V>(pi_low<V>)), result);
    // Zero by zero, infinity by infinity, and numbers that are none.
    auto special = ~((more > splat<V>(0)) & (rise < infinity<V>()) & (run < infinity<V>()));
    return except(special, copysign(result, y), [&] { return sleef_atan2(y, x); });
  } else {
    return sleef_atan2(y, x);
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
