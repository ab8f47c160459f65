// How one instruction looks at one texture: the loops of lanes.h that it takes, and what they must know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/jit/texture/form.h"
#include "exec/jit/texture/lanes.h"
#include "exec/texture.h"

namespace heddle::exec::jit::texture {

struct Plan {
  bool usable = false;  // false: for the reference executor
  bool cube = false;
  const std::byte* base = nullptr;
  unsigned axes = 2;
  AxisLoop axis[3] = {};
  AxisSetting setting[3];
  CornerLoop corners = nullptr;
  int64_t slices = 1, slice_pitch = 0;
  Gather gather = nullptr;
  Decode decode = nullptr;
  Decoding decoding;
  Add add = nullptr;  // nullptr: not filtered
  Blending blending;
};

// How one instruction reaches one surface.
struct SurfacePlan {
  bool usable = false;
  std::byte* base = nullptr;
  SurfaceLoop places = nullptr;
  SurfaceSetting setting;
  Gather gather = nullptr;    // of a load
  Scatter scatter = nullptr;  // of a store
  // Of a store: what puts values into the bytes, and from which value each stored channel comes (-1: 0).
  Encode encode = nullptr;
  int bits = 32, channels = 1;
  int8_t source[4] = {0, 1, 2, 3};
};

SurfacePlan make_plan(const Codes&, const SurfaceForm&, const SurfaceObject&);

Plan make_plan(const Codes&, const FetchForm&, const TextureObject&, const Sampler&);

}  // namespace heddle::exec::jit::texture
