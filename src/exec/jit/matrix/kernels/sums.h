// Sums as devices make them (exec/interp/matrix/tensor_sum.h, warp_sum.h), in doubles: a term's bits behind
// the 25th below the largest exponent are cut by rounding towards zero at that place, and what is left adds
// exactly.
#pragma once

#include "exec/jit/matrix/kernels/real.h"

namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL {

inline constexpr int term_bits = 25;
inline constexpr uint64_t exponent_one = uint64_t{1} << 52;

HEDDLE_INLINE double two_to(int exponent) {
  return bits_as<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// 2 to the exponent that stands in a number of the type; 0 of 0.
template <class V, class U>
HEDDLE_INLINE V power_of(V value, double least) {
  const V power = bits_as<V>(bits_as<U>(value) & U(0x7ff0'0000'0000'0000));
  const V raised = power < least ? V(least) : power;
  return __builtin_elementwise_abs(value) < 0x1p-900 ? V(0) : raised;  // 0, or unstored
}

// The factors' powers. Where a factor is no number, the factors again with 0 in its place: sums that it takes
// part in are plain ones, and others have it beside an element that is not stored.
inline constexpr int most_summed = 64;  // along k
struct Factors {
  const double *left, *right;
  bool finite = true;
  alignas(64) double left_powers[16 * most_summed], right_powers[8 * most_summed];
  alignas(64) double left_numbers[16 * most_summed], right_numbers[8 * most_summed];
};

HEDDLE_INLINE I64x8 is_finite(F64x8 value) {
  return I64x8(__builtin_elementwise_abs(value) < __builtin_inf());
}

HEDDLE_INLINE void find_powers(const double* left, const double* right, int k, int least, Factors& factors) {
  const double lowest = two_to(least);
  using Bits = Vec<uint64_t, 8>;
  I64x8 special = {};
  const auto find = [&](const double* from, double* to, int count) {
    for (int i = 0; i < count; i += 8) {
      const auto value = load<F64x8>(from + i);
      special |= ~is_finite(value);
      store(to + i, power_of<F64x8, Bits>(value, lowest));
    }
  };
  find(left, factors.left_powers, 16 * k);
  find(right, factors.right_powers, 8 * k);
  factors.left = left;
  factors.right = right;
  factors.finite = __builtin_reduce_or(special) == 0;
  if (factors.finite) [[likely]]
    return;
  const auto keep_numbers = [&](const double* from, double* to, double* powers, int count) {
    for (int i = 0; i < count; i += 8) {
      const auto value = load<F64x8>(from + i);
      store(to + i, is_finite(value) ? value : F64x8(0));
      store(powers + i, is_finite(value) ? load<F64x8>(powers + i) : F64x8(0));
    }
  };
  keep_numbers(left, factors.left_numbers, factors.left_powers, 16 * k);
  keep_numbers(right, factors.right_numbers, factors.right_powers, 8 * k);
  factors.left = factors.left_numbers;
  factors.right = factors.right_numbers;
}

// Whether a place within a piece belongs to this part of a sum in two, along k in turns of `period`; 0: it is
// one.
template <int step, int period>
HEDDLE_INLINE constexpr bool takes(int along, int part) {
  return period == 0 || (along % period < period / 2) == (part == 0);
}

// Rows side by side, so that none waits for itself.
#if defined(__AVX512F__)
inline constexpr int rows_summed = 8;
#elif defined(__AVX__)
inline constexpr int rows_summed = 4;
#else
inline constexpr int rows_summed = 2;
#endif

// Rows from `first` on, in place of c: c and the products, cut and added.
template <int step, int period>
HEDDLE_INLINE void sum_rows(const Factors& factors, int first, int k, int part, F64x8 (&c)[rows_summed],
                            double c_least) {
  constexpr int rows = 16;
  using Bits = Vec<uint64_t, 8>;
  const double *left = factors.left + first * step, *left_powers = factors.left_powers + first * step;
  F64x8 most[rows_summed], scale[rows_summed];
#pragma clang loop unroll(full)
  for (int i = 0; i < rows_summed; ++i) most[i] = power_of<F64x8, Bits>(c[i], c_least);
  for (int piece = 0; piece < k / step; ++piece)
#pragma clang loop unroll(full)
    for (int along = 0; along < step; ++along) {
      if (!takes<step, period>(along, part)) continue;
      const auto right = load<F64x8>(factors.right_powers + 8 * (piece * step + along));
#pragma clang loop unroll(full)
      for (int i = 0; i < rows_summed; ++i) {
        const F64x8 power = F64x8(left_powers[(piece * rows + i) * step + along]) * right;
        most[i] = most[i] > power ? most[i] : power;
      }
    }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows_summed; ++i) {
    // Below what any product has: only zeros are there.
    most[i] = most[i] < 0x1p-300 ? F64x8(0x1p-300) : most[i];
    scale[i] = bits_as<F64x8>(Bits((2 * 1023 + term_bits) * exponent_one) - bits_as<Bits>(most[i]));
    c[i] = __builtin_elementwise_trunc(c[i] * scale[i]) + F64x8(0);  // a zero is positive
  }
  for (int piece = 0; piece < k / step; ++piece)
#pragma clang loop unroll(full)
    for (int along = 0; along < step; ++along) {
      if (!takes<step, period>(along, part)) continue;
      const auto right = load<F64x8>(factors.right + 8 * (piece * step + along));
#pragma clang loop unroll(full)
      for (int i = 0; i < rows_summed; ++i)
        c[i] +=
            __builtin_elementwise_trunc(F64x8(left[(piece * rows + i) * step + along]) * right * scale[i]);
    }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows_summed; ++i) c[i] = c[i] * most[i] * 0x1p-25;
}

// What an f32 keeps, 23 bits behind the leading one: cut.
HEDDLE_INLINE F64x8 cut_to_f32(F64x8 value) {
  using Bits = Vec<uint64_t, 8>;
  const F64x8 usual = bits_as<F64x8>(bits_as<Bits>(value) & Bits(~((uint64_t{1} << 29) - 1)));
  const F64x8 small = __builtin_elementwise_trunc(value * 0x1p149) * 0x1p-149;
  return __builtin_elementwise_abs(value) < 0x1p-126 ? small : usual;
}

template <Number d_number>
HEDDLE_INLINE F64x8 kept(F64x8 value) {
  if constexpr (d_number == Number::f16)
    return widened(from_f16(to_f16(rounded_to_odd(value))));
  else
    return widened(convert<F32x8>(cut_to_f32(value)));
}

// Infinities and NaN as IEEE 754 has them: what a plain sum gives where it is no number.
template <int step, int period>
HEDDLE_INLINE F64x8 plain_row(const double* left, const double* right, int k, int part, F64x8 sum) {
  for (int i = 0; i < k; ++i) {
    const double factor = left[i / step * 16 * step + i % step];
    if (!takes<step, period>(i % step, part) || factor == unstored) continue;
    sum += F64x8(factor) * load<F64x8>(right + 8 * i);
  }
  return sum;
}
HEDDLE_INLINE F64x8 where_finite(F64x8 plain, F64x8 value) {
  return __builtin_elementwise_abs(plain) < __builtin_inf() ? value : plain;
}

HEDDLE_INLINE bool all_finite(F64x8 value) { return __builtin_reduce_and(is_finite(value)) != 0; }

template <int step, Number c_number, Number d_number>
void sum_whole(const double* left, const double* right, int k, int least, bool saturate, const std::byte* c,
               std::byte* d) {
  constexpr Order order = d_number == Number::f16 ? Order::plain : Order::even_first;
  const double c_least = two_to(c_number == Number::f16 ? -14 : -126);
  Factors factors;
  find_powers(left, right, k, least, factors);
  for (int first = 0; first < 16; first += rows_summed) {
    F64x8 from[rows_summed], sum[rows_summed];
#pragma clang loop unroll(full)
    for (int i = 0; i < rows_summed; ++i) sum[i] = from[i] = read_row<c_number, order>(c, first + i);
    sum_rows<step, 0>(factors, first, k, 0, sum, c_least);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows_summed; ++i) {
      if constexpr (d_number == Number::f32) sum[i] = cut_to_f32(sum[i]);
      if (!factors.finite || !all_finite(from[i])) [[unlikely]]
        sum[i] = where_finite(plain_row<step, 0>(left + (first + i) * step, right, k, 0, from[i]), sum[i]);
      write_row<d_number>(sum[i], saturate, d, first + i);
    }
  }
}

template <Number number, int period>
void sum_pairs(const double* left, const double* right, int k, int least, bool saturate, const std::byte* c,
               std::byte* d) {
  constexpr Order order = number == Number::f16 ? Order::plain : Order::even_first;
  const double sum_least = two_to(number == Number::f16 ? -14 : -126);
  Factors factors;
  find_powers(left, right, k, least, factors);
  for (int first = 0; first < 16; first += rows_summed) {
    F64x8 sum[rows_summed] = {};
    for (int part = 0; part < 2; ++part) {
      F64x8 before[rows_summed];
#pragma clang loop unroll(full)
      for (int i = 0; i < rows_summed; ++i) before[i] = sum[i];
      sum_rows<8, period>(factors, first, k, part, sum, sum_least);
#pragma clang loop unroll(full)
      for (int i = 0; i < rows_summed; ++i) {
        sum[i] = kept<number>(sum[i]);
        // A sum of halves may have become infinite.
        if (!factors.finite || !all_finite(before[i])) [[unlikely]]
          sum[i] =
              where_finite(plain_row<8, period>(left + (first + i) * 8, right, k, part, before[i]), sum[i]);
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < rows_summed; ++i) {
      const F64x8 from = read_row<number, order>(c, first + i);
      if constexpr (number == Number::f32)
        sum[i] = widened(convert<F32x8>(sum[i]) + convert<F32x8>(from));
      else
        sum[i] += from;
      write_row<number>(sum[i], saturate, d, first + i);
    }
  }
}

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
