// Elements as vectors, and what they become. Compiled once for each kind of host, in a namespace of its own.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "exec/jit/matrix/codes.h"

namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL {

#define HEDDLE_INLINE [[gnu::always_inline]] inline

template <class T, int N>
using Vec = T __attribute__((ext_vector_type(N)));
using F64x4 = Vec<double, 4>;
using F64x8 = Vec<double, 8>;
using F32x8 = Vec<float, 8>;
using F32x4 = Vec<float, 4>;
using U8x8 = Vec<uint8_t, 8>;
using U16x8 = Vec<uint16_t, 8>;
using U32x8 = Vec<uint32_t, 8>;
using I32x8 = Vec<int32_t, 8>;
using I32x4 = Vec<int32_t, 4>;
using I64x8 = Vec<int64_t, 8>;

template <class V>
HEDDLE_INLINE V load(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class V>
HEDDLE_INLINE void store(void* to, V value) {
  std::memcpy(to, &value, sizeof value);
}
template <class To, class From>
HEDDLE_INLINE To bits_as(From from) {
  return __builtin_bit_cast(To, from);
}
template <class To, class From>
HEDDLE_INLINE To convert(From from) {
  return __builtin_convertvector(from, To);
}

HEDDLE_INLINE F32x8 from_f16(U16x8 bits) {
#if defined(__F16C__)
  return bits_as<F32x8>(_mm256_cvtph_ps(bits_as<__m128i>(bits)));
#else
  const U32x8 wide = convert<U32x8>(bits), magnitude = wide & 0x7fff;
  // Another bias, one more of the same for infinities and NaNs; numbers without an exponent are counted.
  const U32x8 usual = (magnitude << 13) + (magnitude >= 0x7c00 ? U32x8(0x7000'0000) : U32x8(0x3800'0000));
  const F32x8 tiny = convert<F32x8>(bits_as<I32x8>(magnitude)) * 0x1p-24f;
  const U32x8 value = magnitude < 0x400 ? bits_as<U32x8>(tiny) : usual;
  return bits_as<F32x8>(value | (wide & 0x8000) << 16);
#endif
}

// An element of 16 bits or less as f32, exactly. Formats of 8 bits and less are halves with another bias.
template <Number number>
HEDDLE_INLINE F32x8 as_f32(U16x8 bits) {
  const auto small = [&](int sign, int magnitude, int shift, float scale) {
    const uint16_t ones = static_cast<uint16_t>((1 << magnitude) - 1);
    return from_f16((bits & ones) << static_cast<uint16_t>(shift) | (bits >> static_cast<uint16_t>(sign) & 1)
                                                                        << 15) *
           scale;
  };
  if constexpr (number == Number::f16) {
    return from_f16(bits);
  } else if constexpr (number == Number::bf16) {
    return bits_as<F32x8>(convert<U32x8>(bits) << 16);
  } else if constexpr (number == Number::e5m2) {
    return from_f16(bits << 8);
  } else if constexpr (number == Number::e4m3) {
    const U32x8 value = bits_as<U32x8>(small(7, 7, 7, 0x1p8f));
    return bits_as<F32x8>(value | (bits_as<U32x8>(convert<I32x8>(bits & 0x7f) == 0x7f) & 0x7fc0'0000));
  } else if constexpr (number == Number::e3m2) {
    return small(5, 5, 8, 0x1p12f);
  } else if constexpr (number == Number::e2m3) {
    return small(5, 5, 7, 0x1p14f);
  } else if constexpr (number == Number::e2m1) {
    return small(3, 3, 9, 0x1p14f);
  } else {
    static_assert(number == Number::e2m1_in_byte);
    return as_f32<Number::e2m1>(bits >> 2);
  }
}

constexpr int width_of(Number n) {
  switch (n) {
    case Number::f64: return 64;
    case Number::f32:
    case Number::tf32:
    case Number::s32: return 32;
    case Number::f16:
    case Number::bf16: return 16;
    case Number::e2m1:
    case Number::s4:
    case Number::u4: return 4;
    case Number::b1: return 1;
    default: return 8;
  }
}

// ---- 8 x 8, turned: to[i][j] = from[j][i], the columns of `to` in the order that is asked for
constexpr int column_at(Order order, int place) {
  return order == Order::plain ? place : place < 4 ? 2 * place : 2 * place - 7;
}

#if defined(__AVX512BW__)
struct TurnIndices {
  uint16_t from[2][2][32] = {};
  constexpr TurnIndices() {
    for (const Order order : {Order::plain, Order::even_first})
      for (int half = 0; half < 2; ++half)
        for (int i = 0; i < 32; ++i)
          from[static_cast<int>(order)][half][i] =
              static_cast<uint16_t>(8 * column_at(order, i % 8) + 4 * half + i / 8);
  }
};
alignas(64) inline constexpr TurnIndices turn_indices;

HEDDLE_INLINE void turn_16(const std::byte* from, Order order, std::byte* to) {
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 64);
  for (int half = 0; half < 2; ++half) {
    const __m512i indices = _mm512_loadu_si512(turn_indices.from[static_cast<int>(order)][half]);
    _mm512_storeu_si512(to + 64 * half, _mm512_permutex2var_epi16(low, indices, high));
  }
}
#else
HEDDLE_INLINE void turn_16(const std::byte* from, Order order, std::byte* to) {
  const auto low = [](U16x8 a, U16x8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); };
  const auto high = [](U16x8 a, U16x8 b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  };
  U16x8 rows[8], turned[8];
  for (int i = 0; i < 8; ++i) rows[i] = load<U16x8>(from + 16 * column_at(order, i));
  // What is four rows apart comes together, three times.
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      turned[2 * i] = low(rows[i], rows[i + 4]);
      turned[2 * i + 1] = high(rows[i], rows[i + 4]);
    }
    for (int i = 0; i < 8; ++i) rows[i] = turned[i];
  }
  for (int i = 0; i < 8; ++i) store(to + 16 * i, rows[i]);
}
#endif

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
