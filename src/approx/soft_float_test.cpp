// Against the host's IEEE arithmetic: one operation each, so there is one right answer.
#include "approx/soft_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace heddle::approx {
namespace {

// Bits at random, exponents crowded together so that sums cancel and results overflow, vanish or are
// subnormal.
class Bits {
 public:
  uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ ^ state_ >> 29;
  }
  double f64() {
    static const int centers[] = {0, 1, 520, 1000, 1023, 1030, 1500, 2046};
    uint64_t bits = next();
    auto exponent = static_cast<uint64_t>(centers[next() % 8]) + next() % 3;
    if (exponent > 2046) exponent = 2046;
    if (next() % 4 == 0) bits &= ~uint64_t{0} << next() % 52;  // round numbers make ties
    return std::bit_cast<double>((bits & 0x800fffffffffffff) | exponent << 52);
  }
  float f32() {
    static const int centers[] = {0, 1, 64, 100, 126, 130, 190, 253};
    auto bits = static_cast<uint32_t>(next() >> 16);
    auto exponent = static_cast<uint32_t>(centers[next() % 8]) + static_cast<uint32_t>(next() % 3);
    if (exponent > 254) exponent = 254;
    if (next() % 4 == 0) bits &= ~0u << next() % 23;
    return std::bit_cast<float>((bits & 0x807fffffu) | exponent << 23);
  }

 private:
  uint64_t state_ = 2026;
};

template <class Soft, class Host, class B>
void expect_same(B got, Host want, Host a, Host b, Host c) {
  ASSERT_EQ(got, std::bit_cast<B>(want)) << std::hexfloat << a << ' ' << b << ' ' << c;
}

TEST(SoftFloat, f64_products_and_fused_sums_are_rounded_once) {
  Bits bits;
  for (int i = 0; i < 500000; ++i) {
    double a = bits.f64(), b = bits.f64(), c = bits.f64();
    auto x = std::bit_cast<uint64_t>(a), y = std::bit_cast<uint64_t>(b), z = std::bit_cast<uint64_t>(c);
    expect_same<F64>(F64::multiply(x, y), a * b, a, b, c);
    expect_same<F64>(F64::add(x, y), a + b, a, b, c);
    expect_same<F64>(F64::multiply_add(x, y, z), std::fma(a, b, c), a, b, c);
    expect_same<F64>(F64::multiply_add(x, y, std::bit_cast<uint64_t>(-(a * b))), std::fma(a, b, -(a * b)), a,
                     b, c);
    if (HasFatalFailure()) return;
  }
}

TEST(SoftFloat, f32_products_and_fused_sums_are_rounded_once) {
  Bits bits;
  for (int i = 0; i < 500000; ++i) {
    float a = bits.f32(), b = bits.f32(), c = bits.f32();
    auto x = std::bit_cast<uint32_t>(a), y = std::bit_cast<uint32_t>(b), z = std::bit_cast<uint32_t>(c);
    expect_same<F32>(F32::multiply(x, y), a * b, a, b, c);
    expect_same<F32>(F32::add(x, y), a + b, a, b, c);
    expect_same<F32>(F32::multiply_add(x, y, z), std::fma(a, b, c), a, b, c);
    if (HasFatalFailure()) return;
  }
}

// A double holds the product of two floats, so cutting it off is exact.
TEST(SoftFloat, f32_products_toward_zero) {
  Bits bits;
  for (int i = 0; i < 500000; ++i) {
    float a = bits.f32(), b = bits.f32();
    double exact = static_cast<double>(a) * b;
    auto want = static_cast<float>(exact);
    if (std::fabs(static_cast<double>(want)) > std::fabs(exact)) want = std::nextafter(want, 0.0f);
    uint32_t got =
        F32::multiply(std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b), Rounding::toward_zero);
    ASSERT_EQ(got, std::bit_cast<uint32_t>(want)) << std::hexfloat << a << ' ' << b;
  }
}

TEST(SoftFloat, ftz_drops_what_is_subnormal_before_or_after) {
  constexpr uint32_t smallest_normal = 0x00800000, half = 0x3f000000, minus = 0x80000000, one = 0x3f800000;
  auto product = [](uint32_t a, uint32_t b) { return F32::multiply(a, b, Rounding::nearest_even, true); };
  EXPECT_EQ(product(smallest_normal, half), 0u);
  EXPECT_EQ(product(smallest_normal | minus, half), minus);
  EXPECT_EQ(product(smallest_normal, one), smallest_normal);
  EXPECT_EQ(product(smallest_normal - 1, one | minus), minus);
  // (2^24 - 1) 2^-149 / 2 is below 2^-126 to 24 bits, though the grid of subnormals would round it up to
  // that.
  EXPECT_EQ(product(0x00ffffff, half), 0u);
  EXPECT_EQ(F32::multiply(0x00ffffff, half), smallest_normal);
  // (1 + 2^-23) (1 - 2^-23) 2^-126 = (1 - 2^-46) 2^-126 is 2^-126 to 24 bits.
  EXPECT_EQ(product(smallest_normal + 1, 0x3f7ffffe), smallest_normal);
}

}  // namespace
}  // namespace heddle::approx
