// Elements of every type that matrices have, to and from float: half, bfloat16, both kinds of fp8, integers.
// Rounded to the nearest, ties to even; fp8 is saturated, as the conversions of the libraries are.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "libs/cublas/gemm.h"

namespace heddle::cublas {
namespace {

float half_to_float(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// To a format of `exponents` and `fractions` bits below the sign, with infinities.
uint32_t rounded(float value, int exponents, int fractions) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 31 << (exponents + fractions);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t infinity = ((1u << exponents) - 1) << fractions;
  if (magnitude > 0x7f800000u) return sign | infinity | (1u << (fractions - 1));
  const int bias = (1 << (exponents - 1)) - 1;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (magnitude == 0x7f800000u || exponent > bias + 1) return sign | infinity;
  const int least = 1 - bias;
  uint64_t fraction = (magnitude & 0x7fffff) | (magnitude >= 0x800000 ? 0x800000 : 0);
  int shift = 23 - fractions + std::max(0, least - exponent);
  if (shift > 25) return sign;
  const uint64_t half = uint64_t{1} << (shift - 1), rest = fraction & ((uint64_t{1} << shift) - 1);
  fraction >>= shift;
  if (rest > half || (rest == half && (fraction & 1) != 0)) ++fraction;
  const uint32_t place = exponent < least ? 0 : static_cast<uint32_t>(exponent + bias - 1) << fractions;
  const uint32_t result =
      exponent < least ? static_cast<uint32_t>(fraction) : place + static_cast<uint32_t>(fraction);
  return sign | std::min(result, infinity);
}

float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// OCP's 8-bit formats: E4M3 has no infinities and one NaN, its greatest number is 448.
float e4m3_to_float(uint8_t bits) {
  const int exponent = (bits >> 3) & 15, fraction = bits & 7;
  float value = 0;
  if (exponent == 15 && fraction == 7)
    value = std::nanf("");
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), -9);
  else
    value = std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -value : value;
}
float e5m2_to_float(uint8_t bits) { return half_to_float(static_cast<uint16_t>(bits << 8)); }
uint8_t float_to_e4m3(float value) {
  if (std::isnan(value)) return 0x7f;
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
  const float magnitude = std::abs(value);
  if (magnitude >= 464) return sign | 0x7e;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const int step = std::max(exponent - 4, -9);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
  // In units of the step: 8 to 15 are normal, 16 is the next power.
  if (step == -9 && units < 8) return static_cast<uint8_t>(sign | units);
  const int place = ((step + 10) << 3) + (units - 8);
  return static_cast<uint8_t>(sign | std::min(place, 0x7e));
}
uint8_t float_to_e5m2(float value) {
  const uint32_t bits = rounded(value, 5, 2);
  if (!std::isnan(value) && (bits & 0x7f) >= 0x7c) return static_cast<uint8_t>((bits & 0x80) | 0x7b);
  return static_cast<uint8_t>(bits);
}

template <float (*convert)(uint8_t)>
const std::array<float, 256>& table_of() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < 256; ++i) made[i] = convert(static_cast<uint8_t>(i));
    return made;
  }();
  return table;
}

bool has_f16c() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}
__attribute__((target("avx2,f16c"))) int64_t halves_to_float(const uint16_t* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  return i;
}
__attribute__((target("avx2,f16c"))) int64_t float_to_halves(const float* from, uint16_t* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}
__attribute__((target("avx2"))) void bf16s_to_float(const uint16_t* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i]) << 16);
}

__attribute__((target("avx2"))) void float_to_bf16s(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = float_to_bf16(from[i]);
}

template <class Integer>
Integer saturated(double value) {
  if (std::isnan(value)) return 0;
  constexpr auto low = static_cast<double>(std::numeric_limits<Integer>::min()),
                 high = static_cast<double>(std::numeric_limits<Integer>::max());
  return static_cast<Integer>(std::clamp(std::nearbyint(value), low, high));
}

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_C_8I: return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_C_16F:
    case CUDA_C_16BF: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
  }
}

bool is_complex_type(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_16F || type == CUDA_C_16BF ||
         type == CUDA_C_8I;
}

