#include "api/opencl/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "api/opencl/image.h"

namespace heddle::opencl {

namespace {

// To the nearest even half.
uint16_t half_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0F) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);
  // The unit in the last place: 2^-24 for subnormal halves.
  const int unit = std::max(exponent - 11, -24);
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(static_cast<double>(magnitude), -unit)));
  if (unit == -24) return static_cast<uint16_t>(sign | steps);
  // 1024 to 2048 steps; the carry goes into the exponent by itself.
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(unit + 24) << 10) + steps);
}

int64_t rounded(float value, float scale, int64_t least, int64_t most) {
  if (std::isnan(value)) return 0;
  const double scaled = std::nearbyint(static_cast<double>(value) * static_cast<double>(scale));
  return static_cast<int64_t>(std::clamp(scaled, static_cast<double>(least), static_cast<double>(most)));
}

uint32_t channel(cl_channel_type type, uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  const auto number = static_cast<int64_t>(static_cast<int32_t>(bits));
  switch (type) {
    case CL_SNORM_INT8: return static_cast<uint32_t>(rounded(value, 127, -128, 127));
    case CL_SNORM_INT16: return static_cast<uint32_t>(rounded(value, 32767, -32768, 32767));
    case CL_UNORM_INT8: return static_cast<uint32_t>(rounded(value, 255, 0, 255));
    case CL_UNORM_INT16: return static_cast<uint32_t>(rounded(value, 65535, 0, 65535));
    case CL_SIGNED_INT8: return static_cast<uint32_t>(std::clamp<int64_t>(number, -128, 127));
    case CL_SIGNED_INT16: return static_cast<uint32_t>(std::clamp<int64_t>(number, -32768, 32767));
    case CL_UNSIGNED_INT8: return std::min<uint32_t>(bits, 255);
    case CL_UNSIGNED_INT16: return std::min<uint32_t>(bits, 65535);
    case CL_HALF_FLOAT: return half_of(value);
    default: return bits;
  }
}

}  // namespace

TexelBytes texel_of(const cl_image_format& format, const void* color) {
  const exec::Texel& texel = find_format(format)->texel;
  const size_t bytes = texel.bits[0] / 8;
  std::array<uint32_t, 4> rgba{};
  std::memcpy(rgba.data(), color, sizeof rgba);
  TexelBytes result;
  for (size_t i = 0; i < texel.channels(); ++i) {
    const uint32_t value = channel(format.image_channel_data_type, rgba[i]);
    std::memcpy(result.bytes.data() + i * bytes, &value, bytes);
  }
  return result;
}

}  // namespace heddle::opencl
