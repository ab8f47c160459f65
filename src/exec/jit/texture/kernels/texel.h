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
    case Coding::bits32:
    case Coding::u32:
    case Coding::s32: return 32;
    default: return 16;
  }
}
constexpr bool is_normalized(Coding coding) {
  return coding == Coding::unorm8 || coding == Coding::snorm8 || coding == Coding::unorm16 ||
         coding == Coding::snorm16;
}
constexpr bool is_signed(Coding coding) {
  return coding == Coding::s8 || coding == Coding::s16 || coding == Coding::snorm8 ||
         coding == Coding::snorm16 || coding == Coding::s32;
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
constexpr bool is_float(Coding coding) { return coding == Coding::bits32 || coding == Coding::f16; }

// Subnormals of f32 are zeros, those of texels and those of results.
HEDDLE_INLINE double flushed(double value) {
  return __builtin_fabs(value) < 0x1p-126 ? __builtin_copysign(0.0, value) : value;
}

// A channel as a number; a normalised one not yet divided.
template <Coding coding>
HEDDLE_INLINE double number(uint32_t raw) {
  constexpr int unused = 32 - bits_of(coding);
  if constexpr (coding == Coding::bits32) return flushed(double{__builtin_bit_cast(float, raw)});
  if constexpr (coding == Coding::f16) return __builtin_bit_cast(float, single_of_half(raw));
  if constexpr (coding == Coding::u32) return raw;
  auto value = static_cast<int32_t>(raw);
  if constexpr (is_signed(coding)) value = static_cast<int32_t>(raw << unused) >> unused;
  if constexpr (is_normalized(coding) && is_signed(coding))
    value = value < -largest_of(coding) ? -largest_of(coding) : value;
  return value;
}

// Floats keep four bits more than their format has, counted from the largest of them that has a weight.
template <Coding coding, int count>
HEDDLE_INLINE void cut(double* texel, const double* weight) {
  constexpr uint64_t kept = coding == Coding::f16 ? 14 : 27;
  double largest = 0x1p-200;
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) {
    const double magnitude = __builtin_fabs(texel[i]);
    largest = weight[i] != 0 ? most(magnitude, largest) : largest;
  }
  const uint64_t exponent = (__builtin_bit_cast(uint64_t, largest) >> 52) - kept;
  const double place = __builtin_bit_cast(double, exponent << 52);
  const double inverse = __builtin_bit_cast(double, (2046 - exponent) << 52);
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) texel[i] = __builtin_trunc(texel[i] * inverse) * place;
}

template <Coding coding, bool bordered, int count>
HEDDLE_INLINE void add_channel(const Corner* corners, int word, int shift, double border, Range range,
                               double* sum) {
  constexpr uint64_t mask = (uint64_t{1} << bits_of(coding)) - 1;
  const uint64_t* words[count];
  const int64_t* places[count];
  const double* weights[count];
  for (int i = 0; i < count; ++i) {
    words[i] = corners[i].raw->word[word];
    places[i] = corners[i].place;
    weights[i] = corners[i].weight;
  }
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    double texel[count], weight[count];
#pragma clang loop unroll(full)
    for (int i = 0; i < count; ++i) {
      texel[i] = number<coding>(static_cast<uint32_t>(words[i][l] >> shift & mask));
      if constexpr (bordered) texel[i] = places[i][l] < 0 ? border : texel[i];
      weight[i] = weights[i][l];
    }
    if constexpr (is_float(coding) && count > 1) cut<coding, count>(texel, weight);
    double all = 0;
#pragma clang loop unroll(full)
    for (int i = 0; i < count; ++i) {
      double part = weight[i] * texel[i];
      // Neither an infinity nor a sign there counts.
      if constexpr (is_float(coding)) part = weight[i] == 0 ? -0.0 : part;
      all = i == 0 ? part : all + part;
    }
    sum[l] += all;
  }
}

