// From places to texels, and from texels to registers. See lanes.h.
#pragma once

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
// A channel as a number; a normalised one not yet divided.
template <Coding coding>
HEDDLE_INLINE double number(uint32_t raw) {
  constexpr int unused = 32 - bits_of(coding);
  if constexpr (coding == Coding::bits32) return __builtin_bit_cast(float, raw);
  if constexpr (coding == Coding::f16) return __builtin_bit_cast(float, single_of_half(raw));
  auto value = static_cast<int32_t>(raw);
  if constexpr (is_signed(coding)) {
    value = static_cast<int32_t>(raw << unused) >> unused;
    if constexpr (is_normalized(coding)) value = value < -largest_of(coding) ? -largest_of(coding) : value;
  }
  return value;
}

template <Coding coding, bool bordered, bool first>
HEDDLE_INLINE void add_corner(const uint64_t* words, int shift, const int64_t* place, const double* weight,
                              double border, Range range, double* sum) {
  constexpr uint64_t mask = (uint64_t{1} << bits_of(coding)) - 1;
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    double texel = number<coding>(static_cast<uint32_t>(words[l] >> shift & mask));
    if constexpr (bordered) texel = place[l] < 0 ? border : texel;
    double part = weight[l] * texel;
    // Neither an infinity nor a sign there counts.
    if constexpr (bordered || !is_normalized(coding)) part = weight[l] == 0 ? -0.0 : part;
    sum[l] = first ? part : sum[l] + part;
  }
}

template <Coding coding, bool bordered>
void add(const Raw& raw, const int64_t* place, const double* weight, const Blending& how, bool first,
         Range range, Sums& sums) {
  for (int c = 0; c < how.channels; ++c) {
    const int bit = c * bits_of(coding), shift = bit % 64;
    const uint64_t* words = raw.word[bit / 64];
    if (first)
      add_corner<coding, bordered, true>(words, shift, place, weight, how.border[c], range, sums.channel[c]);
    else
      add_corner<coding, bordered, false>(words, shift, place, weight, how.border[c], range, sums.channel[c]);
  }
}

inline void finish(const Sums& sums, const Blending& how, const Decoding& decoding, Range range,
                   const Out& out) {
  for (int c = 0; c < 4; ++c) {
    uint64_t* to = out.component[c];
    if (to == nullptr) continue;
    const int source = decoding.source[c];
    if (source < 0) {
      fill(to, range, source == none_one ? decoding.one : 0);
      continue;
    }
    const double* sum = sums.channel[source];
    const double scale = how.scale;
    const uint32_t nan = how.nan;
    if (how.whole) {
      const double low = how.least, high = how.most;
#pragma clang loop vectorize(assume_safety)
      for (int l = range.first; l < range.end; ++l) {
        double value = __builtin_floor(sum[l] * scale + 0.5);
        value = value == value ? least(most(value, low), high) : 0;
        to[l] = static_cast<uint32_t>(static_cast<int64_t>(value));
      }
      continue;
    }
    if (how.divisor != 1) {
      const double divisor = how.divisor;
#pragma clang loop vectorize(assume_safety)
      for (int l = range.first; l < range.end; ++l) {
        const auto value = static_cast<float>(sum[l] * scale / divisor);
        to[l] = value == value ? __builtin_bit_cast(uint32_t, value) : nan;
      }
      continue;
    }
#pragma clang loop vectorize(assume_safety)
    for (int l = range.first; l < range.end; ++l) {
      const auto value = static_cast<float>(sum[l] * scale);
      to[l] = value == value ? __builtin_bit_cast(uint32_t, value) : nan;
    }
  }
}

// Whether all lanes have the first one's value.
inline bool all_equal(const uint64_t* values) {
  uint64_t differences = 0;
  for (int l = 0; l < warp_lanes; ++l) differences |= values[l] ^ values[0];
  return differences == 0;
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
