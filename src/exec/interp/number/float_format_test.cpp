#include "exec/interp/number/float_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "exec/interp/number/half.h"

namespace heddle::exec::interp {
namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                  Rounding::down, Rounding::up};

struct Named {
  const char* name;
  const Format& format;
};
const Named small_formats[] = {{"f16", formats::f16},   {"bf16", formats::bf16}, {"e4m3", formats::e4m3},
                               {"e5m2", formats::e5m2}, {"e2m3", formats::e2m3}, {"e3m2", formats::e3m2},
                               {"e2m1", formats::e2m1}};

// The finite numbers that are not negative, ascending. A format's patterns are in the numbers' order.
std::vector<double> numbers(const Format& format) {
  std::vector<double> values;
  for (uint64_t bits = 0; bits <= format.largest(); ++bits) {
    const auto field = static_cast<int>(bits >> format.fraction_bits);
    const auto fraction = static_cast<double>(bits & (format.hidden() - 1));
    const double unit = std::ldexp(1.0, -format.fraction_bits);
    values.push_back(field == 0 ? std::ldexp(fraction * unit, 1 - format.bias)
                                : std::ldexp(1 + fraction * unit, field - format.bias));
  }
  return values;
}

// Which of the two neighbours of a magnitude between them. `next` is the one above, by its number.
bool takes_upper(Rounding rounding, bool negative, double value, double below, double above, uint64_t next) {
  const double middle = (below + above) / 2;  // exact
  switch (rounding) {
    case Rounding::nearest_even: return value > middle || (value == middle && next % 2 == 0);
    case Rounding::nearest_away: return value >= middle;
    case Rounding::toward_zero: return false;
    case Rounding::down: return negative;
    case Rounding::up: return !negative;
  }
  return false;
}

// By search among all numbers of the format.
uint64_t searched(const Format& format, const std::vector<double>& values, double value, Rounding rounding) {
  const bool negative = std::signbit(value);
  const uint64_t sign = negative ? format.sign_bit() : 0;
  const double magnitude = std::fabs(value);
  const auto at = std::upper_bound(values.begin(), values.end(), magnitude);
  const auto next = static_cast<uint64_t>(at - values.begin());
  const double below = values[next - 1];
  if (below == magnitude) return sign | (next - 1);
  // Above the largest number stands the one that the next exponent would begin with.
  const double above = at == values.end() ? below + (below - values[next - 2]) : *at;
  if (!takes_upper(rounding, negative, std::min(magnitude, above), below, above, next))
    return sign | (next - 1);
  if (at != values.end()) return sign | next;
  return sign | (format.special == Format::Special::ieee ? format.infinity() : format.largest());
}

TEST(FloatFormat, RoundsToANeighbourAsTheRuleSays) {
  for (const auto& [name, format] : small_formats) {
    SCOPED_TRACE(name);
    const std::vector<double> values = numbers(format);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double above = i + 1 < values.size() ? values[i + 1] : values[i] + (values[i] - values[i - 1]);
      const double middle = (values[i] + above) / 2;
      for (const double value : {values[i], std::nextafter(values[i], above), std::nextafter(middle, 0),
                                 middle, std::nextafter(middle, above), std::nextafter(above, 0)})
        for (const double v : {value, -value})
          for (const Rounding r : roundings) {
            ASSERT_EQ(encode(format, v, r), searched(format, values, v, r))
                << std::hexfloat << v << " rounding " << static_cast<int>(r);
          }
    }
  }
}

TEST(FloatFormat, DecodeIsExactAndEncodeGivesItBack) {
  for (const auto& [name, format] : small_formats) {
    SCOPED_TRACE(name);
    const std::vector<double> values = numbers(format);
    for (uint64_t bits = 0; bits < values.size(); ++bits) {
      ASSERT_EQ(decode(format, bits), values[bits]);
      ASSERT_EQ(decode(format, bits | format.sign_bit()), -values[bits]);
      for (const Rounding r : roundings) {
        ASSERT_EQ(encode(format, values[bits], r), bits);
        ASSERT_EQ(encode(format, -values[bits], r), bits | format.sign_bit());
      }
    }
    for (uint64_t bits = values.size(); bits <= format.all_ones(); ++bits) {
      const bool infinite = format.special == Format::Special::ieee && bits == format.infinity();
      EXPECT_EQ(std::isinf(decode(format, bits)), infinite);
      EXPECT_EQ(std::isnan(decode(format, bits)), !infinite);
      EXPECT_EQ(format.is_nan(bits), !infinite);
    }
  }
}

