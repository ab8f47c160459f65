// Directions into cube maps, before a texture unit sees them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "approx/approx.h"

namespace heddle::exec {

// An assembler multiplies a direction by the approximate reciprocal of its longest coordinate (FMNMX,
// MUFU.RCP, three FMULs before the look); the unit takes the products. A coordinate that is NaN is never the
// longest, and the reciprocal of a subnormal number is infinite. So an H100 and an H200 have it: of 36,864
// directions near the edges of texels, of equal axes and of special numbers none differs
// (tests/hw/h200/textures/cubes.cu).
inline float cube_scale(float x, float y, float z) {
  float longest = std::abs(x);
  for (const float other : {std::abs(y), std::abs(z)})
    if (!(longest >= other) && !std::isnan(other)) longest = other;
  return std::bit_cast<float>(approx::rcp_f32(std::bit_cast<uint32_t>(longest), true));
}

}  // namespace heddle::exec
