// Places on surfaces, and what is loaded from and stored there (PTX ISA 9.7.11).
#pragma once

#include "exec/jit/texture/kernels/texel.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

HEDDLE_INLINE int64_t product(int64_t a, int64_t b) {  // of 31 bits each
  return int64_t{static_cast<int32_t>(a)} * int64_t{static_cast<int32_t>(b)};
}

template <Outside outside>
void surface(const uint64_t* const at[3], bool unsigned_slice, const SurfaceSetting& how, Range range,
             int64_t* place) {
  const uint64_t *xs = at[0], *ys = at[1], *zs = at[2];
  const SurfaceSetting s = how;
  const int64_t last_x = s.row - s.access;
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    int64_t x = product(static_cast<int32_t>(xs[l]), s.unit), y = static_cast<int32_t>(ys[l]);
    int64_t z = unsigned_slice ? static_cast<int64_t>(zs[l] & 0xffff'ffff) : static_cast<int32_t>(zs[l]);
    const bool inside = x >= 0 && x <= last_x && y >= 0 && y <= s.last[0] && z >= 0 && z <= s.last[1];
    if constexpr (outside == Outside::clamp) {
      x = x < 0 ? 0 : x > last_x ? last_x : x;
      x = inside ? x : x & -s.access;
    }
    const bool aligned = (x & (s.access - 1)) == 0;
    y = y < 0 ? 0 : y > s.last[0] ? s.last[0] : y;
    z = z < 0 ? 0 : z > s.last[1] ? s.last[1] : z;
    int64_t where = product(z, s.slice_pitch) + product(y, s.row_pitch) + x;
    where = aligned ? where : bad_place;
    if constexpr (outside == Outside::clamp) {
      where = !inside && last_x < 0 ? no_place : where;
    } else {
      where = inside ? where : outside == Outside::zero ? no_place : bad_place;
    }
    place[l] = where;
  }
}

inline void unpack(const Raw& raw, const int64_t* place, int bits, int i, Range range, uint64_t* out) {
  const uint64_t* words = raw.word[i * bits / 64];
  const int shift = i * bits % 64;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) out[l] = place[l] < 0 ? 0 : words[l] >> shift & mask;
}

// ---- stores ----------------------------------------------------------------------------------------------
HEDDLE_INLINE void put(Raw& raw, int l, int bit, uint64_t value) {
  uint64_t& word = raw.word[bit / 64][l];
  word = (bit % 64 == 0 ? 0 : word) | value << bit % 64;
}

template <class T>
void pack(const uint64_t* component, int bit, Range range, Raw& raw) {
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) put(raw, l, bit, static_cast<T>(component[l]));
}

// To nearest even; any NaN is 0x7fff.
HEDDLE_INLINE uint32_t half_of_single(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fff'ffff;
  const uint32_t normal = (magnitude - 0x3800'0000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Adding 0.5 puts the last bit of a subnormal half into that of the sum.
  const uint32_t small =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f00'0000;
  uint32_t half = magnitude < 0x3880'0000 ? small : normal;
  half = magnitude >= 0x477f'f000 ? 0x7c00 : half;
  half |= bits >> 16 & 0x8000;
  return magnitude > 0x7f80'0000 ? 0x7fff : half;
}

template <Coding coding>
HEDDLE_INLINE uint32_t encoded(uint32_t component) {
  if constexpr (coding == Coding::f16) {
    return half_of_single(component);
  } else if constexpr (coding == Coding::bits32) {
    return component;
  } else {
    constexpr uint32_t mask = (uint32_t{1} << bits_of(coding)) - 1;
    constexpr int32_t largest = largest_of(coding), lowest = is_signed(coding) ? -largest - 1 : 0;
    if constexpr (is_normalized(coding)) {
      double value = static_cast<double>(__builtin_bit_cast(float, component)) * largest;
      value = value == value ? least(most(value, lowest), largest) : 0;
      return static_cast<uint32_t>(static_cast<int32_t>(__builtin_nearbyint(value))) & mask;
    } else if constexpr (is_signed(coding)) {
      const auto value = static_cast<int32_t>(component);
      return static_cast<uint32_t>(value < lowest ? lowest : value > largest ? largest : value) & mask;
    } else {
      return component > mask ? mask : component;
    }
  }
}

template <Coding coding>
void encode(const uint64_t* component, int bit, Range range, Raw& raw) {
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l)
    put(raw, l, bit, encoded<coding>(static_cast<uint32_t>(component[l])));
}

template <class T>
void scatter(std::byte* base, const int64_t* place, uint32_t lanes, const Raw& raw) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    if (place[l] < 0) continue;
    std::byte* at = base + place[l];
    if constexpr (sizeof(T) == 16) {
      __builtin_memcpy(at, &raw.word[0][l], 8);
      __builtin_memcpy(at + 8, &raw.word[1][l], 8);
    } else {
      const auto value = static_cast<T>(raw.word[0][l]);
      __builtin_memcpy(at, &value, sizeof value);
    }
  }
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
