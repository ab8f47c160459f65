#include "exec/interp/texture/axis.h"

#include <algorithm>
#include <cmath>

namespace heddle::exec::interp {
namespace {

constexpr double far_away = 0x1p40;  // any image is smaller

int64_t modulo(int64_t i, int64_t n) {
  const int64_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// A normalised coordinate is cut to so many bits behind the point, downwards, and subnormals to 0: as an H200
// has it, by the size of the axis (tests/hw/h200/textures).
double cut(double coordinate, int64_t size) {
  if (std::fabs(coordinate) < 0x1p-126) return 0;
  const double grains = size <= 8192 ? 0x1p21 : size <= 65536 ? 0x1p22 : 0x1p23;
  return std::floor(coordinate * grains) / grains;
}

}  // namespace

Axis axis_of(uint64_t size, AddressMode mode, bool normalized) {
  const bool folds = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return {std::max<int64_t>(1, static_cast<int64_t>(size)),
          folds && !normalized ? AddressMode::clamp_to_edge : mode, normalized};
}

double position(const Axis& axis, double coordinate) {
  if (std::isnan(coordinate)) return 0;
  const auto size = static_cast<double>(axis.size);
  if (axis.normalized) {
    coordinate = cut(coordinate, axis.size);
    if (axis.mode == AddressMode::wrap || axis.mode == AddressMode::mirror) {
      if (std::isinf(coordinate)) return 0;
      // To and fro is 2: as far as that the endless axis is the same again.
      const double turn = axis.mode == AddressMode::mirror ? 2 : 1;
      return (coordinate - turn * std::floor(coordinate / turn)) * size;
    }
    coordinate *= size;
  }
  return std::clamp(coordinate, -far_away, far_away);
}

int64_t texel_index(const Axis& axis, int64_t i) {
  if (i >= 0 && i < axis.size) return i;
  switch (axis.mode) {
    case AddressMode::wrap: return modulo(i, axis.size);
    case AddressMode::mirror: {
      const int64_t folded = modulo(i, 2 * axis.size);
      return folded < axis.size ? folded : 2 * axis.size - 1 - folded;
    }
    case AddressMode::clamp_to_border: return outside;
    default: return std::clamp<int64_t>(i, 0, axis.size - 1);
  }
}

int64_t nearest_index(const Axis& axis, double position, int offset) {
  return texel_index(axis, static_cast<int64_t>(std::floor(position)) + offset);
}

Pair linear_pair(const Axis& axis, double coordinate, int offset) {
  const double at = position(axis, coordinate);
  // The fraction has 8 bits, rounded; one that rounds to 1.0 is the next texel alone.
  const auto fixed = static_cast<int64_t>(std::floor((at - 0.5) * 256 + 0.5));
  const int64_t first = (fixed >> 8) + offset;
  return {first, first + 1, static_cast<int32_t>(fixed & 255)};
}

}  // namespace heddle::exec::interp
