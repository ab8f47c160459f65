#include "exec/interp/texture/filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exec/interp/texture/pixel.h"

namespace heddle::exec::interp {
namespace {

// To a number of `bits` bits, halves away from zero; `least` is the lowest place that a bit may have.
double rounded(double value, int bits, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int place = std::max(std::ilogb(value) - bits + 1, least);
  return std::ldexp(std::round(std::ldexp(value, -place)), place);
}

// Subnormals of f32 are zeros, those of texels and those of results.
double flushed(double value) { return std::fabs(value) < 0x1p-126 ? std::copysign(0, value) : value; }

uint32_t f32_word(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }
uint32_t single_word(double value) { return f32_word(flushed(rounded(value, 24, -149))); }

// Signed bytes become 15 bits only behind the sum, without a division: 1/127 is about (1 + 2^-7 + 2^-15) /
// 2^7, and of what is added four bits are left out first.
double of_signed_bytes(double sum) {
  const auto whole = static_cast<int64_t>(sum), part = whole >> 4;
  return static_cast<double>(std::max<int64_t>(whole + ((part + (part >> 8) + 4) >> 3), -0x7fff));
}

}  // namespace

std::array<int32_t, 8> corner_weights(int32_t x, int32_t y, int32_t z) {
  std::array<int32_t, 8> weights;
  for (unsigned k = 0; k < 2; ++k) {
    const int32_t slice = k != 0 ? z : 256 - z;
    const int32_t right = (slice * x + 128) >> 8;
    for (unsigned i = 0; i < 2; ++i) {
      const int32_t column = i != 0 ? right : slice - right;
      // A half goes to the corner that lies first on both axes, or second on both.
      const int32_t below = (column * y + (i != 0 ? 128 : 127)) >> 8;
      weights[4 * k + 2 + i] = below;
      weights[4 * k + i] = column - below;
    }
  }
  return weights;
}

Filter::Filter(const Reading& reading, bool compared) : reading_(reading) {
  const bool pixels = reading.pixel.given();
  if (compared) return;
  if (!reading.real()) {
    kind_ = Kind::whole;
  } else if (pixels ? is_half(reading.pixel)
                    : reading.texel.kind == ChannelKind::floating && reading.texel.bits[0] == 16) {
    kind_ = Kind::half;
  } else if (!reading.normalized) {
    kind_ = Kind::single;
  } else {
    unit_ = normalized_unit(reading);
    if (!pixels && unit_ != 1) kind_ = Kind::normalized;
  }
}

Values Filter::texel(const std::byte* at) const {
  if (kind_ == Kind::normalized) {
    Reading whole = reading_;
    whole.normalized = false;
    Values values = texel_values(whole, at);  // the lowest is not its neighbour here
    for (std::size_t c = 0; c < 4; ++c)
      if (reading_.texel.bits[c] == 0) values[c] *= unit_;
    return values;
  }
  Values values = texel_values(reading_, at);
  if (unit_ != 1)
    for (double& channel : values) channel = std::nearbyint(channel * unit_);
  if (kind_ == Kind::single)
    for (double& channel : values) channel = flushed(channel);
  return values;
}

Values Filter::border(const float (&colour)[4]) const {
  Values values = border_values(reading_, colour);
  if (unit_ != 1)
    for (double& channel : values) channel = std::nearbyint(channel * unit_);
  if (kind_ == Kind::single)
    for (double& channel : values) channel = flushed(channel);
  return values;
}

Values Filter::sum(std::span<const Corner> corners) const {
  Values sum{-0.0, -0.0, -0.0, -0.0};
  const bool floats = kind_ == Kind::single || kind_ == Kind::half;
  for (std::size_t c = 0; c < 4; ++c) {
    double largest = 0;
    for (const Corner& corner : corners)
      if (corner.weight != 0) largest = std::max(largest, std::fabs(corner.texel[c]));
    // Four bits more than the format has.
    const int place = floats && largest != 0 && std::isfinite(largest)
                          ? std::ilogb(largest) - (kind_ == Kind::half ? 14 : 27)
                          : -1000;
    for (const Corner& corner : corners) {
      if (corner.weight == 0) continue;
      double texel = corner.texel[c];
      if (place != -1000) texel = std::ldexp(std::trunc(std::ldexp(texel, -place)), place);
      sum[c] += corner.weight * texel;
    }
  }
  return sum;
}

uint32_t Filter::word(double sum) const {
  switch (kind_) {
    case Kind::exact: return f32_word(sum / 256 / unit_);
    case Kind::single: return single_word(sum / 256);
    case Kind::half: return f32_word(rounded(sum / 256, 11, -24));
    case Kind::normalized: {
      // An integer of 15 or 16 bits, which is divided by 2^b - 1 in the first two terms of the series.
      const double full = reading_.texel.kind == ChannelKind::signed_ ? 0x7fff : 0xffff;
      const double part = unit_ == 127
                              ? of_signed_bytes(sum)
                              : std::clamp(std::floor(sum * full / (256 * unit_) + 0.5), -full, full);
      return single_word(part * (full + 2) / ((full + 1) * (full + 1)));
    }
    case Kind::whole: break;
  }
  // Those of 32 bits go to the integer below.
  const double value = std::floor(sum / 256 + (reading_.texel.bits[0] == 32 ? 0 : 0.5));
  return std::isnan(value) ? 0 : static_cast<uint32_t>(static_cast<int64_t>(value));
}

Words Filter::words(const Values& sum) const {
  Words words;
  for (std::size_t c = 0; c < 4; ++c) {
    words[c] = word(sum[c]);
    if (kind_ != Kind::whole && std::isnan(sum[c]))
      words[c] = kind_ == Kind::half ? 0x7fff'e000 : 0x7fff'ffff;
  }
  return words;
}

}  // namespace heddle::exec::interp
