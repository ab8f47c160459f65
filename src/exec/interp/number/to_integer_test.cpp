#include "exec/interp/number/to_integer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "exec/interp/number/half.h"

namespace heddle::exec::interp {
namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::down,
                                  Rounding::up};
constexpr IntegerType types[] = {{8, false},  {8, true},  {16, false}, {16, true},
                                 {32, false}, {32, true}, {64, false}, {64, true}};

// Every f32 with HEDDLE_FULL_SWEEP set, otherwise a sample that reaches every exponent.
uint64_t stride() { return std::getenv("HEDDLE_FULL_SWEEP") != nullptr ? 1 : 65'521; }

__extension__ using Wide = __int128;

// In integers alone, from the bits of a finite f32.
uint64_t oracle(uint32_t bits, Rounding rounding, IntegerType type) {
  const bool negative = bits >> 31 != 0;
  const int field = static_cast<int>(bits >> 23 & 0xff);
  const Wide significand = (bits & 0x7fffff) | (field != 0 ? 0x800000 : 0);
  const int shift = std::max(field, 1) - 150;  // the number is significand * 2^shift
  Wide whole = 0;
  if (shift >= 0) {
    whole = shift > 70 ? Wide{1} << 100 : significand << shift;
  } else {
    const int drop = std::min(-shift, 60);
    whole = significand >> drop;
    const Wide rest = significand - (whole << drop), half = Wide{1} << (drop - 1);
    const bool up = rounding == Rounding::nearest_even ? rest > half || (rest == half && (whole & 1) != 0)
                    : rounding == Rounding::down       ? negative && rest != 0
                    : rounding == Rounding::up         ? !negative && rest != 0
                                                       : false;
    whole += up ? 1 : 0;
  }
  const Wide value = negative ? -whole : whole;
  const Wide least = type.is_signed ? -(Wide{1} << (type.bits - 1)) : 0;
  const Wide most = (Wide{1} << (type.bits - (type.is_signed ? 1 : 0))) - 1;
  const auto clamped = static_cast<uint64_t>(std::clamp(value, least, most));
  return type.bits == 64 ? clamped : clamped & ((uint64_t{1} << type.bits) - 1);
}

TEST(ToInteger, F32IsRoundedAndClamped) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += stride()) {
    const auto b = static_cast<uint32_t>(bits);
    if ((b & 0x7f800000) == 0x7f800000) continue;
    const double value = std::bit_cast<float>(b);
    for (const Rounding r : roundings)
      for (const IntegerType type : types) {
        ASSERT_EQ(to_integer(value, r, type), oracle(b, r, type))
            << std::hexfloat << value << " rounding " << static_cast<int>(r) << " bits " << type.bits;
      }
  }
}

TEST(ToInteger, EveryHalfIsRoundedAndClamped) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    for (const bool brain : {false, true}) {
      const float value = HalfType{brain}.decode(static_cast<uint16_t>(bits));
      if (!std::isfinite(value)) continue;
      for (const Rounding r : roundings)
        for (const IntegerType type : types) {
          ASSERT_EQ(to_integer(value, r, type), oracle(std::bit_cast<uint32_t>(value), r, type));
        }
    }
}

TEST(ToInteger, DoublesNextToTheEndsOfTheRange) {
  const IntegerType s32{32, true}, u32{32, false}, s64{64, true}, u64{64, false};
  EXPECT_EQ(to_integer(2147483647.5, Rounding::nearest_even, s32), 0x7fff'ffffu);
  EXPECT_EQ(to_integer(2147483647.5, Rounding::toward_zero, s32), 0x7fff'ffffu);
  EXPECT_EQ(to_integer(-2147483648.5, Rounding::nearest_even, s32), 0x8000'0000u);
  EXPECT_EQ(to_integer(-0.5, Rounding::down, u32), 0u);
  EXPECT_EQ(to_integer(4294967295.5, Rounding::down, u32), 0xffff'ffffu);
  EXPECT_EQ(to_integer(0x1.fffffffffffffp62, Rounding::up, s64), 0x7fff'ffff'ffff'fc00u);
  EXPECT_EQ(to_integer(0x1p63, Rounding::up, s64), 0x7fff'ffff'ffff'ffffu);
  EXPECT_EQ(to_integer(0x1.fffffffffffffp63, Rounding::up, u64), 0xffff'ffff'ffff'f800u);
  EXPECT_EQ(to_integer(-INFINITY, Rounding::up, s64), 0x8000'0000'0000'0000u);
  EXPECT_EQ(to_integer(INFINITY, Rounding::up, u64), ~uint64_t{0});
}

TEST(ToInteger, NaN) {
  EXPECT_EQ(nan_integer(false, {32, true}), 0u);
  EXPECT_EQ(nan_integer(false, {8, false}), 0u);
  EXPECT_EQ(nan_integer(false, {64, false}), 0x8000'0000'0000'0000u);
  EXPECT_EQ(nan_integer(true, {32, true}), 0x8000'0000u);
  EXPECT_EQ(nan_integer(true, {16, false}), 0x8000u);
}

// Of every pair of 8- and 16-bit types all values.
TEST(ToInteger, IntegersWrapAndClamp) {
  for (const IntegerType from : types) {
    if (from.bits > 16) continue;
    for (const IntegerType to : types) {
      if (to.bits > 16) continue;
      for (int64_t i = 0; i < int64_t{1} << from.bits; ++i) {
        const bool negative = from.is_signed && i >> (from.bits - 1) != 0;
        const int64_t value = negative ? i - (int64_t{1} << from.bits) : i;
        const int64_t mask = (int64_t{1} << to.bits) - 1;
        const int64_t least = to.is_signed ? -(mask + 1) / 2 : 0, most = to.is_signed ? mask / 2 : mask;
        // What stands above the source's digits does not matter.
        const auto bits = static_cast<uint64_t>(i | int64_t{0x55} << 40);
        ASSERT_EQ(wrap_integer(bits, from, to), static_cast<uint64_t>(value & mask));
        ASSERT_EQ(clamp_integer(bits, from, to),
                  static_cast<uint64_t>(std::clamp(value, least, most) & mask));
      }
    }
  }
}

}  // namespace
}  // namespace heddle::exec::interp
