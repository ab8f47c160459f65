// One axis of an image: from a coordinate to texels (CUDA C++ Programming Guide, "Texture Fetching").
#pragma once

#include <cstdint>

#include "exec/texture.h"

namespace heddle::exec::interp {

struct Axis {
  int64_t size = 1;  // texels
  AddressMode mode = AddressMode::clamp_to_edge;
  bool normalized = false;
};
// Wrapping and mirroring need normalised coordinates; without them such an axis clamps.
Axis axis_of(uint64_t size, AddressMode mode, bool normalized);

// A coordinate in texels: cut and scaled where it is normalised, and folded where the axis wraps into the
// image, where it mirrors into the image and the mirrored one behind it. NaN is taken for 0.
double position(const Axis& axis, double coordinate);

// The texel that stands at index `i` of the endless axis; `outside` where the border is.
inline constexpr int64_t outside = -1;
int64_t texel_index(const Axis& axis, int64_t i);

// The texel in which a position lies.
int64_t nearest_index(const Axis& axis, double position, int offset);

// The two texels between whose centres a position lies; the second counts weight / 256, the first the rest.
struct Pair {
  int64_t first = 0, second = 0;
  int32_t weight = 0;
};
// Not yet texel_index: cube maps look for their neighbours elsewhere. An axis that mirrors is not folded:
// where it runs backwards, the second texel is the one before.
Pair linear_pair(const Axis& axis, double coordinate, int offset);

}  // namespace heddle::exec::interp
