// What cl_channel_order and cl_channel_type say of a texel's bytes (OpenCL API 3.0, 5.3.1.1): facts that
// every executor reads from here; what they make of them is their own.
#pragma once

#include <array>
#include <cstdint>

#include "exec/texture.h"

namespace heddle::exec {

// For each stored channel which of red, green, blue, alpha it is; -1: none. `fill` says what the others are
// read as: 0, and 1 for alpha; the first channel in all four; the first channel, and 1 for alpha.
struct PixelOrder {
  enum class Fill : uint8_t { usual, intensity, luminance };
  uint16_t number;
  std::array<int8_t, 4> channels;
  unsigned count;
  bool clear_border;  // (0,0,0,0); else alpha is 1
  Fill fill = Fill::usual;
  bool srgb = false;
};

struct PixelType {
  enum class Coding : uint8_t { snorm, unorm, sint, uint, half, single };
  uint16_t number;
  Coding coding;
  uint8_t bits;  // of a channel
  // Of types that pack a texel into one number: how many bits each channel has, the first in the highest.
  std::array<uint8_t, 4> packed = {};

  bool is_packed() const { return packed[0] != 0; }
  bool is_depth24() const { return packed[1] == 24; }
};

const PixelOrder& pixel_order(PixelFormat);
const PixelType& pixel_type(PixelFormat);

}  // namespace heddle::exec
