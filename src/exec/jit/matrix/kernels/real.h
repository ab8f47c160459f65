// Products of floating-point numbers, in doubles.
#pragma once

#include <type_traits>

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

// 4 x 4, turned.
template <class Row>
HEDDLE_INLINE void turn_4(const Row (&from)[4], Row (&to)[4]) {
  const Row a = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5),
            b = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7),
            c = __builtin_shufflevector(from[2], from[3], 0, 4, 1, 5),
            d = __builtin_shufflevector(from[2], from[3], 2, 6, 3, 7);
  to[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  to[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  to[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// ---- the right matrix. A register is 8 columns of 16 bytes, or, of f64, of 32
template <Number number>
void right(const std::byte* registers, int count, Order order, void* matrix) {
  auto* out = static_cast<double*>(matrix);
  for (int r = 0; r < count; ++r) {
    if constexpr (number == Number::f64 || number == Number::tf32) {
      constexpr int bytes = number == Number::f64 ? 32 : 16;
      using Row = std::conditional_t<number == Number::f64, F64x4, F32x4>;
      Row rows[2][4];
      for (int half = 0; half < 2; ++half) {
        Row columns[4];
        for (int i = 0; i < 4; ++i) {
          const std::byte* from = registers + 8 * bytes * r + bytes * column_at(order, 4 * half + i);
          if constexpr (number == Number::f64)
            columns[i] = load<Row>(from);
          else
            columns[i] = bits_as<Row>(load<Vec<uint32_t, 4>>(from) & 0xffffe000);
        }
        turn_4(columns, rows[half]);
      }
      for (int k = 0; k < 4; ++k) {
        const auto row = __builtin_shufflevector(rows[0][k], rows[1][k], 0, 1, 2, 3, 4, 5, 6, 7);
        store(out + 32 * r + 8 * k, convert<F64x8>(row));
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

// ---- sums: rows of 8 columns, in an order. Of elements of 32 and 64 bits even and odd columns have
// registers of their own
template <Number number, Order order>
HEDDLE_INLINE F64x8 read_row(const std::byte* registers, int row) {
  if constexpr (number == Number::f16) {
    const F64x8 sums = widened(from_f16(load<U16x8>(registers + 16 * row)));
    return order == Order::plain ? sums : __builtin_shufflevector(sums, sums, 0, 2, 4, 6, 1, 3, 5, 7);
  } else if constexpr (number == Number::f32) {
    const std::byte* from = registers + 256 * (row / 8) + 16 * (row % 8);
    const F32x4 even = load<F32x4>(from), odd = load<F32x4>(from + 128);
    return widened(order == Order::plain ? __builtin_shufflevector(even, odd, 0, 4, 1, 5, 2, 6, 3, 7)
                                         : __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7));
  } else {
    static_assert(order == Order::even_first);
    const std::byte* from = registers + 512 * (row / 8) + 32 * (row % 8);
    return __builtin_shufflevector(load<F64x4>(from), load<F64x4>(from + 256), 0, 1, 2, 3, 4, 5, 6, 7);
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

// Plain order for f16, even columns first for others. What is no number becomes the one NaN; with .satfinite
// it becomes 0, infinities the largest number (PTX ISA 9.7.14.4.5).
template <Number number>
HEDDLE_INLINE void write_row(F64x8 sum, bool saturate, std::byte* registers, int row) {
  if constexpr (number == Number::f16) {
    const Vec<int16_t, 8> nan = convert<Vec<int16_t, 8>>(I64x8(sum != sum));
    U16x8 bits = to_f16(rounded_to_odd(sum));
    if (saturate) bits = (bits & 0x7fff) == 0x7c00 ? bits - 1 : bits;
    store(registers + 16 * row, nan ? U16x8(saturate ? 0 : 0x7fff) : bits);
  } else if constexpr (number == Number::f32) {
    const F32x8 value = convert<F32x8>(sum);
    const I32x8 nan = value != value;
    I32x8 bits = nan ? I32x8(0x7fff'ffff) : bits_as<I32x8>(value);
    if (saturate) {
      bits = nan ? I32x8(0) : bits;
      bits = (bits & 0x7fff'ffff) == 0x7f80'0000 ? bits - 1 : bits;
    }
    std::byte* to = registers + 256 * (row / 8) + 16 * (row % 8);
    store(to, __builtin_shufflevector(bits, bits, 0, 1, 2, 3));
    store(to + 128, __builtin_shufflevector(bits, bits, 4, 5, 6, 7));
  } else {
    std::byte* to = registers + 512 * (row / 8) + 32 * (row % 8);
    store(to, __builtin_shufflevector(sum, sum, 0, 1, 2, 3));
    store(to + 256, __builtin_shufflevector(sum, sum, 4, 5, 6, 7));
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

template <int rows, int step, int together>
HEDDLE_INLINE void add_products(const double* left, const double* right, int k, F64x8 (&sum)[together]) {
  for (int piece = 0; piece < k / step; ++piece, left += rows * step, right += 8 * step) {
#pragma clang loop unroll(full)
    for (int along = 0; along < step; ++along) {
      const F64x8 factor = load<F64x8>(right + 8 * along);
#pragma clang loop unroll(full)
      for (int i = 0; i < together; ++i) sum[i] = add_product(F64x8(left[i * step + along]), factor, sum[i]);
    }
  }
}

template <int step, Number c_number, Number d_number>
void multiply(const double* left, const double* right, int k, bool saturate, const std::byte* c,
              std::byte* d) {
  constexpr int rows = 16, together = rows_at_once;
  constexpr Order order = d_number == Number::f16 ? Order::plain : Order::even_first;
  for (int first = 0; first < rows; first += together) {
    F64x8 sum[together];
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) sum[i] = read_row<c_number, order>(c, first + i);
    add_products<rows, step>(left + first * step, right, k, sum);
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) write_row<d_number>(sum[i], saturate, d, first + i);
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

// One after another, where a NaN comes up, and on hosts that do not fuse.
template <int rows>
void multiply_f64_alone(const double* left, const double* right, int k, const std::byte* c, std::byte* d) {
  for (int row = 0; row < rows; ++row) {
    F64x8 sums = read_row<Number::f64, Order::even_first>(c, row);
    for (int column = 0; column < 8; ++column) {
      double sum = sums[column];
      for (int i = 0; i < k; ++i) {
        const double a = left[(i / 4 * rows + row) * 4 + i % 4], b = right[8 * i + column];
        const double next = __builtin_fma(a, b, sum);
        sum = next == next ? next : nan_of(a, b, sum);
      }
      sums[column] = sum;
    }
    write_row<Number::f64>(sums, false, d, row);
  }
}

template <int rows>
void multiply_f64(const double* left, const double* right, int k, const std::byte* c, std::byte* d) {
#if defined(__FMA__)
  constexpr int together = rows < rows_at_once ? rows : rows_at_once;
  I64x8 nan = {};
  for (int first = 0; first < rows; first += together) {
    F64x8 sum[together];
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) sum[i] = read_row<Number::f64, Order::even_first>(c, first + i);
    add_products<rows, 4>(left + first * 4, right, k, sum);
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) {
      nan |= I64x8(sum[i] != sum[i]);
      write_row<Number::f64>(sum[i], false, d, first + i);
    }
  }
  if (__builtin_reduce_or(nan) == 0) return;
#endif
  multiply_f64_alone<rows>(left, right, k, c, d);
}

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
