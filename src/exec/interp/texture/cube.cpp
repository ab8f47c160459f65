#include "exec/interp/texture/cube.h"

#include <algorithm>
#include <cmath>

#include "exec/cube_scale.h"

namespace heddle::exec::interp {
namespace {

// CUDA C++ Programming Guide, "Cubemap Textures": on a face, m is the major axis, and s and t run along two
// others in the sense given.
struct FaceAxes {
  int major, s, t;  // 0 x, 1 y, 2 z
  int s_sign, t_sign;
};
constexpr FaceAxes axes[6] = {
    {0, 2, 1, -1, -1}, {0, 2, 1, 1, -1},   // +x -x
    {1, 0, 2, 1, 1},   {1, 0, 2, 1, -1},   // +y -y
    {2, 0, 1, 1, -1},  {2, 0, 1, -1, -1},  // +z -z
};

template <class T>
T along(const std::array<T, 3>& v, int axis) {
  return v[static_cast<std::size_t>(axis)];
}

// What a texture unit takes for a direction: its products with the scale, and the face that they choose.
struct Products {
  std::array<float, 3> along;
  int face;
};

Products products_of(const std::array<double, 3>& direction) {
  std::array<float, 3> v;
  for (std::size_t i = 0; i < 3; ++i) v[i] = static_cast<float>(direction[i]);
  const float scale = cube_scale(v[0], v[1], v[2]);
  std::array<float, 3> length;
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] *= scale;
    length[i] = std::isnan(v[i]) ? -1 : std::abs(v[i]);  // NaN is shorter than any number
  }
  // The guide leaves ties open: z before y before x. -0 is not negative.
  const int major = length[2] >= length[0] && length[2] >= length[1] ? 2 : length[1] >= length[0] ? 1 : 0;
  return {v, 2 * major + (along(v, major) < 0 ? 1 : 0)};
}

// A coordinate within [-1, 1] as a place within [0, 1], cut downwards to 21 bits behind the point.
double place_of(float v) {
  if (std::isnan(v) || std::abs(v) < 0x1p-126F) return 0.5;
  return std::floor(std::clamp(static_cast<double>(v), -1., 1.) * 0x1p20) * 0x1p-21 + 0.5;
}

}  // namespace

FacePlace face_of(const std::array<double, 3>& direction) {
  const auto [v, face] = products_of(direction);
  const FaceAxes& a = axes[face];
  return {face, place_of(static_cast<float>(a.s_sign) * along(v, a.s)),
          place_of(static_cast<float>(a.t_sign) * along(v, a.t))};
}

std::array<double, 2> face_slope(const std::array<double, 3>& direction, const std::array<double, 3>& step) {
  const FaceAxes& a = axes[products_of(direction).face];
  const double signed_m = along(direction, a.major), m = std::abs(signed_m);
  if (!(m > 0)) return {0, 0};
  const double dm = signed_m < 0 ? -along(step, a.major) : along(step, a.major);
  const auto slope = [&](int axis, int sign) {  // of (sign * v / m + 1) / 2
    return sign * (along(step, axis) * m - along(direction, axis) * dm) / (2 * m * m);
  };
  return {slope(a.s, a.s_sign), slope(a.t, a.t_sign)};
}

FaceTexel across_edge(int face, int64_t x, int64_t y, int64_t size) {
  const auto inside = [&](int64_t i) { return i >= 0 && i < size; };
  if (inside(x) && inside(y)) return {face, x, y};
  // In half texels from the cube's centre, faces at a distance of `size`. The first texel beyond an edge lies
  // on the face that adjoins there, half a texel from the edge.
  const FaceAxes& from = axes[face];
  std::array<int64_t, 3> at{};
  const auto put = [&](int axis, int64_t value) { at[static_cast<std::size_t>(axis)] = value; };
  const auto on_edge = [&](int64_t i) { return i < 0 ? -size : i >= size ? size : 2 * i + 1 - size; };
  put(from.major, (size - 1) * (face % 2 == 0 ? 1 : -1));
  put(from.s, from.s_sign * on_edge(x));
  put(from.t, from.t_sign * on_edge(y));
  const int beyond = inside(x) ? from.t : from.s;
  const int next = 2 * beyond + (at[static_cast<std::size_t>(beyond)] < 0 ? 1 : 0);
  const FaceAxes& to = axes[next];
  const auto texel = [&](int axis, int sign) {
    return std::clamp<int64_t>((sign * along(at, axis) + size - 1) / 2, 0, size - 1);
  };
  return {next, texel(to.s, to.s_sign), texel(to.t, to.t_sign)};
}

}  // namespace heddle::exec::interp
