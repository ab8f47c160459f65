#include "exec/interp/texture/pixel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/interp/number/half.h"

namespace heddle::exec::interp {
namespace {

// The order: for each stored channel which of red, green, blue, alpha it is; -1: none. `fill` says what the
// others are read as.
enum class Fill : uint8_t { usual, intensity, luminance };
struct Order {
  uint16_t number;
  std::array<int8_t, 4> channels;
  unsigned count;
  bool clear_border;  // (0,0,0,0); else alpha is 1
  Fill fill = Fill::usual;
  bool srgb = false;
};
constexpr std::array orders{
    Order{0x10b0, {0, -1, -1, -1}, 1, false},                   // R
    Order{0x10b1, {3, -1, -1, -1}, 1, true},                    // A
    Order{0x10b2, {0, 1, -1, -1}, 2, false},                    // RG
    Order{0x10b3, {0, 3, -1, -1}, 2, true},                     // RA
    Order{0x10b4, {0, 1, 2, -1}, 3, false},                     // RGB
    Order{0x10b5, {0, 1, 2, 3}, 4, true},                       // RGBA
    Order{0x10b6, {2, 1, 0, 3}, 4, true},                       // BGRA
    Order{0x10b7, {3, 0, 1, 2}, 4, true},                       // ARGB
    Order{0x10b8, {0, -1, -1, -1}, 1, true, Fill::intensity},   // INTENSITY
    Order{0x10b9, {0, -1, -1, -1}, 1, false, Fill::luminance},  // LUMINANCE
    Order{0x10ba, {0, -1, -1, -1}, 1, true},                    // Rx
    Order{0x10bb, {0, 1, -1, -1}, 2, true},                     // RGx
    Order{0x10bc, {0, 1, 2, -1}, 3, true},                      // RGBx
    Order{0x10bd, {0, -1, -1, -1}, 1, false},                   // DEPTH
    Order{0x10bf, {0, 1, 2, -1}, 3, false, Fill::usual, true},  // sRGB
    Order{0x10c0, {0, 1, 2, -1}, 4, false, Fill::usual, true},  // sRGBx
    Order{0x10c1, {0, 1, 2, 3}, 4, true, Fill::usual, true},    // sRGBA
    Order{0x10c2, {2, 1, 0, 3}, 4, true, Fill::usual, true},    // sBGRA
    Order{0x10c3, {3, 2, 1, 0}, 4, true},                       // ABGR
};
const Order& order_of(PixelFormat format) {
  for (const Order& order : orders)
    if (order.number == format.order) return order;
  return orders[0];
}

enum class Coding : uint8_t { snorm, unorm, sint, uint, half, single };
struct Type {
  uint16_t number;
  Coding coding;
  uint8_t bits;  // of a channel
  // Of types that pack a texel into one number: where each channel lies, the first in the highest bits.
  std::array<uint8_t, 4> packed = {};
};
constexpr std::array types{
    Type{0x10d0, Coding::snorm, 8},
    Type{0x10d1, Coding::snorm, 16},
    Type{0x10d2, Coding::unorm, 8},
    Type{0x10d3, Coding::unorm, 16},
    Type{0x10d4, Coding::unorm, 16, {5, 6, 5, 0}},
    Type{0x10d5, Coding::unorm, 16, {5, 5, 5, 0}},
    Type{0x10d6, Coding::unorm, 32, {10, 10, 10, 0}},
    Type{0x10e0, Coding::unorm, 32, {10, 10, 10, 2}},
    Type{0x10d7, Coding::sint, 8},
    Type{0x10d8, Coding::sint, 16},
    Type{0x10d9, Coding::sint, 32},
    Type{0x10da, Coding::uint, 8},
    Type{0x10db, Coding::uint, 16},
    Type{0x10dc, Coding::uint, 32},
    Type{0x10dd, Coding::half, 16},
    Type{0x10de, Coding::single, 32},
    Type{0x10df, Coding::unorm, 32, {0, 24, 0, 0}},  // UNORM_INT24
};
const Type& type_of(PixelFormat format) {
  for (const Type& type : types)
    if (type.number == format.type) return type;
  return types[2];
}

// Where a packed channel begins: CL_UNORM_SHORT_565 has red in bits 15:11, 555 in 14:10, 101010 in 29:20,
// 101010_2 in 31:22.
unsigned packed_shift(const Type& type, unsigned channel) {
  unsigned below = 0;
  for (unsigned i = channel + 1; i < 4; ++i) below += type.packed[i];
  return below;
}

double most(unsigned bits) { return static_cast<double>((uint64_t{1} << bits) - 1); }

// IEC 61966-2-1.
double from_srgb(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double to_srgb(double c) { return c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

int64_t sign_extended(uint64_t raw, unsigned bits) {
  return static_cast<int64_t>(raw << (64 - bits)) >> (64 - bits);
}

double decode(const Type& type, unsigned bits, uint32_t raw) {
  switch (type.coding) {
    case Coding::snorm: return std::max(-1.0, static_cast<double>(sign_extended(raw, bits)) / most(bits - 1));
    case Coding::unorm: return raw / most(bits);
    case Coding::sint: return static_cast<double>(sign_extended(raw, bits));
    case Coding::uint: return raw;
    case Coding::half: return from_f16(static_cast<uint16_t>(raw));
    case Coding::single: return std::bit_cast<float>(raw);
  }
  return 0;
}

uint32_t round_to(double value, double low, double high) {
  if (std::isnan(value)) return 0;
  return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(std::clamp(value, low, high))));
}

uint32_t encode_channel(const Type& type, unsigned bits, uint32_t component, bool srgb) {
  double value = std::bit_cast<float>(component);
  if (srgb) value = std::isnan(value) ? 0 : to_srgb(std::clamp(value, 0.0, 1.0));
  switch (type.coding) {
    case Coding::snorm: return round_to(value * most(bits - 1), -most(bits - 1) - 1, most(bits - 1));
    case Coding::unorm: return round_to(value * most(bits), 0, most(bits));
    case Coding::sint: {
      const auto largest = static_cast<int64_t>(most(bits - 1));
      return static_cast<uint32_t>(
          std::clamp<int64_t>(static_cast<int32_t>(component), -largest - 1, largest));
    }
    case Coding::uint: return static_cast<uint32_t>(std::min<uint64_t>(component, (uint64_t{1} << bits) - 1));
    case Coding::half: return to_f16(value);
    case Coding::single: return component;
  }
  return 0;
}

bool is_packed(const Type& type) { return type.packed[0] != 0; }
bool is_depth24(const Type& type) { return type.packed[1] == 24; }

// Which channel of the colour packed channel i is.
unsigned packed_channels(const Type& type) { return type.packed[3] != 0 ? 4 : 3; }

}  // namespace

bool is_normalized(PixelFormat format) {
  const Coding coding = type_of(format).coding;
  return coding == Coding::snorm || coding == Coding::unorm;
}

ChannelKind kind_of(PixelFormat format) {
  switch (type_of(format).coding) {
    case Coding::half:
    case Coding::single: return ChannelKind::floating;
    case Coding::snorm:
    case Coding::sint: return ChannelKind::signed_;
    default: return ChannelKind::unsigned_;
  }
}

Values pixel_values(PixelFormat format, const std::byte* at) {
  const Order& order = order_of(format);
  const Type& type = type_of(format);
  Values values{0, 0, 0, 1};
  uint32_t word = 0;
  if (is_packed(type) || is_depth24(type)) {
    std::memcpy(&word, at, type.bits / 8);
    if (is_depth24(type)) {
      values[0] = (word & 0xffffff) / most(24);
      return values;
    }
    for (unsigned i = 0; i < packed_channels(type); ++i) {
      const unsigned bits = type.packed[i];
      values[i] = decode(type, bits, word >> packed_shift(type, i) & ((1U << bits) - 1));
    }
    return values;
  }
  for (unsigned i = 0; i < order.count; ++i) {
    if (order.channels[i] < 0) continue;
    word = 0;
    std::memcpy(&word, at + i * type.bits / 8, type.bits / 8);
    const auto channel = static_cast<unsigned>(order.channels[i]);
    const double value = decode(type, type.bits, word);
    values[channel] = order.srgb && channel < 3 ? from_srgb(value) : value;
  }
  if (order.fill == Fill::intensity) values = {values[0], values[0], values[0], values[0]};
  if (order.fill == Fill::luminance) values = {values[0], values[0], values[0], 1};
  if (order.number == 0x10b1) values = {0, 0, 0, values[3]};
  return values;
}

Values pixel_border(PixelFormat format) { return {0, 0, 0, order_of(format).clear_border ? 0.0 : 1.0}; }

void store_pixel(PixelFormat format, std::byte* at, const Words& components) {
  const Order& order = order_of(format);
  const Type& type = type_of(format);
  uint32_t word = 0;
  if (is_depth24(type)) {
    word = round_to(std::bit_cast<float>(components[0]) * most(24), 0, most(24));
    std::memcpy(at, &word, 4);
    return;
  }
  if (is_packed(type)) {
    for (unsigned i = 0; i < packed_channels(type); ++i)
      word |= encode_channel(type, type.packed[i], components[i], false) << packed_shift(type, i);
    std::memcpy(at, &word, type.bits / 8);
    return;
  }
  for (unsigned i = 0; i < order.count; ++i) {
    const int channel = order.channels[i];
    word = channel < 0 ? 0
                       : encode_channel(type, type.bits, components[static_cast<unsigned>(channel)],
                                        order.srgb && channel < 3);
    std::memcpy(at + i * type.bits / 8, &word, type.bits / 8);
  }
}

}  // namespace heddle::exec::interp
