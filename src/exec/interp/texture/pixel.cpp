#include "exec/interp/texture/pixel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/interp/number/half.h"
#include "exec/pixel_format.h"

namespace heddle::exec::interp {
namespace {

using Order = PixelOrder;
using Type = PixelType;
using Coding = PixelType::Coding;
using Fill = PixelOrder::Fill;

const Order& order_of(PixelFormat format) { return pixel_order(format); }
const Type& type_of(PixelFormat format) { return pixel_type(format); }

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

// Which channel of the colour packed channel i is.
unsigned packed_channels(const Type& type) { return type.packed[3] != 0 ? 4 : 3; }

}  // namespace

bool is_normalized(PixelFormat format) {
  const Coding coding = type_of(format).coding;
  return coding == Coding::snorm || coding == Coding::unorm;
}

bool is_half(PixelFormat format) { return type_of(format).coding == Coding::half; }

double pixel_unit(PixelFormat format) {
  const Type& type = type_of(format);
  if (!is_normalized(format) || type.is_packed() || type.is_depth24() || order_of(format).srgb) return 1;
  return most(type.coding == Coding::snorm ? type.bits - 1U : type.bits);
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
  if (type.is_packed() || type.is_depth24()) {
    std::memcpy(&word, at, type.bits / 8);
    if (type.is_depth24()) {
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

void keep_float_bits(PixelFormat format, const std::byte* at, Words& words) {
  const Order& order = order_of(format);
  const Type& type = type_of(format);
  if (type.coding != Coding::half && type.coding != Coding::single) return;
  for (unsigned i = 0; i < order.count; ++i) {
    if (order.channels[i] < 0) continue;
    uint32_t word = 0;
    std::memcpy(&word, at + i * type.bits / 8, type.bits / 8);
    if (type.coding == Coding::half) word = std::bit_cast<uint32_t>(from_f16(static_cast<uint16_t>(word)));
    words[static_cast<unsigned>(order.channels[i])] = word;
  }
  if (order.fill == Fill::intensity) words = {words[0], words[0], words[0], words[0]};
  if (order.fill == Fill::luminance) words = {words[0], words[0], words[0], words[3]};
}

Values pixel_border(PixelFormat format) { return {0, 0, 0, order_of(format).clear_border ? 0.0 : 1.0}; }

void store_pixel(PixelFormat format, std::byte* at, const Words& components) {
  const Order& order = order_of(format);
  const Type& type = type_of(format);
  uint32_t word = 0;
  if (type.is_depth24()) {
    word = round_to(std::bit_cast<float>(components[0]) * most(24), 0, most(24));
    std::memcpy(at, &word, 4);
    return;
  }
  if (type.is_packed()) {
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
