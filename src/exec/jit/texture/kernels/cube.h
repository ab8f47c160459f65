// From a direction to a place on a face of a cube map (CUDA C++ Programming Guide, "Cubemap Textures").
#pragma once

#include "exec/jit/texture/kernels/axis.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

// A coordinate within [-1, 1] as a place within [0, 1], cut downwards to 21 bits behind the point.
inline uint64_t face_place(float v) {
  const float size = __builtin_fabsf(v);
  const double within = size < 1 ? v : v < 0 ? -1. : 1.;
  const bool counts = size >= 0x1p-126F;  // neither NaN nor subnormal
  return __builtin_bit_cast(uint64_t, counts ? __builtin_floor(within * 0x1p20) * 0x1p-21 + 0.5 : 0.5);
}

inline float scaled(uint64_t coordinate, float scale) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(coordinate)) * scale;
}

// NaN is shorter than any number.
inline float length(float v) { return v == v ? __builtin_fabsf(v) : -1; }

inline void faces(const uint64_t* const direction[3], const float* scale, Range range, Faces& out) {
  const uint64_t *xs = direction[0], *ys = direction[1], *zs = direction[2];
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    const float x = scaled(xs[l], scale[l]), y = scaled(ys[l], scale[l]), z = scaled(zs[l], scale[l]);
    const float ax = length(x), ay = length(y), az = length(z);
    const bool by_z = az >= ax && az >= ay, by_y = !by_z && ay >= ax;
    const bool negative = (by_z ? z : by_y ? y : x) < 0;
    // +x: -z -y, -x: z -y, +y: x z, -y: x -z, +z: x -y, -z: -x -y
    const float along_s = by_z ? (negative ? -x : x) : by_y ? x : negative ? z : -z;
    const float along_t = by_y ? (negative ? -z : z) : -y;
    out.s[l] = face_place(along_s);
    out.t[l] = face_place(along_t);
    out.face[l] = (by_z ? 4 : by_y ? 2 : 0) + (negative ? 1 : 0);
  }
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