template <Coding coding, bool bordered>
void add(const Corner* corners, int count, const Blending& how, bool first, Range range, Sums& sums) {
  for (int c = 0; c < how.channels; ++c) {
    const int bit = c * bits_of(coding), shift = bit % 64, word = bit / 64;
    const double border = how.border[c];
    double* sum = sums.channel[c];
    if (first)
      for (int l = range.first; l < range.end; ++l) sum[l] = -0.0;
    if (count == 4)
      add_channel<coding, bordered, 4>(corners, word, shift, border, range, sum);
    else if (count == 2)
      add_channel<coding, bordered, 2>(corners, word, shift, border, range, sum);
    else
      add_channel<coding, bordered, 1>(corners, word, shift, border, range, sum);
  }
}

// Halves away from zero: to as many bits as f32 and f16 have. Neither infinite nor NaN.
template <int bits>
HEDDLE_INLINE double rounded_away(double value) {
  constexpr int rest = 53 - bits;
  return __builtin_bit_cast(
      double, (__builtin_bit_cast(uint64_t, value) + (uint64_t{1} << (rest - 1))) >> rest << rest);
}
HEDDLE_INLINE float single_away(double value) {
  const double magnitude = __builtin_fabs(value);
  const bool normal = magnitude >= 0x1p-126 && magnitude < __builtin_inf();
  // What is half of the last subnormal bit away from the smallest normal one becomes that.
  const double small = __builtin_copysign(magnitude < 0x1.fffffep-127 ? 0 : 0x1p-126, value);
  return static_cast<float>(normal ? rounded_away<24>(value) : magnitude < 0x1p-126 ? small : value);
}
HEDDLE_INLINE float half_away(double value) {
  const double magnitude = __builtin_fabs(value);
  const double small = __builtin_copysign(__builtin_floor(magnitude * 0x1p24 + 0.5) * 0x1p-24, value);
  const double normal = magnitude < __builtin_inf() ? rounded_away<11>(value) : value;
  return static_cast<float>(magnitude < 0x1p-14 ? small : normal);
}

template <Rounding rounding>
HEDDLE_INLINE uint64_t finished(double sum, const Blending& how) {
  if constexpr (rounding == Rounding::whole) {
    const double value = __builtin_floor(sum * how.scale + how.half);
    return static_cast<uint32_t>(static_cast<int64_t>(value == value ? value : 0));
  }
  float value;
  if constexpr (rounding == Rounding::single) value = single_away(sum * how.scale);
  if constexpr (rounding == Rounding::half) value = half_away(sum * how.scale);
  if constexpr (rounding == Rounding::nearest) value = static_cast<float>(sum * how.scale / how.divisor);
  if constexpr (rounding == Rounding::normalized) {
    // Signed bytes become 15 bits in a way of their own (of_signed_bytes in exec/interp/texture/filter.cpp).
    const double sixteenth = __builtin_floor(sum * (1.0 / 16));
    const double of_bytes =
        sum + __builtin_floor((sixteenth + __builtin_floor(sixteenth * (1.0 / 256)) + 4) * (1.0 / 8));
    const double divided = __builtin_floor(sum * how.scale / how.divisor + 0.5);
    const double part = how.divisor == 256.0 * 127 ? of_bytes : divided;
    value = single_away(least(most(part, -how.most), how.most) * how.fraction);
  }
  return sum == sum ? __builtin_bit_cast(uint32_t, value) : how.nan;
}

template <Rounding rounding>
HEDDLE_INLINE void finish_channel(const double* sum, const Blending& given, Range range, uint64_t* to) {
  const Blending how = given;
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) to[l] = finished<rounding>(sum[l], how);
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
    switch (how.rounding) {
      case Rounding::nearest: finish_channel<Rounding::nearest>(sum, how, range, to); break;
      case Rounding::single: finish_channel<Rounding::single>(sum, how, range, to); break;
      case Rounding::half: finish_channel<Rounding::half>(sum, how, range, to); break;
      case Rounding::normalized: finish_channel<Rounding::normalized>(sum, how, range, to); break;
      case Rounding::whole: finish_channel<Rounding::whole>(sum, how, range, to); break;
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
