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
  const std::byte* base = nullptr;
  unsigned axes = 2;
  AxisLoop axis[3] = {};
  AxisSetting setting[3];
  CornerLoop corners = nullptr;
  int64_t layers = 1, slice_pitch = 0;
  Gather gather = nullptr;
  Decode decode = nullptr;
  Decoding decoding;
  Add add = nullptr;  // nullptr: not filtered
  Blending blending;
};

Plan make_plan(const Codes&, const FetchForm&, const TextureObject&, const Sampler&);

}  // namespace heddle::exec::jit::texture
