// From places to texels, and from texels to registers. See lanes.h.
#pragma once

#include <type_traits>

#include "exec/jit/texture/kernels/axis.h"
#include "exec/jit/texture/lanes.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

template <class T>
HEDDLE_INLINE T load(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

// ---- as they are -----------------------------------------------------------------------------------------
template <class T>
void gather(const std::byte* base, const int64_t* place, Range range, Raw& out) {
  for (int l = range.first; l < range.end; ++l) {
    const std::byte* at = base + (place[l] < 0 ? 0 : place[l]);
    if constexpr (sizeof(T) == 16) {
      out.word[0][l] = load<uint64_t>(at);
      out.word[1][l] = load<uint64_t>(at + 8);
    } else {
      out.word[0][l] = load<T>(at);
    }
  }
}

constexpr int bits_of(Coding coding) {
  switch (coding) {
    case Coding::u8:
    case Coding::s8:
    case Coding::unorm8:
    case Coding::snorm8: return 8;
    case Coding::bits32: return 32;
    default: return 16;
  }
}
constexpr bool is_normalized(Coding coding) {
  return coding == Coding::unorm8 || coding == Coding::snorm8 || coding == Coding::unorm16 ||
         coding == Coding::snorm16;
}
constexpr bool is_signed(Coding coding) {
  return coding == Coding::s8 || coding == Coding::s16 || coding == Coding::snorm8 ||
         coding == Coding::snorm16;
}
constexpr int32_t largest_of(Coding coding) {
  return static_cast<int32_t>((uint32_t{1} << (bits_of(coding) - (is_signed(coding) ? 1 : 0))) - 1);
}

// Exact; a NaN keeps its payload.
HEDDLE_INLINE uint32_t single_of_half(uint32_t half) {
  const uint32_t magnitude = (half & 0x7fff) << 13;
  const uint32_t finite = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) * 0x1p112f);
  const uint32_t special = magnitude | 0x7f80'0000;
  return ((half & 0x7c00) == 0x7c00 ? special : finite) | (half & 0x8000) << 16;
}

// One channel, zero-extended, as a register has it.
template <Coding coding>
HEDDLE_INLINE uint32_t decoded(uint32_t raw) {
  constexpr int unused = 32 - bits_of(coding);
  if constexpr (coding == Coding::f16) return single_of_half(raw);
  auto value = static_cast<int32_t>(raw);
  if constexpr (is_signed(coding)) value = static_cast<int32_t>(raw << unused) >> unused;
  if constexpr (is_normalized(coding)) {
    // One rounding of the quotient: that of f64 and then of f32 is the same for these few numbers.
    const float real = static_cast<float>(value) / static_cast<float>(largest_of(coding));
    return __builtin_bit_cast(uint32_t, is_signed(coding) && real < -1 ? -1.0f : real);
  }
  return static_cast<uint32_t>(value);
}

HEDDLE_INLINE void fill(uint64_t* out, Range range, uint32_t value) {
  for (int l = range.first; l < range.end; ++l) out[l] = value;
}

template <Coding coding>
void decode(const Raw& raw, const int64_t* place, const Decoding& how, Range range, const Out& out) {
  constexpr int bits = bits_of(coding);
  for (int c = 0; c < 4; ++c) {
    uint64_t* to = out.component[c];
    if (to == nullptr) continue;
    const int source = how.source[c];
    if (source < 0) {
      fill(to, range, source == none_one ? how.one : 0);
    } else {
      const uint64_t* words = raw.word[source * bits / 64];
      const int shift = source * bits % 64;
#pragma clang loop vectorize(assume_safety)
      for (int l = range.first; l < range.end; ++l)
        to[l] = decoded<coding>(static_cast<uint32_t>(words[l] >> shift & ((uint64_t{1} << bits) - 1)));
    }
    if (!how.bordered) continue;
    const uint64_t border = how.border[c];
#pragma clang loop vectorize(assume_safety)
    for (int l = range.first; l < range.end; ++l) to[l] = place[l] < 0 ? border : to[l];
  }
}

// ---- filtered --------------------------------------------------------------------------------------------
template <class T, int n>
using Vec = T __attribute__((ext_vector_type(n)));

// A texel's channels as numbers, n of them; normalised ones not yet divided.
template <Coding coding, int n>
HEDDLE_INLINE Vec<double, n> numbers(const std::byte* at) {
  if constexpr (coding == Coding::bits32) {
    return __builtin_convertvector(load<Vec<float, n>>(at), Vec<double, n>);
  } else if constexpr (coding == Coding::f16) {
    const auto halves = load<Vec<uint16_t, n>>(at);
    using Singles = Vec<float, n>;
    Vec<uint32_t, n> singles;
    for (int c = 0; c < n; ++c) singles[c] = single_of_half(halves[c]);
    return __builtin_convertvector(__builtin_bit_cast(Singles, singles), Vec<double, n>);
  } else {
    using Small =
        std::conditional_t<bits_of(coding) == 8, std::conditional_t<is_signed(coding), int8_t, uint8_t>,
                           std::conditional_t<is_signed(coding), int16_t, uint16_t>>;
    auto whole = __builtin_convertvector(load<Vec<Small, n>>(at), Vec<int32_t, n>);
    if constexpr (is_signed(coding)) {
      const Vec<int32_t, n> lowest = -largest_of(coding);
      whole = __builtin_elementwise_max(whole, lowest);
    }
    return __builtin_convertvector(whole, Vec<double, n>);
  }
}

// Sums of integers are exact in f64, and so is their quotient's rounding to f32: as no such quotient lies
// within 2^-41 of the middle between two floats, the roundings of a sum of quotients lead to the same float.
template <Coding coding, int n, bool bordered>
void blend(const std::byte* base, const Corners& corners, const Blending& how, Range range, Blended& out) {
  using V = Vec<double, n>;
  constexpr bool normalized = is_normalized(coding);
  constexpr uint32_t nan = coding == Coding::f16 ? 0x7fff'e000 : 0x7fff'ffff;
  V border;
  for (int c = 0; c < n; ++c) border[c] = how.border[c];
  const V largest = largest_of(coding);
  const V scale = how.scale, divisor = largest / how.scale;
  for (int l = range.first; l < range.end; ++l) {
    V sum = normalized ? V(0) : V(-0.0);
    for (unsigned k = 0; k < how.corners; ++k) {
      const int64_t place = corners.place[k][l];
      const double weight = corners.weight[k][l];
      V texel;
      if (bordered && place < 0) {
        texel = border;
      } else {
        texel = numbers<coding, n>(base + place);
        if constexpr (bordered && normalized) texel /= largest;
      }
      V part = weight * texel;
      if constexpr (!normalized) part = weight == 0 ? V(-0.0) : part;
      sum += part;
    }
    if constexpr (normalized && !bordered)
      sum /= divisor;
    else
      sum *= scale;
    const auto rounded = __builtin_convertvector(sum, Vec<float, n>);
    for (int c = 0; c < n; ++c) {
      const float value = rounded[c];
      out.channel[l][c] = value == value ? __builtin_bit_cast(uint32_t, value) : nan;
    }
  }
}

inline void spread(const Blended& blended, const Decoding& how, Range range, const Out& out) {
  for (int c = 0; c < 4; ++c) {
    uint64_t* to = out.component[c];
    if (to == nullptr) continue;
    const int source = how.source[c];
    if (source < 0) {
      fill(to, range, source == none_one ? how.one : 0);
    } else {
      for (int l = range.first; l < range.end; ++l) to[l] = blended.channel[l][source];
    }
  }
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
