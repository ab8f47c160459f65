#include "exec/interp/number/ieee.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cstdlib>

#include "exec/interp/number/oracle.h"

namespace heddle::exec::interp {
namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::down,
                                  Rounding::up};

template <class T>
struct Of;
template <>
struct Of<float> {
  using Bits = uint32_t;
  static constexpr Format format = formats::f32;
};
template <>
struct Of<double> {
  using Bits = uint64_t;
  static constexpr Format format = formats::f64;
};

template <class T>
class Ieee : public testing::Test {
 protected:
  using Bits = typename Of<T>::Bits;
  static constexpr Format format = Of<T>::format;
  oracle::Samples samples{format};
  T sample() { return std::bit_cast<T>(static_cast<Bits>(samples.next())); }
  static uint64_t bits(T value) {
    return std::isnan(value) ? format.all_ones() : uint64_t{std::bit_cast<Bits>(value)};
  }
  // ours(rounding) against theirs(rounding)
  template <class Ours, class Theirs>
  void compare(Ours ours, Theirs theirs) {
    for (const Rounding r : roundings) {
      const uint64_t got = bits(ours(r)), want = theirs(r);
      if (got != want) {
        ADD_FAILURE() << "rounding " << static_cast<int>(r) << ": " << std::hex << got << ", MPFR " << want;
      }
    }
  }
};
using Both = testing::Types<float, double>;
TYPED_TEST_SUITE(Ieee, Both);

constexpr int cases = 20'000;