void to_float(cudaDataType type, const void* from, float* to, int64_t count) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_C_16F: {
      const auto* halves = static_cast<const uint16_t*>(from);
      for (int64_t i = has_f16c() ? halves_to_float(halves, to, count) : 0; i < count; ++i)
        to[i] = half_to_float(halves[i]);
      return;
    }
    case CUDA_R_16BF:
    case CUDA_C_16BF: {
      const auto* halves = static_cast<const uint16_t*>(from);
      if (has_f16c()) return bf16s_to_float(halves, to, count);
      for (int64_t i = 0; i < count; ++i) to[i] = bf16_to_float(halves[i]);
      return;
    }
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2: {
      const auto& table = type == CUDA_R_8F_E4M3 ? table_of<e4m3_to_float>() : table_of<e5m2_to_float>();
      const auto* bytes = static_cast<const uint8_t*>(from);
      for (int64_t i = 0; i < count; ++i) to[i] = table[bytes[i]];
      return;
    }
    case CUDA_R_8I:
    case CUDA_C_8I: {
      const auto* bytes = static_cast<const int8_t*>(from);
      for (int64_t i = 0; i < count; ++i) to[i] = bytes[i];
      return;
    }
    case CUDA_R_8U: {
      const auto* bytes = static_cast<const uint8_t*>(from);
      for (int64_t i = 0; i < count; ++i) to[i] = bytes[i];
      return;
    }
    case CUDA_R_32I: {
      const auto* numbers = static_cast<const int32_t*>(from);
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(numbers[i]);
      return;
    }
    case CUDA_R_64F:
    case CUDA_C_64F: {
      const auto* numbers = static_cast<const double*>(from);
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(numbers[i]);
      return;
    }
    default: std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

void from_float(cudaDataType type, const float* from, void* to, int64_t count) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_C_16F: {
      auto* halves = static_cast<uint16_t*>(to);
      for (int64_t i = has_f16c() ? float_to_halves(from, halves, count) : 0; i < count; ++i)
        halves[i] = static_cast<uint16_t>(rounded(from[i], 5, 10));
      return;
    }
    case CUDA_R_16BF:
    case CUDA_C_16BF: {
      auto* halves = static_cast<uint16_t*>(to);
      if (has_f16c()) return float_to_bf16s(from, halves, count);
      for (int64_t i = 0; i < count; ++i) halves[i] = float_to_bf16(from[i]);
      return;
    }
    case CUDA_R_8F_E4M3: {
      auto* bytes = static_cast<uint8_t*>(to);
      for (int64_t i = 0; i < count; ++i) bytes[i] = float_to_e4m3(from[i]);
      return;
    }
    case CUDA_R_8F_E5M2: {
      auto* bytes = static_cast<uint8_t*>(to);
      for (int64_t i = 0; i < count; ++i) bytes[i] = float_to_e5m2(from[i]);
      return;
    }
    case CUDA_R_8I:
    case CUDA_C_8I: {
      auto* bytes = static_cast<int8_t*>(to);
      for (int64_t i = 0; i < count; ++i) bytes[i] = saturated<int8_t>(from[i]);
      return;
    }
    case CUDA_R_8U: {
      auto* bytes = static_cast<uint8_t*>(to);
      for (int64_t i = 0; i < count; ++i) bytes[i] = saturated<uint8_t>(from[i]);
      return;
    }
    case CUDA_R_32I: {
      auto* numbers = static_cast<int32_t*>(to);
      for (int64_t i = 0; i < count; ++i) numbers[i] = saturated<int32_t>(from[i]);
      return;
    }
    case CUDA_R_64F:
    case CUDA_C_64F: {
      auto* numbers = static_cast<double*>(to);
      for (int64_t i = 0; i < count; ++i) numbers[i] = from[i];
      return;
    }
    default: std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

AnyScalar any_scalar(const void* pointer, cudaDataType type) {
  AnyScalar value;
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    const auto* numbers = static_cast<const double*>(pointer);
    value.real = numbers[0];
    if (type == CUDA_C_64F) value.imaginary = numbers[1];
    return value;
  }
  if (type == CUDA_R_32I) {
    value.real = *static_cast<const int32_t*>(pointer);
    return value;
  }
  float parts[2] = {0, 0};
  to_float(type, pointer, parts, is_complex_type(type) ? 2 : 1);
  return {parts[0], parts[1]};
}

}  // namespace heddle::cublas
