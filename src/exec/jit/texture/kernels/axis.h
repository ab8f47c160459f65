// From coordinates to texels, an axis at a time. See lanes.h; no function of another namespace is called, as
// in math/kernels/vector.h.
#pragma once

#include "exec/jit/texture/lanes.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

#define HEDDLE_INLINE [[gnu::always_inline]] inline

HEDDLE_INLINE double least(double a, double b) { return a < b ? a : b; }
HEDDLE_INLINE double most(double a, double b) { return a > b ? a : b; }

template <Coordinate kind>
HEDDLE_INLINE double coordinate(uint64_t bits) {
  if constexpr (kind == Coordinate::whole) return static_cast<int32_t>(bits);
  if constexpr (kind == Coordinate::place) return __builtin_bit_cast(double, bits);
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits));
}

// Of a normalised coordinate so many bits are kept behind the point (cut() in exec/interp/texture/axis.cpp).
HEDDLE_INLINE double grains_of(double size) {
  return size <= 8192 ? 0x1p21 : size <= 65536 ? 0x1p22 : 0x1p23;
}

// In texels; NaN is taken for 0. An axis that wraps folds its coordinate into the image first, one that
// mirrors into the image and the mirrored one behind it.
template <Coordinate kind, Edge edge>
HEDDLE_INLINE double position(double c, double size, double grains) {
  constexpr bool normalized = kind == Coordinate::normalized || kind == Coordinate::place;
  constexpr double far_away = 0x1p40;
  if constexpr (normalized) {
    c = __builtin_fabs(c) < 0x1p-126 ? 0 : c;
    c = __builtin_floor(c * grains) * (1 / grains);
  }
  if constexpr (normalized && (edge == Edge::wrap || edge == Edge::mirror)) {
    c = __builtin_fabs(c) < __builtin_inf() ? c : 0;
    constexpr double turn = edge == Edge::mirror ? 2 : 1;
    return (c - turn * __builtin_floor(c * (1 / turn))) * size;
  } else {
    if constexpr (normalized) c *= size;
    c = c == c ? c : 0;
    return least(most(c, -far_away), far_away);
  }
}

// Where texel `i` of the endless axis lies. What wraps is at most one texel away, what mirrors at most one
// from the image and its mirrored one.
template <Edge edge>
HEDDLE_INLINE int64_t texel_place(double i, double size, int64_t stride) {
  bool inside = true;
  if constexpr (edge == Edge::border) inside = i >= 0 && i < size;
  if constexpr (edge == Edge::wrap) {
    i = i < 0 ? i + size : i;
    i = i >= size ? i - size : i;
  }
  if constexpr (edge == Edge::mirror) {
    i = i < 0 ? -1 - i : i;
    i = i >= 2 * size ? i - 2 * size : i;
    i = i >= size ? 2 * size - 1 - i : i;
  }
  i = least(most(i, 0), size - 1);
  const int64_t place = int64_t{static_cast<int32_t>(i)} * int64_t{static_cast<int32_t>(stride)};
  return inside ? place : border_place;
}

template <Coordinate kind, Edge edge>
void nearest_axis(const uint64_t* in, const AxisSetting& axis, Range range, AxisPlaces& out) {
  const double size = axis.size;
  const double grains = grains_of(size);
  const int64_t stride = axis.stride;
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    const double at = position<kind, edge>(coordinate<kind>(in[l]), size, grains);
    out.first[l] = texel_place<edge>(__builtin_floor(at), size, stride);
  }
}

// The fraction has 8 bits, rounded.
template <Coordinate kind, Edge edge>
void linear_axis(const uint64_t* in, const AxisSetting& axis, Range range, AxisPlaces& out) {
  const double size = axis.size;
  const double grains = grains_of(size);
  const int64_t stride = axis.stride;
  uint64_t between = 0;
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    const double at = position<kind, edge>(coordinate<kind>(in[l]), size, grains);
    const double fixed = __builtin_floor((at - 0.5) * 256 + 0.5);
    const double first = __builtin_floor(fixed * (1.0 / 256));
    double weight = fixed - first * 256;
    if constexpr (edge == Edge::clamp) weight = first < 0 || first >= size - 1 ? 0 : weight;
    out.weight[l] = weight;
    between |= __builtin_bit_cast(uint64_t, weight);
    out.first[l] = texel_place<edge>(first, size, stride);
    out.second[l] = texel_place<edge>(first + 1, size, stride);
  }
  out.between = between != 0;
}

template <int axes, bool sliced>
void one_corner(const AxisPlaces* axis, const int64_t* slice, Range range, Corners& out) {
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    int64_t at = axis[0].first[l];
    if constexpr (axes > 1) at += axis[1].first[l];
    if constexpr (axes > 2) at += axis[2].first[l];
    if constexpr (sliced) at += slice[l];
    out.place[0][l] = at;
  }
}

// The first axis changes from one corner to the next. Weights are shared as corner_weights() in
// exec/interp/texture/filter.h says: numbers as small as these are exact.
HEDDLE_INLINE double share(double all, double part, double half) {
  return __builtin_floor((all * part + half) * (1.0 / 256));
}

template <int axes, bool sliced>
void all_corners(const AxisPlaces* axis, const int64_t* slice, Range range, Corners& out) {
#pragma clang loop vectorize(assume_safety)
  for (int l = range.first; l < range.end; ++l) {
    int64_t place[1 << axes];
    place[0] = 0;
    if constexpr (sliced) place[0] = slice[l];
#pragma clang loop unroll(full)
    for (int i = 0; i < axes; ++i)
#pragma clang loop unroll(full)
      for (int corner = 0; corner < 1 << i; ++corner) {
        place[corner + (1 << i)] = place[corner] + axis[i].second[l];
        place[corner] += axis[i].first[l];
      }
    double weight[1 << axes];
#pragma clang loop unroll(full)
    for (int k = 0; k < (axes > 2 ? 2 : 1); ++k) {
      double all = 256;
      if constexpr (axes > 2) all = k == 0 ? 256 - axis[2].weight[l] : axis[2].weight[l];
      const double right = share(all, axis[0].weight[l], 128), left = all - right;
      if constexpr (axes == 1) {
        weight[0] = left;
        weight[1] = right;
      } else {
        weight[4 * k + 2] = share(left, axis[1].weight[l], 127);
        weight[4 * k + 3] = share(right, axis[1].weight[l], 128);
        weight[4 * k] = left - weight[4 * k + 2];
        weight[4 * k + 1] = right - weight[4 * k + 3];
      }
    }
#pragma clang loop unroll(full)
    for (int corner = 0; corner < 1 << axes; ++corner) {
      out.place[corner][l] = place[corner];
      out.weight[corner][l] = weight[corner];
    }
  }
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
