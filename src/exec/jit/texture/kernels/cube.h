// From a direction to a place on a face of a cube map (CUDA C++ Programming Guide, "Cubemap Textures").
#pragma once

#include "exec/jit/texture/kernels/axis.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

inline void faces(const uint64_t* const direction[3], Range range, Faces& out) {
  const uint64_t *xs = direction[0], *ys = direction[1], *zs = direction[2];
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    const double x = coordinate<Coordinate::real>(xs[l]), y = coordinate<Coordinate::real>(ys[l]),
                 z = coordinate<Coordinate::real>(zs[l]);
    const double ax = __builtin_fabs(x), ay = __builtin_fabs(y), az = __builtin_fabs(z);
    const bool by_z = az >= ax && az >= ay, by_y = !by_z && ay >= ax;
    const double major = by_z ? z : by_y ? y : x;
    const bool negative = __builtin_bit_cast(int64_t, major) < 0;
    const double size = __builtin_fabs(major);
    // +x: -z -y, -x: z -y, +y: x z, -y: x -z, +z: x -y, -z: -x -y
    const double along_s = by_z ? (negative ? -x : x) : by_y ? x : negative ? z : -z;
    const double along_t = by_y ? (negative ? -z : z) : -y;
    const bool known = size > 0 && size < __builtin_inf();
    const double s = (along_s / size + 1) / 2, t = (along_t / size + 1) / 2;
    out.s[l] = __builtin_bit_cast(uint64_t, known ? s : 0.5);
    out.t[l] = __builtin_bit_cast(uint64_t, known ? t : 0.5);
    out.face[l] = (by_z ? 4 : by_y ? 2 : 0) + (negative ? 1 : 0);
  }
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
