#include "approx/interpolator.h"

#include <gtest/gtest.h>

namespace heddle::approx {
namespace {

// Bit i of x contributes floor(x / 2^(18 - i)); half of the sum is the square.
TEST(Interpolator, squares_drop_the_low_half_of_every_partial_product) {
  EXPECT_EQ(truncated_square(0), 0u);
  EXPECT_EQ(truncated_square(1), 0u);
  EXPECT_EQ(truncated_square(0x10000), 0x10000u >> 2 >> 1);  // 2^32 / 2^19 = 2^13, exactly
  EXPECT_EQ(truncated_square(0x18000),
            ((0x18000u >> 2) + (0x18000u >> 3)) >> 1);  // exact: the low bits are zeros
  EXPECT_EQ(truncated_square(0x00003), 0u);
  // 2^16 + 1: bit 16 gives (2^16 + 1) >> 2 = 2^14, bit 0 gives (2^16 + 1) >> 18 = 0.
  EXPECT_EQ(truncated_square(0x10001), 1u << 13);
}

TEST(Interpolator, squares_are_half_the_sum_of_the_partial_products) {
  for (uint32_t x = 0; x < 1 << 17; ++x) {
    uint32_t sum = 0;
    for (int bit = 0; bit < 17; ++bit) sum += x >> bit & 1 ? x >> (18 - bit) : 0;
    ASSERT_EQ(truncated_square(x), sum >> 1) << x;
  }
}

TEST(Interpolator, a_square_is_short_of_the_true_one_by_less_than_nine) {
  for (uint64_t x = 0; x < 1 << 17; ++x) {
    uint64_t exact = x * x >> 19, cut = truncated_square(static_cast<uint32_t>(x));
    ASSERT_LE(cut, exact) << x;
    ASSERT_LT(exact - cut, 9u) << x;
  }
}

TEST(Interpolator, adds_its_terms_in_fixed_point) {
  static const Segment segments[] = {{1, 0, 0}, {100, -3, 5}};
  Interpolator table = {segments, 17, 0, 4, 1, 7, 2};
  // segment 1, x = 2^16, square 2^13: 100 * 16 - 3 * 65536 + 5 * 8192 * 2 + 7
  int64_t sum = 1600 - 196608 + 81920 + 7;
  EXPECT_EQ(table.raw(0x30000), sum);
  EXPECT_EQ(table.at(0x30000), sum >> 2);
  EXPECT_EQ(table.raw(5), 16 + 7);
}

}  // namespace
}  // namespace heddle::approx