// PTX ISA 5.2.3 and the OCP formats behind it.
TEST(FloatFormat, Landmarks) {
  EXPECT_EQ(decode(formats::e4m3, 0x7e), 448);
  EXPECT_EQ(decode(formats::e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(formats::e4m3.is_nan(0x7f));
  EXPECT_EQ(decode(formats::e5m2, 0x7b), 57344);
  EXPECT_EQ(decode(formats::e5m2, 0x01), 0x1p-16);
  EXPECT_EQ(decode(formats::e2m3, 0x1f), 7.5);
  EXPECT_EQ(decode(formats::e2m3, 0x01), 0.125);
  EXPECT_EQ(decode(formats::e3m2, 0x1f), 28);
  EXPECT_EQ(decode(formats::e3m2, 0x01), 0.0625);
  EXPECT_EQ(decode(formats::e2m1, 0x7), 6);
  EXPECT_EQ(decode(formats::e2m1, 0x1), 0.5);
  EXPECT_EQ(decode(formats::f16, 0x7bff), 65504);
  EXPECT_EQ(decode(formats::tf32, 0x1fc01), 1 + 0x1p-10);
}

TEST(FloatFormat, InfinitiesAndSatfinite) {
  const double infinity = INFINITY;
  EXPECT_EQ(encode(formats::f16, infinity, Rounding::toward_zero), 0x7c00u);
  EXPECT_EQ(encode(formats::f16, -infinity, Rounding::nearest_even, Overflow::largest), 0xfbffu);
  EXPECT_EQ(encode(formats::e4m3, infinity, Rounding::nearest_even, Overflow::largest), 0x7eu);
  EXPECT_EQ(encode(formats::e5m2, 1e9, Rounding::nearest_even, Overflow::largest), 0x7bu);
  EXPECT_EQ(encode(formats::f16, 65519.99, Rounding::nearest_even), 0x7bffu);
  EXPECT_EQ(encode(formats::f16, 65520.0, Rounding::nearest_even), 0x7c00u);
  EXPECT_EQ(encode(formats::f16, 65520.0, Rounding::toward_zero), 0x7bffu);
  EXPECT_EQ(encode(formats::f16, -65504.5, Rounding::down), 0xfc00u);
}

TEST(FloatFormat, IntegersOf64BitsAreRoundedFromAllTheirDigits) {
  const uint64_t all = ~uint64_t{0};
  EXPECT_EQ(encode(formats::f32, Finite{false, all, 0}, Rounding::toward_zero), 0x5f7f'ffffu);
  EXPECT_EQ(encode(formats::f32, Finite{false, all, 0}, Rounding::nearest_even), 0x5f80'0000u);
  EXPECT_EQ(encode(formats::f64, Finite{true, all, 0}, Rounding::up), 0xc3ef'ffff'ffff'ffffu);
  EXPECT_EQ(encode(formats::f16, Finite{false, all, 0}, Rounding::nearest_even), 0x7c00u);
  // 2^53 + 1 is a tie; one more digit far below breaks it.
  EXPECT_EQ(encode(formats::f64, Finite{false, (uint64_t{1} << 63) + (1 << 10), 0}, Rounding::nearest_even),
            0x43e0'0000'0000'0000u);
  EXPECT_EQ(
      encode(formats::f64, Finite{false, (uint64_t{1} << 63) + (1 << 10) + 1, 0}, Rounding::nearest_even),
      0x43e0'0000'0000'0001u);
}

TEST(FloatFormat, The16BitFormatsHaveQuickDecoders) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto b = static_cast<uint16_t>(bits);
    if (formats::f16.is_nan(b)) {
      ASSERT_TRUE(std::isnan(from_f16(b)));
    } else {
      ASSERT_EQ(from_f16(b), decode(formats::f16, b));
      ASSERT_EQ(std::signbit(from_f16(b)), bits >= 0x8000);
    }
    if (!formats::bf16.is_nan(b)) {
      ASSERT_EQ(from_bf16(b), decode(formats::bf16, b));
    }
  }
}

TEST(FloatFormat, TinyIsJudgedWithUnboundedExponent) {
  const double least = 0x1p-126;  // the least normal f32; numbers just below it have 2^-150 between them
  EXPECT_FALSE(is_tiny(formats::f32, least, Rounding::toward_zero));
  EXPECT_FALSE(is_tiny(formats::f32, least - 0x1p-151, Rounding::nearest_even));  // a tie, up to even
  EXPECT_TRUE(is_tiny(formats::f32, least - 0x1.8p-151, Rounding::nearest_even));
  EXPECT_TRUE(is_tiny(formats::f32, least - 0x1p-160, Rounding::toward_zero));
  EXPECT_FALSE(is_tiny(formats::f32, least - 0x1p-160, Rounding::up));
  EXPECT_FALSE(is_tiny(formats::f32, -least + 0x1p-160, Rounding::down));
  EXPECT_TRUE(is_tiny(formats::f32, least - 0x1p-150, Rounding::up));
  EXPECT_FALSE(is_tiny(formats::f32, 0, Rounding::nearest_even));
}

}  // namespace
}  // namespace heddle::exec::interp
