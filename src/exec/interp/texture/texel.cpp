#include "exec/interp/texture/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/interp/number/half.h"
#include "exec/interp/texture/pixel.h"

namespace heddle::exec::interp {
namespace {

// What channels that a texel does not have are read as: OpenCL C 6.15.14.7, "Mapping image channels to color
// values"; CUDA's guide does not say.
constexpr Values missing_values{0, 0, 0, 1};

uint32_t load_channel(const std::byte* at, unsigned bits) {
  uint32_t value = 0;
  std::memcpy(&value, at, bits / 8);
  return value;
}

int32_t sign_extended(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

// The transfer function of IEC 61966-2-1.
double from_srgb(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

// The lowest value has no counterpart above zero: it counts as -1, like its neighbour.
double normalized(const Texel& texel, uint32_t raw, unsigned bits) {
  if (texel.kind == ChannelKind::unsigned_) return raw / static_cast<double>((uint64_t{1} << bits) - 1);
  const double largest = static_cast<double>((uint64_t{1} << (bits - 1)) - 1);
  return std::max(-1.0, sign_extended(raw, bits) / largest);
}

double channel_value(const Reading& reading, unsigned channel, uint32_t raw) {
  const unsigned bits = reading.texel.bits[channel];
  if (reading.normalized) {
    const double value = normalized(reading.texel, raw, bits);
    return reading.srgb && channel < 3 ? from_srgb(value) : value;
  }
  switch (reading.texel.kind) {
    case ChannelKind::floating:
      return bits == 16 ? from_f16(static_cast<uint16_t>(raw)) : std::bit_cast<float>(raw);
    case ChannelKind::signed_: return sign_extended(raw, bits);
    default: return raw;
  }
}

uint32_t to_word(const Reading& reading, double value) {
  if (reading.real()) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return 0;
  if (reading.texel.kind == ChannelKind::signed_)
    return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(value, -0x1p31, 0x1p31 - 1)));
  return static_cast<uint32_t>(std::clamp(value, 0.0, 0x1p32 - 1));
}

double border_value(const Reading& reading, unsigned bits, float border) {
  const auto raw = std::bit_cast<uint32_t>(border);
  const bool is_signed = reading.texel.kind == ChannelKind::signed_;
  if (reading.texel.kind == ChannelKind::floating) {
    if (bits != 16 || !std::isfinite(border)) return border;
    // A half, by leaving bits out.
    const int place = std::max(border == 0 ? 0 : std::ilogb(border) - 10, -24);
    return std::ldexp(std::trunc(std::ldexp(double{border}, -place)), place);
  }
  if (reading.normalized) {
    if (std::isnan(border)) return 0;
    const double most = static_cast<double>((uint64_t{1} << (bits - (is_signed ? 1 : 0))) - 1);
    return std::round(std::clamp<double>(border, is_signed ? -1 : 0, 1) * most) / most;
  }
  return is_signed ? sign_extended(raw, bits) : raw << (32 - bits) >> (32 - bits);
}

uint32_t stored_channel(const Texel& texel, unsigned bits, uint32_t component) {
  if (texel.kind == ChannelKind::floating)
    return bits == 16 ? to_f16(std::bit_cast<float>(component)) : component;
  if (bits == 32) return component;
  if (texel.kind == ChannelKind::unsigned_) return std::min(component, (uint32_t{1} << bits) - 1);
  const int32_t largest = (int32_t{1} << (bits - 1)) - 1;
  return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(component), -largest - 1, largest));
}

}  // namespace

Reading reading_of(const TextureObject& texture) {
  if (const PixelFormat pixel = texture.image.pixel; pixel.given()) {
    Reading reading{texture.image.texel, is_normalized(pixel), false, pixel};
    reading.texel.kind = kind_of(pixel);
    return reading;
  }
  const Texel& texel = texture.image.texel;
  const bool normal = texture.read == ReadMode::normalized_float && texel.kind != ChannelKind::floating &&
                      *std::max_element(texel.bits, texel.bits + 4) <= 16;
  return {texel, normal,
          texture.srgb && normal && texel.kind == ChannelKind::unsigned_ && texel.bits[0] == 8};
}

Words texel_words(const Reading& reading, const std::byte* at) {
  if (reading.pixel.given()) {
    Words words = to_words(reading, pixel_values(reading.pixel, at));
    keep_float_bits(reading.pixel, at, words);
    return words;
  }
  const bool floating = reading.texel.kind == ChannelKind::floating;
  if (reading.real() && !floating) return to_words(reading, texel_values(reading, at));
  Words words = to_words(reading, missing_values);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned bits = reading.texel.bits[i];
    if (bits == 0) continue;
    words[i] = load_channel(at, bits);
    if (floating && bits == 16) words[i] = std::bit_cast<uint32_t>(from_f16(static_cast<uint16_t>(words[i])));
    if (reading.texel.kind == ChannelKind::signed_)
      words[i] = static_cast<uint32_t>(sign_extended(words[i], bits));
    at += bits / 8;
  }
  return words;
}

Values texel_values(const Reading& reading, const std::byte* at) {
  if (reading.pixel.given()) return pixel_values(reading.pixel, at);
  Values values = missing_values;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned bits = reading.texel.bits[i];
    if (bits == 0) continue;
    values[i] = channel_value(reading, i, load_channel(at, bits));
    at += bits / 8;
  }
  return values;
}

Words to_words(const Reading& reading, const Values& values) {
  Words words;
  for (unsigned i = 0; i < 4; ++i) words[i] = to_word(reading, values[i]);
  return words;
}

double normalized_unit(const Reading& reading) {
  if (!reading.normalized || reading.srgb) return 1;
  if (reading.pixel.given()) return pixel_unit(reading.pixel);
  const bool is_signed = reading.texel.kind == ChannelKind::signed_;
  for (const uint8_t bits : reading.texel.bits)
    if (bits != 0 && bits != reading.texel.bits[0]) return 1;
  return static_cast<double>((uint64_t{1} << (reading.texel.bits[0] - (is_signed ? 1 : 0))) - 1);
}

bool filters(const Reading& reading) { return reading.real() || !reading.pixel.given(); }

Values border_values(const Reading& reading, const float (&border)[4]) {
  if (reading.pixel.given()) return pixel_border(reading.pixel);
  Values values = missing_values;
  for (unsigned i = 0; i < 4; ++i)
    if (reading.texel.bits[i] != 0) values[i] = border_value(reading, reading.texel.bits[i], border[i]);
  return values;
}

void store_texel(const TexelArray& image, std::byte* at, const Words& components, unsigned count) {
  if (image.pixel.given()) return store_pixel(image.pixel, at, components);
  const Texel& texel = image.texel;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned bits = texel.bits[i];
    if (bits == 0) continue;
    const uint32_t value = i < count ? stored_channel(texel, bits, components[i]) : 0;
    std::memcpy(at, &value, bits / 8);
    at += bits / 8;
  }
}

}  // namespace heddle::exec::interp
