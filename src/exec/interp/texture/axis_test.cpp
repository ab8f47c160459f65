// Expected values from the CUDA C++ Programming Guide, "Texture Memory" and "Texture Fetching".
#include "exec/interp/texture/axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::exec::interp {
namespace {

int64_t nearest(const Axis& axis, double x) { return nearest_index(axis, position(axis, x), 0); }

TEST(Axis, nearest_is_the_floor) {
  const Axis axis = axis_of(8, AddressMode::clamp_to_edge, false);
  EXPECT_EQ(nearest(axis, 0.0), 0);
  EXPECT_EQ(nearest(axis, 0.999), 0);
  EXPECT_EQ(nearest(axis, 1.0), 1);
  EXPECT_EQ(nearest(axis, 7.999), 7);
}

TEST(Axis, clamping_takes_the_outermost_texel) {
  for (const bool normalized : {false, true}) {
    const Axis axis = axis_of(8, AddressMode::clamp_to_edge, normalized);
    const double whole = normalized ? 1 : 8;
    EXPECT_EQ(nearest(axis, -0.001), 0);
    EXPECT_EQ(nearest(axis, -1e30), 0);
    EXPECT_EQ(nearest(axis, whole), 7);
    EXPECT_EQ(nearest(axis, HUGE_VAL), 7);
    EXPECT_EQ(nearest(axis, -HUGE_VAL), 0);
  }
}

TEST(Axis, the_border_is_outside) {
  for (const bool normalized : {false, true}) {
    const Axis axis = axis_of(8, AddressMode::clamp_to_border, normalized);
    const double whole = normalized ? 1 : 8;
    EXPECT_EQ(nearest(axis, -0.001), outside);
    EXPECT_EQ(nearest(axis, 0), 0);
    EXPECT_EQ(nearest(axis, whole), outside);
    EXPECT_EQ(nearest(axis, whole - 0.001), 7);
  }
}

TEST(Axis, wrapping_takes_the_fraction) {  // x becomes frac(x)
  const Axis axis = axis_of(8, AddressMode::wrap, true);
  EXPECT_EQ(nearest(axis, 1.0), 0);
  EXPECT_EQ(nearest(axis, 1.25), 2);   // 0.25 * 8
  EXPECT_EQ(nearest(axis, -0.25), 6);  // 0.75 * 8
  EXPECT_EQ(nearest(axis, -3.0), 0);
  EXPECT_EQ(nearest(axis, 100.99), 7);
}

TEST(Axis, mirroring_turns_every_other_copy) {  // frac(x) where floor(x) is even, else 1 - frac(x)
  const Axis axis = axis_of(8, AddressMode::mirror, true);
  EXPECT_EQ(nearest(axis, 0.3), 2);  // 2.4
  EXPECT_EQ(nearest(axis, 1.3), 5);  // 0.7 * 8 = 5.6
  EXPECT_EQ(nearest(axis, 2.3), 2);
  EXPECT_EQ(nearest(axis, -0.3), 2);  // floor -1 is odd, frac 0.7: 0.3 * 8
  EXPECT_EQ(nearest(axis, -1.3), 5);  // floor -2 is even, frac 0.7
  EXPECT_EQ(nearest(axis, 1.0), 7);   // 1 - 0: the edge
}

TEST(Axis, without_normalised_coordinates_wrap_and_mirror_clamp) {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror}) {
    const Axis axis = axis_of(8, mode, false);
    EXPECT_EQ(nearest(axis, -3), 0);
    EXPECT_EQ(nearest(axis, 9), 7);
  }
}

TEST(Axis, not_a_number_counts_as_zero) {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp_to_edge})
    EXPECT_EQ(nearest(axis_of(8, mode, true), std::nan("")), 0);
  EXPECT_EQ(nearest(axis_of(8, AddressMode::wrap, true), HUGE_VAL), 0);
}

TEST(Axis, offsets_count_texels) {
  const Axis wrap = axis_of(8, AddressMode::wrap, true), mirror = axis_of(8, AddressMode::mirror, true);
  EXPECT_EQ(nearest_index(wrap, 6.5, 3), 1);
  EXPECT_EQ(nearest_index(wrap, 1.5, -3), 6);
  EXPECT_EQ(nearest_index(mirror, 6.5, 3), 6);   // 9 mirrors to 15 - 9
  EXPECT_EQ(nearest_index(mirror, 1.5, -3), 1);  // -2 mirrors to 1
}

TEST(Axis, a_pair_lies_around_the_centres) {  // xB = x - 0.5, i = floor(xB), alpha = frac(xB)
  const Axis axis = axis_of(8, AddressMode::clamp_to_edge, false);
  const Pair on_centre = linear_pair(axis, 3.5, 0), between = linear_pair(axis, 4.0, 0),
             before = linear_pair(axis, 0.25, 0);
  EXPECT_EQ(on_centre.first, 3);
  EXPECT_EQ(on_centre.weight, 0);
  EXPECT_EQ(between.first, 3);
  EXPECT_EQ(between.second, 4);
  EXPECT_EQ(between.weight, 128);
  EXPECT_EQ(before.first, -1);
  EXPECT_EQ(before.weight, 192);
}

TEST(Axis, weights_have_eight_bits_rounded) {
  const Axis axis = axis_of(8, AddressMode::clamp_to_edge, false);
  EXPECT_EQ(linear_pair(axis, 0.5 + 0.49 / 256, 0).weight, 0);
  EXPECT_EQ(linear_pair(axis, 0.5 + 0.5 / 256, 0).weight, 1);
  EXPECT_EQ(linear_pair(axis, 0.5 + 255.4 / 256, 0).weight, 255);
  const Pair whole = linear_pair(axis, 0.5 + 255.6 / 256, 0);  // rounds to 1.0: all of the second
  EXPECT_EQ(whole.first, 1);
  EXPECT_EQ(whole.weight, 0);
}

// As an H100 has it: its rounding of weights shows the direction.
TEST(Axis, what_mirrors_runs_backwards_behind_the_image) {
  const Axis axis = axis_of(8, AddressMode::mirror, true);
  const Pair pair = linear_pair(axis, 1.1875, 0);  // 9.5, which is 6.5: from 9 to 10
  EXPECT_EQ(texel_index(axis, pair.first), 6);
  EXPECT_EQ(texel_index(axis, pair.second), 5);
  EXPECT_EQ(pair.weight, 0);
  EXPECT_EQ(texel_index(axis, linear_pair(axis, -0.0625, 0).first), 0);  // 15, which is -1
  EXPECT_EQ(linear_pair(axis, 1e30, 0).weight, 128);
}

}  // namespace
}  // namespace heddle::exec::interp