TYPED_TEST(Ieee, AddAndSubRoundAsMpfrDoes) {
  for (int i = 0; i < cases; ++i) {
    const TypeParam a = this->sample(), b = this->sample();
    SCOPED_TRACE(testing::Message() << std::hexfloat << a << ' ' << b);
    this->compare([&](Rounding r) { return Add{}(a, b, r); },
                  [&](Rounding r) { return oracle::add(TestFixture::format, r, a, b); });
    this->compare([&](Rounding r) { return Sub{}(a, b, r); },
                  [&](Rounding r) { return oracle::add(TestFixture::format, r, a, -b); });
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Ieee, MulRoundsAsMpfrDoes) {
  for (int i = 0; i < cases; ++i) {
    const TypeParam a = this->sample(), b = this->sample();
    SCOPED_TRACE(testing::Message() << std::hexfloat << a << ' ' << b);
    this->compare([&](Rounding r) { return Mul{}(a, b, r); },
                  [&](Rounding r) { return oracle::mul(TestFixture::format, r, a, b); });
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Ieee, DivAndRcpRoundAsMpfrDoes) {
  for (int i = 0; i < cases; ++i) {
    const TypeParam a = this->sample(), b = this->sample();
    SCOPED_TRACE(testing::Message() << std::hexfloat << a << ' ' << b);
    this->compare([&](Rounding r) { return Div{}(a, b, r); },
                  [&](Rounding r) { return oracle::div(TestFixture::format, r, a, b); });
    this->compare([&](Rounding r) { return Rcp{}(a, r); },
                  [&](Rounding r) { return oracle::div(TestFixture::format, r, 1, a); });
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Ieee, SqrtRoundsAsMpfrDoes) {
  for (int i = 0; i < cases; ++i) {
    const TypeParam a = this->sample();
    SCOPED_TRACE(testing::Message() << std::hexfloat << a);
    this->compare([&](Rounding r) { return Sqrt{}(a, r); },
                  [&](Rounding r) { return oracle::sqrt(TestFixture::format, r, a); });
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Ieee, FmaRoundsOnceAsMpfrDoes) {
  for (int i = 0; i < cases; ++i) {
    const TypeParam a = this->sample(), b = this->sample();
    // Every other time the sum nearly cancels.
    const TypeParam c = i % 2 == 0 ? this->sample() : std::nextafter(-(a * b), this->sample());
    SCOPED_TRACE(testing::Message() << std::hexfloat << a << ' ' << b << ' ' << c);
    this->compare([&](Rounding r) { return Fma{}(a, b, c, r); },
                  [&](Rounding r) { return oracle::fma(TestFixture::format, r, a, b, c); });
    if (this->HasFailure()) return;
  }
}

// The magnitude's digits and the exponent of the last of them, from exact integers: of an f32 that is finite
// and not zero.
struct Digits {
  uint64_t significand;  // 24 digits
  int exponent;
};
Digits digits_of(uint32_t bits) {
  const uint32_t field = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
  if (field != 0) return {fraction | 0x800000, static_cast<int>(field) - 150};
  const int shift = std::countl_zero(fraction) - 8;
  return {uint64_t{fraction} << shift, -149 - shift};
}

// The integer `quotient`, which has 24 digits or fewer, and what is left of the exact value.
float rounded(bool negative, uint64_t quotient, Rest rest, int exponent, Rounding r) {
  const uint64_t up = rounds_up_magnitude(r, negative, (quotient & 1) != 0, rest) ? 1 : 0;
  const double value = std::ldexp(static_cast<double>(quotient + up), exponent);
  // Only a directed rounding stops at the largest number.
  const bool away = r == Rounding::nearest_even || r == (negative ? Rounding::down : Rounding::up);
  const double magnitude = value < 0x1p128 ? value : away ? INFINITY : 0x1.fffffep127;
  return static_cast<float>(negative ? -magnitude : magnitude);
}

float oracle_rcp(uint32_t bits, Rounding r) {
  const Digits d = digits_of(bits);
  // 1 / (s * 2^e) = 2^(n - e) / (s * 2^n): as many digits n as the result has in front of the point.
  int digits = d.significand == 0x800000 ? 46 : 47;
  if (-d.exponent - digits < -149) digits = 149 - d.exponent;
  const uint64_t power = uint64_t{1} << digits, quotient = power / d.significand,
                 rest = 2 * (power % d.significand);
  return rounded(bits >> 31 != 0, quotient,
                 rest == 0               ? Rest::none
                 : rest < d.significand  ? Rest::below_half
                 : rest == d.significand ? Rest::half
                                         : Rest::above_half,
                 -d.exponent - digits, r);
}

float oracle_sqrt(uint32_t bits, Rounding r) {
  const Digits d = digits_of(bits);
  const int shift = (d.exponent & 1) != 0 ? 23 : 24;  // 47 or 48 digits, an even exponent
  const uint64_t radicand = d.significand << shift;
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(radicand)));
  while (root * root > radicand) --root;
  while ((root + 1) * (root + 1) <= radicand) ++root;
  const uint64_t rest = radicand - root * root;  // (root + 1/2)^2 is root^2 + root + 1/4
  return rounded(false, root,
                 rest == 0      ? Rest::none
                 : rest <= root ? Rest::below_half
                                : Rest::above_half,
                 (d.exponent - shift) / 2, r);
}

// All of them with HEDDLE_FULL_SWEEP set.
TEST(IeeeSweep, ReciprocalsAndRootsOfF32) {
  const uint64_t step = std::getenv("HEDDLE_FULL_SWEEP") != nullptr ? 1 : 9973;
  for (uint64_t i = 1; i < uint64_t{1} << 32; i += step) {
    const auto bits = static_cast<uint32_t>(i);
    const auto value = std::bit_cast<float>(bits);
    if (!std::isfinite(value) || value == 0) continue;
    for (const Rounding r : roundings) {
      ASSERT_EQ(Rcp{}(value, r), oracle_rcp(bits, r)) << std::hexfloat << value << ' ' << static_cast<int>(r);
      if (value > 0) {
        ASSERT_EQ(Sqrt{}(value, r), oracle_sqrt(bits, r))
            << std::hexfloat << value << ' ' << static_cast<int>(r);
      }
    }
  }
}

// A result rounded to odd and then to f32 is the exact one rounded to f32.
TEST(IeeeOdd, LosesNothingThatASecondRoundingWants) {
  oracle::Samples samples(formats::f32);
  const auto sample = [&] { return std::bit_cast<float>(static_cast<uint32_t>(samples.next())); };
  for (int i = 0; i < cases; ++i) {
    const float a = sample(), b = sample(), c = i % 2 == 0 ? sample() : std::nextafter(-(a * b), sample());
    const double odd_product = Mul::odd(a, b), odd_fma = Fma::odd(a, b, c), odd_quotient = Div::odd(a, b);
    for (const Rounding r : roundings) {
      if (!std::isnan(odd_product)) {
        EXPECT_EQ(encode(formats::f32, odd_product, r), oracle::mul(formats::f32, r, a, b));
      }
      if (!std::isnan(odd_fma)) {
        EXPECT_EQ(encode(formats::f32, odd_fma, r), oracle::fma(formats::f32, r, a, b, c))
            << std::hexfloat << a << ' ' << b << ' ' << c;
      }
      if (!std::isnan(odd_quotient)) {
        EXPECT_EQ(encode(formats::f32, odd_quotient, r), oracle::div(formats::f32, r, a, b));
      }
    }
    if (HasFailure()) return;
  }
}

TEST(IeeeMode, TheHostsRoundingIsAsItWas) {
  EXPECT_EQ(Add{}(1.0f, 0x1p-30f, Rounding::up), 0x1.000002p0f);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(Add{}(1.0f, 0x1p-30f, Rounding::nearest_even), 1.0f);
}

// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last digit of an f32 there is 2^-23, so that it is a tie.
TEST(IeeeMode, ATieInEveryRounding) {
  const float a = 0x1.001p0f;
  EXPECT_EQ(Mul{}(a, a, Rounding::nearest_even), 0x1.002p0f);
  EXPECT_EQ(Mul{}(a, a, Rounding::toward_zero), 0x1.002p0f);
  EXPECT_EQ(Mul{}(a, a, Rounding::down), 0x1.002p0f);
  EXPECT_EQ(Mul{}(a, a, Rounding::up), 0x1.002002p0f);
  EXPECT_EQ(Mul{}(-a, a, Rounding::down), -0x1.002002p0f);
  EXPECT_EQ(Mul{}(-a, a, Rounding::up), -0x1.002p0f);
}

TEST(IeeeMode, AnExactZeroSumIsNegativeOnlyDownward) {
  for (const Rounding r : roundings) EXPECT_EQ(std::signbit(Sub{}(1.0, 1.0, r)), r == Rounding::down);
}

TEST(IeeeMode, OverflowStopsAtTheLargestNumberTowardZero) {
  const float big = 0x1.fffffep127f;
  EXPECT_TRUE(std::isinf(Mul{}(big, 2.0f, Rounding::nearest_even)));
  EXPECT_EQ(Mul{}(big, 2.0f, Rounding::toward_zero), big);
  EXPECT_EQ(Mul{}(big, 2.0f, Rounding::down), big);
  EXPECT_TRUE(std::isinf(Mul{}(big, 2.0f, Rounding::up)));
  EXPECT_EQ(Mul{}(-big, 2.0f, Rounding::up), -big);
}

}  // namespace
}  // namespace heddle::exec::interp
