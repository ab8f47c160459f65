// Expected values from the table of faces in the CUDA C++ Programming Guide, "Cubemap Textures".
#include "exec/interp/texture/cube.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heddle::exec::interp {
namespace {

TEST(Cube, each_face_has_its_axes) {
  const struct {
    std::array<double, 3> direction;
    int face;
    double s, t;  // (s/m + 1)/2, (t/m + 1)/2
  } cases[] = {
      {{2, 0.5, 1}, 0, 0.25, 0.375},   // m x, s -z, t -y
      {{-2, 0.5, 1}, 1, 0.75, 0.375},  // s z, t -y
      {{0.5, 2, 1}, 2, 0.625, 0.75},   // s x, t z
      {{0.5, -2, 1}, 3, 0.625, 0.25},  // s x, t -z
      {{0.5, 1, 2}, 4, 0.625, 0.25},   // s x, t -y
      {{0.5, 1, -2}, 5, 0.375, 0.25},  // s -x, t -y
  };
  for (const auto& c : cases) {
    const FacePlace place = face_of(c.direction);
    EXPECT_EQ(place.face, c.face);
    EXPECT_EQ(place.s, c.s) << c.face;
    EXPECT_EQ(place.t, c.t) << c.face;
  }
}

// The centre of a texel as a point of the cube with faces at +-1, from the same table.
std::array<double, 3> centre(int face, int64_t x, int64_t y, int64_t size) {
  const double s = (2.0 * static_cast<double>(x) + 1) / static_cast<double>(size) - 1,
               t = (2.0 * static_cast<double>(y) + 1) / static_cast<double>(size) - 1;
  switch (face) {
    case 0: return {1, -t, -s};
    case 1: return {-1, -t, s};
    case 2: return {s, 1, t};
    case 3: return {s, -1, -t};
    case 4: return {s, -t, 1};
    default: return {-s, -t, -1};
  }
}

TEST(Cube, beyond_an_edge_lies_the_nearest_texel_of_another_face) {
  constexpr int64_t size = 4;
  for (int face = 0; face < 6; ++face)
    for (int64_t i = 0; i < size; ++i) {
      const std::array<int64_t, 2> beyond[] = {{-1, i}, {size, i}, {i, -1}, {i, size}};
      for (const auto& [x, y] : beyond) {
        const FaceTexel texel = across_edge(face, x, y, size);
        ASSERT_NE(texel.face, face);
        // Both texels touch the edge between them half a texel away, at the same place along it.
        const auto here =
            centre(face, std::clamp<int64_t>(x, 0, size - 1), std::clamp<int64_t>(y, 0, size - 1), size);
        const auto there = centre(texel.face, texel.x, texel.y, size);
        double square = 0;
        for (std::size_t k = 0; k < 3; ++k) square += (here[k] - there[k]) * (here[k] - there[k]);
        EXPECT_NEAR(square, 2 * (1.0 / size) * (1.0 / size), 1e-12) << face << " " << x << " " << y;
      }
    }
}

TEST(Cube, slopes_are_derivatives) {
  const std::array<double, 3> at{2, 0.5, 1}, step{0.1, -0.2, 0.3};
  const auto [s, t] = face_slope(at, step);
  // A place is a multiple of 2^-21, so the points lie apart.
  constexpr double h = 0.01;
  const auto beside = [&](double by) {
    return face_of({at[0] + by * step[0], at[1] + by * step[1], at[2] + by * step[2]});
  };
  const FacePlace a = beside(-h), b = beside(h);
  EXPECT_NEAR((b.s - a.s) / (2 * h), s, 1e-4);
  EXPECT_NEAR((b.t - a.t) / (2 * h), t, 1e-4);
}

}  // namespace
}  // namespace heddle::exec::interp
