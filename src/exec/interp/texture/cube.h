// Cube maps: from a direction to a place on a face, and from beyond a face's edge to the neighbour.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::exec::interp {

// Faces in the order of their slices: +x -x +y -y +z -z.
struct FacePlace {
  int face = 0;
  double s = 0, t = 0;  // in [0, 1]
};
FacePlace face_of(const std::array<double, 3>& direction);
// How s and t change when the direction moves by `step`, the face staying the same.
std::array<double, 2> face_slope(const std::array<double, 3>& direction, const std::array<double, 3>& step);

struct FaceTexel {
  int face = 0;
  int64_t x = 0, y = 0;
};
// The texel at (x, y) of a face of size * size texels; beyond one edge by at most one texel, that of the face
// that adjoins there.
FaceTexel across_edge(int face, int64_t x, int64_t y, int64_t size);

}  // namespace heddle::exec::interp
