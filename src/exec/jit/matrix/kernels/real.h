// Products of floating-point numbers, in doubles.
#pragma once

#include "exec/jit/matrix/kernels/number.h"

namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL {

HEDDLE_INLINE F64x8 widened(F32x8 values) { return convert<F64x8>(values); }

// Elements of 4 bits, as 16 bits each.
HEDDLE_INLINE U16x8 nibbles(uint32_t eight) {
  const U32x8 by = {0, 4, 8, 12, 16, 20, 24, 28};
  return convert<U16x8>(U32x8(eight) >> by & 15);
}

// ---- the left matrix. A register is 8 rows of 16 bytes, or, of f64, of 32
template <Number number>
void left(const std::byte* registers, int count, void* matrix) {
  auto* out = static_cast<double*>(matrix);
  for (int r = 0; r < count; ++r) {
    if constexpr (number == Number::f64) {
      std::memcpy(out + 32 * r, registers + 256 * r, 256);
    } else if constexpr (number == Number::tf32) {
      for (int i = 0; i < 4; ++i) {
        const U32x8 bits = load<U32x8>(registers + 128 * r + 32 * i) & 0xffffe000;
        store(out + 32 * r + 8 * i, widened(bits_as<F32x8>(bits)));
      }
    } else if constexpr (width_of(number) == 16) {
      for (int row = 0; row < 8; ++row)
        store(out + 64 * r + 8 * row, widened(as_f32<number>(load<U16x8>(registers + 128 * r + 16 * row))));
    }
  }
}

// Elements of less than 16 bits: a row has several pieces of 8 along k. Registers alternate between upper and
// lower rows where there are 16.
template <Number number, int halves>
HEDDLE_INLINE void left_small(const std::byte* registers, int count, double* out) {
  constexpr int pieces = 16 / width_of(number);
  for (int r = 0; r < count; ++r)
    for (int row = 0; row < 8; ++row)
      for (int p = 0; p < pieces; ++p) {
        const std::byte* from = registers + 128 * r + 16 * row + width_of(number) * p;
        U16x8 bits;
        if constexpr (width_of(number) == 8)
          bits = convert<U16x8>(load<U8x8>(from));
        else
          bits = nibbles(load<uint32_t>(from));
        const int piece = (r / halves * pieces + p) * halves + r % halves;
        store(out + 64 * piece + 8 * row, widened(as_f32<number>(bits)));
      }
}
// There are no such products of 8 rows.
template <Number number>
void left_in_bytes(const std::byte* registers, int count, void* matrix) {
  left_small<number, 2>(registers, count, static_cast<double*>(matrix));
}

// ---- the right matrix. A register is 8 columns of 16 bytes, or, of f64, of 32
template <Number number>
void right(const std::byte* registers, int count, Order order, void* matrix) {
  auto* out = static_cast<double*>(matrix);
  for (int r = 0; r < count; ++r) {
    if constexpr (number == Number::f64 || number == Number::tf32) {
      double* to = out + 32 * r;
      for (int column = 0; column < 8; ++column) {
        const int from = column_at(order, column);
        for (int k = 0; k < 4; ++k) {
          if constexpr (number == Number::f64) {
            to[8 * k + column] = load<double>(registers + 256 * r + 32 * from + 8 * k);
          } else {
            const uint32_t bits = load<uint32_t>(registers + 128 * r + 16 * from + 4 * k) & 0xffffe000;
            to[8 * k + column] = static_cast<double>(bits_as<float>(bits));
          }
        }
      }
    } else {
      alignas(64) std::byte turned[128];
      turn_16(registers + 128 * r, order, turned);
      // Each row is of 16 bits along k.
      constexpr int width = width_of(number), each = 16 / width;
      for (int row = 0; row < 8; ++row) {
        const U16x8 bits = load<U16x8>(turned + 16 * row);
        for (int part = 0; part < each; ++part) {
          U16x8 element = bits >> static_cast<uint16_t>(width * part);
          if constexpr (width < 16) element &= static_cast<uint16_t>((1 << width) - 1);
          store(out + 8 * ((8 * r + row) * each + part), widened(as_f32<number>(element)));
        }
      }
    }
  }
}

// ---- sums
inline void read_f32(const std::byte* registers, int rows, double* sums) {
  for (int row = 0; row < rows; ++row) {
    const std::byte* from = registers + 256 * (row / 8) + 16 * (row % 8);
    const F32x4 even = load<F32x4>(from), odd = load<F32x4>(from + 128);
    store(sums + 8 * row, widened(__builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7)));
  }
}
inline void read_f16(const std::byte* registers, int rows, double* sums) {
  for (int row = 0; row < rows; ++row)
    store(sums + 8 * row, widened(from_f16(load<U16x8>(registers + 16 * row))));
}
inline void read_f64(const std::byte* registers, int rows, double* sums) {
  for (int row = 0; row < rows; ++row) {
    const std::byte* from = registers + 512 * (row / 8) + 32 * (row % 8);
    std::memcpy(sums + 8 * row, from, 32);
    std::memcpy(sums + 8 * row + 4, from + 256, 32);
  }
}

