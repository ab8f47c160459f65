// Products of integers and bits.
#pragma once

#include "exec/jit/matrix/kernels/number.h"
#include "exec/jit/matrix/kernels/real.h"

namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL {

template <Number number>
HEDDLE_INLINE U16x8 as_integers(const std::byte* from) {
  if constexpr (number == Number::u8) return convert<U16x8>(load<U8x8>(from));
  if constexpr (number == Number::s8)
    return bits_as<U16x8>(convert<Vec<int16_t, 8>>(load<Vec<int8_t, 8>>(from)));
  const U16x8 four = nibbles(load<uint32_t>(from));
  if constexpr (number == Number::s4) return bits_as<U16x8>(bits_as<Vec<int16_t, 8>>(four << 12) >> 12);
  return four;
}

// Pairs along k: 8 rows by 8 pairs, pieces as those of doubles.
template <Number number, int halves>
HEDDLE_INLINE void integers_by_row(const std::byte* registers, int count, int16_t* out) {
  constexpr int pieces = 8 / width_of(number);  // of 16 numbers, of a row of a register
  for (int r = 0; r < count; ++r)
    for (int row = 0; row < 8; ++row)
      for (int p = 0; p < pieces; ++p) {
        const std::byte* from = registers + 128 * r + 16 * row + 2 * width_of(number) * p;
        const int piece = (r / halves * pieces + p) * halves + r % halves;
        int16_t* to = out + 128 * piece + 16 * row;
        store(to, as_integers<number>(from));
        store(to + 8, as_integers<number>(from + width_of(number)));
      }
}
// With 16 rows registers alternate between upper and lower ones; a single register is 8 rows.
template <Number number>
void left_integers(const std::byte* registers, int count, void* matrix) {
  if (count == 1)
    integers_by_row<number, 1>(registers, count, static_cast<int16_t*>(matrix));
  else
    integers_by_row<number, 2>(registers, count, static_cast<int16_t*>(matrix));
}

template <Number number>
void right_integers(const std::byte* registers, int count, Order order, void* matrix) {
  constexpr int pieces = 8 / width_of(number);
  auto* out = static_cast<uint32_t*>(matrix);
  for (int r = 0; r < count; ++r)
    for (int p = 0; p < pieces; ++p) {
      uint32_t rows[8][8];
      for (int column = 0; column < 8; ++column) {
        const std::byte* from =
            registers + 128 * r + 16 * column_at(order, column) + 2 * width_of(number) * p;
        store(rows[column], as_integers<number>(from));
        store(rows[column] + 4, as_integers<number>(from + width_of(number)));
      }
      uint32_t* to = out + 64 * (pieces * r + p);
      for (int pair = 0; pair < 8; ++pair)
        for (int column = 0; column < 8; ++column) to[8 * pair + column] = rows[column][pair];
    }
}

HEDDLE_INLINE I32x8 sum_of_pairs(I32x8 a, I32x8 b) {
#if defined(__AVX2__)
  return bits_as<I32x8>(_mm256_madd_epi16(bits_as<__m256i>(a), bits_as<__m256i>(b)));
#else
  struct Halves {
    __m128i low, high;
  };
  const auto x = bits_as<Halves>(a), y = bits_as<Halves>(b);
  return bits_as<I32x8>(Halves{_mm_madd_epi16(x.low, y.low), _mm_madd_epi16(x.high, y.high)});
#endif
}

HEDDLE_INLINE void write_integers(I32x8 products, bool saturate, const std::byte* c, std::byte* d) {
  const I32x8 before = __builtin_shufflevector(load<I32x4>(c), load<I32x4>(c + 128), 0, 1, 2, 3, 4, 5, 6, 7);
  const I32x8 sum = saturate ? __builtin_elementwise_add_sat(before, products)
                             : bits_as<I32x8>(bits_as<U32x8>(before) + bits_as<U32x8>(products));
  store(d, __builtin_shufflevector(sum, sum, 0, 1, 2, 3));
  store(d + 128, __builtin_shufflevector(sum, sum, 4, 5, 6, 7));
}

template <int rows>
void multiply_integers(const int16_t* left, const int16_t* right, int k, bool saturate, const std::byte* c,
                       std::byte* d) {
  constexpr int together = 8;
  for (int first = 0; first < rows; first += together) {
    I32x8 sum[together] = {};
    const int16_t *a = left + 16 * first, *b = right;
    for (int piece = 0; piece < k / 16; ++piece, a += 16 * rows, b += 128) {
      for (int pair = 0; pair < 8; ++pair) {
        const I32x8 factor = load<I32x8>(b + 16 * pair);
#pragma clang loop unroll(full)
        for (int i = 0; i < together; ++i)
          sum[i] += sum_of_pairs(I32x8(load<int32_t>(a + 16 * i + 2 * pair)), factor);
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < together; ++i) {
      const int at = 256 * (first / 8) + 16 * i;
      write_integers(sum[i], saturate, c + at, d + at);
    }
  }
}

// ---- bits
inline void left_bits(const std::byte* registers, int count, void* matrix) {
  std::memcpy(matrix, registers, static_cast<std::size_t>(128 * count));
}
inline void right_bits(const std::byte* registers, int count, Order order, void* matrix) {
  auto* out = static_cast<uint32_t*>(matrix);
  for (int r = 0; r < count; ++r)
    for (int column = 0; column < 8; ++column)
      std::memcpy(out + 32 * r + 4 * column, registers + 128 * r + 16 * column_at(order, column), 16);
}

template <int rows>
void multiply_bits(const uint32_t* left, const uint32_t* right, int k, bool exclusive, const std::byte* c,
                   std::byte* d) {
  const auto ones = [&](const uint32_t* a, const uint32_t* b) {
    const auto x = load<uint64_t>(a), y = load<uint64_t>(b);
    return __builtin_popcountll(exclusive ? x ^ y : x & y);
  };
  for (int row = 0; row < rows; ++row) {
    I32x8 sum = {};
    for (int piece = 0; piece < k / 128; ++piece) {
      const uint32_t *a = left + 4 * (piece * rows + row), *b = right + 32 * piece;
      for (int column = 0; column < 8; ++column)
        sum[column] += ones(a, b + 4 * column) + ones(a + 2, b + 4 * column + 2);
    }
    const int at = 256 * (row / 8) + 16 * (row % 8);
    write_integers(sum, false, c + at, d + at);
  }
}

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