// What is no number becomes the one NaN; with .satfinite it becomes 0, infinities the largest number (PTX
// ISA 9.7.14.4.5).
inline void write_f32(const double* sums, int rows, bool saturate, std::byte* registers) {
  for (int row = 0; row < rows; ++row) {
    const F32x8 value = convert<F32x8>(load<F64x8>(sums + 8 * row));
    const I32x8 nan = value != value;
    I32x8 bits = nan ? I32x8(0x7fff'ffff) : bits_as<I32x8>(value);
    if (saturate) {
      bits = nan ? I32x8(0) : bits;
      bits = (bits & 0x7fff'ffff) == 0x7f80'0000 ? bits - 1 : bits;
    }
    std::byte* to = registers + 256 * (row / 8) + 16 * (row % 8);
    store(to, __builtin_shufflevector(bits, bits, 0, 1, 2, 3));
    store(to + 128, __builtin_shufflevector(bits, bits, 4, 5, 6, 7));
  }
}

// Rounded to odd on the way, so that the second rounding is the only one.
HEDDLE_INLINE F32x8 rounded_to_odd(F64x8 value) {
  const F32x8 nearest = convert<F32x8>(value);
  const F64x8 back = convert<F64x8>(nearest);
  const I32x8 bits = bits_as<I32x8>(nearest);
  // Towards zero where rounding went away from it, then odd.
  const I32x8 away =
      convert<I32x8>(I64x8(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(value)));
  const I32x8 inexact = convert<I32x8>(I64x8(back != value));
  return bits_as<F32x8>((bits + away) | (inexact & 1));
}

HEDDLE_INLINE U16x8 to_f16(F32x8 value) {
#if defined(__F16C__)
  return bits_as<U16x8>(
      _mm256_cvtps_ph(bits_as<__m256>(value), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
  const U32x8 bits = bits_as<U32x8>(value), sign = bits >> 16 & 0x8000;
  const F32x8 magnitude = bits_as<F32x8>(bits & 0x7fff'ffff);
  // Numbers without an exponent of their own: the sum's last place is theirs.
  const U32x8 tiny = bits_as<U32x8>(magnitude + 0.5f) - 0x3f00'0000;
  const U32x8 odd = bits_as<U32x8>(magnitude) >> 13 & 1;
  const U32x8 usual = (bits_as<U32x8>(magnitude) - 0x3800'0000 + 0xfff + odd) >> 13;
  U32x8 result = magnitude < 0x1p-14f ? tiny : usual;
  result = magnitude >= 65520.0f ? U32x8(0x7c00) : result;
  return convert<U16x8>(result | sign);
#endif
}

inline void write_f16(const double* sums, int rows, bool saturate, std::byte* registers) {
  for (int row = 0; row < rows; ++row) {
    const F64x8 sum = load<F64x8>(sums + 8 * row);
    const Vec<int16_t, 8> nan = convert<Vec<int16_t, 8>>(I64x8(sum != sum));
    U16x8 bits = to_f16(rounded_to_odd(sum));
    if (saturate) bits = (bits & 0x7fff) == 0x7c00 ? bits - 1 : bits;
    store(registers + 16 * row, nan ? U16x8(saturate ? 0 : 0x7fff) : bits);
  }
}
inline void write_f64(const double* sums, int rows, std::byte* registers) {
  for (int row = 0; row < rows; ++row) {
    std::byte* to = registers + 512 * (row / 8) + 32 * (row % 8);
    std::memcpy(to, sums + 8 * row, 32);
    std::memcpy(to + 256, sums + 8 * row + 4, 32);
  }
}

// ---- products
HEDDLE_INLINE F64x8 add_product(F64x8 a, F64x8 b, F64x8 sum) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, sum);
#else
  return sum + a * b;  // the product is exact
#endif
}

// As many rows at once as registers take.
#if defined(__AVX512F__)
inline constexpr int rows_at_once = 16;
#elif defined(__AVX__)
inline constexpr int rows_at_once = 4;
#else
inline constexpr int rows_at_once = 2;
#endif

template <int rows, int step>
void multiply(const double* left, const double* right, int k, double* sums) {
  constexpr int together = rows < rows_at_once ? rows : rows_at_once;
  for (int first = 0; first < rows; first += together) {
    F64x8 sum[together];
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) sum[i] = load<F64x8>(sums + 8 * (first + i));
    const double *a = left + first * step, *b = right;
    for (int piece = 0; piece < k / step; ++piece, a += rows * step, b += 8 * step) {
#pragma clang loop unroll(full)
      for (int along = 0; along < step; ++along) {
        const F64x8 factor = load<F64x8>(b + 8 * along);
#pragma clang loop unroll(full)
        for (int i = 0; i < together; ++i) sum[i] = add_product(F64x8(a[i * step + along]), factor, sum[i]);
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) store(sums + 8 * (first + i), sum[i]);
  }
}

// A NaN is the first one among factor b, sum, factor a, made quiet, or the one of an invalid operation (as
// fma.f64 has it).
inline double nan_of(double a, double b, double sum) {
  constexpr uint64_t quiet = 0x0008'0000'0000'0000;
  for (const double source : {b, sum, a})
    if (source != source) return bits_as<double>(bits_as<uint64_t>(source) | quiet);
  return bits_as<double>(0xfff8'0000'0000'0000);
}

template <int rows>
void multiply_f64(const double* left, const double* right, int k, double* sums) {
  double before[8 * most_rows];
  std::memcpy(before, sums, 64 * rows);
#if defined(__FMA__)
  multiply<rows, 4>(left, right, k, sums);
  I64x8 nan = {};
  for (int row = 0; row < rows; ++row) {
    const F64x8 sum = load<F64x8>(sums + 8 * row);
    nan |= I64x8(sum != sum);
  }
  if (__builtin_reduce_or(nan) == 0) return;
#endif
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = before[8 * row + column];
      for (int i = 0; i < k; ++i) {
        const double a = left[(i / 4 * rows + row) * 4 + i % 4], b = right[8 * i + column];
        const double next = __builtin_fma(a, b, sum);
        sum = next == next ? next : nan_of(a, b, sum);
      }
      sums[8 * row + column] = sum;
    }
}

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
