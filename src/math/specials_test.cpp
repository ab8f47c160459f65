// Infinities, NaNs, zeros of both signs, ends of ranges: what C11 annex F, IEEE 754 9.2.1 and the CUDA Math
// API ask for. Each row holds for f32 and f64.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "math/math.h"

namespace heddle::math {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  const char* name;
  double x, y, result;
};

// The second argument of functions of one is not looked at.
constexpr Row rows[] = {
    {"sin", -0.0, 0, -0.0},
    {"sin", inf, 0, nan},
    {"cos", 0, 0, 1},
    {"cos", -inf, 0, nan},
    {"tan", -0.0, 0, -0.0},
    {"tan", inf, 0, nan},
    {"sinpi", -0.0, 0, -0.0},
    {"sinpi", 3, 0, 0.0},
    {"sinpi", -2, 0, -0.0},
    {"sinpi", 0.5, 0, 1},
    {"sinpi", -1.5, 0, 1},
    {"sinpi", inf, 0, nan},
    {"sinpi", 16777216, 0, 0},
    {"cospi", 0.5, 0, 0.0},
    {"cospi", -2.5, 0, 0.0},
    {"cospi", 1, 0, -1},
    {"cospi", 1e30, 0, 1},
    {"cospi", -inf, 0, nan},
    {"asin", -0.0, 0, -0.0},
    {"asin", 1.5, 0, nan},
    {"acos", 1, 0, 0.0},
    {"acos", -1.0625, 0, nan},
    {"atan", -0.0, 0, -0.0},
    {"atan2", 0, 1, 0.0},
    {"atan2", -0.0, 1, -0.0},
    {"atan2", -0.0, inf, -0.0},
    {"atan2", 0, 0, 0.0},
    {"atan2", nan, 1, nan},
    {"exp", -inf, 0, 0},
    {"exp", inf, 0, inf},
    {"exp", 0, 0, 1},
    {"exp", 1000, 0, inf},
    {"exp", -1000, 0, 0},
    {"exp2", 10, 0, 1024},
    {"exp2", -inf, 0, 0},
    {"exp2", inf, 0, inf},
    {"exp2", 5000, 0, inf},
    {"exp10", 0, 0, 1},
    {"exp10", -inf, 0, 0},
    {"exp10", inf, 0, inf},
    {"exp10", -500, 0, 0},
    {"expm1", -0.0, 0, -0.0},
    {"expm1", -inf, 0, -1},
    {"expm1", inf, 0, inf},
    {"expm1", -1000, 0, -1},
    {"log", 1, 0, 0.0},
    {"log", 0, 0, -inf},
    {"log", -0.0, 0, -inf},
    {"log", -1, 0, nan},
    {"log", inf, 0, inf},
    {"log2", 8, 0, 3},
    {"log2", 0, 0, -inf},
    {"log2", -2, 0, nan},
    {"log2", inf, 0, inf},
    {"log10", 1, 0, 0},
    {"log10", 0, 0, -inf},
    {"log10", inf, 0, inf},
    {"log10", -1, 0, nan},
    {"log1p", -0.0, 0, -0.0},
    {"log1p", -1, 0, -inf},
    {"log1p", -1.5, 0, nan},
    {"log1p", inf, 0, inf},
    {"logb", 0, 0, -inf},
    {"logb", -inf, 0, inf},
    {"logb", 12, 0, 3},
    {"logb", nan, 0, nan},
    {"pow", 0, 0, 1},
    {"pow", nan, 0, 1},
    {"pow", 1, nan, 1},
    {"pow", 1, inf, 1},
    {"pow", -1, inf, 1},
    {"pow", -1, -inf, 1},
    {"pow", -2, 3, -8},
    {"pow", -inf, 2, inf},
    {"pow", nan, 2, nan},
    {"pow", -0.0, 2, 0.0},
    {"pow", -5, 2, 25},
    {"pow", -2, 0.5, nan},
    {"pow", 0, -1, inf},
    {"pow", -0.0, -1, -inf},
    {"pow", -0.0, -2, inf},
    {"pow", -0.0, 3, -0.0},
    {"pow", -0.0, 0.5, 0.0},
    {"pow", 0.5, -inf, inf},
    {"pow", 2, -inf, 0},
    {"pow", 2, inf, inf},
    {"pow", inf, -1, 0},
    {"pow", -inf, -3, -0.0},
    {"pow", -inf, 3, -inf},
    {"pow", -inf, 2, inf},
    {"pow", nan, 1, nan},
    {"pow", 2, nan, nan},
    {"pow", -2, 16777216, inf},
    {"sinh", -0.0, 0, -0.0},
    {"sinh", inf, 0, inf},
    {"sinh", -inf, 0, -inf},
    {"sinh", -800, 0, -inf},
    {"cosh", 0, 0, 1},
    {"cosh", -inf, 0, inf},
    {"cosh", 800, 0, inf},
    {"tanh", -0.0, 0, -0.0},
    {"tanh", inf, 0, 1},
    {"tanh", -inf, 0, -1},
    {"asinh", -0.0, 0, -0.0},
    {"asinh", -inf, 0, -inf},
    {"asinh", inf, 0, inf},
    {"acosh", 1, 0, 0.0},
    {"acosh", 0.5, 0, nan},
    {"acosh", inf, 0, inf},
    {"acosh", -inf, 0, nan},
    {"atanh", -0.0, 0, -0.0},
    {"atanh", 1, 0, inf},
    {"atanh", -1, 0, -inf},
    {"atanh", 2, 0, nan},
    {"cbrt", -0.0, 0, -0.0},
    {"cbrt", -27, 0, -3},
    {"cbrt", -inf, 0, -inf},
    {"rcbrt", 0, 0, inf},
    {"rcbrt", -0.0, 0, -inf},
    {"rcbrt", inf, 0, 0.0},
    {"rcbrt", -8, 0, -0.5},
    {"rsqrt", 4, 0, 0.5},
    {"rsqrt", 0, 0, inf},
    {"rsqrt", -0.0, 0, -inf},
    {"rsqrt", inf, 0, 0},
    {"rsqrt", -1, 0, nan},
    {"hypot", inf, nan, inf},
    {"hypot", nan, -inf, inf},
    {"hypot", 3, -4, 5},
    {"hypot", 0, -0.0, 0.0},
    {"hypot", nan, 0, nan},
    {"rhypot", inf, nan, 0.0},
    {"rhypot", 0, 0, inf},
    {"rhypot", 3, 4, 0.2},
    {"erf", -0.0, 0, -0.0},
    {"erf", inf, 0, 1},
    {"erf", -inf, 0, -1},
    {"erfc", inf, 0, 0},
    {"erfc", -inf, 0, 2},
    {"erfc", 0, 0, 1},
    {"erfinv", -0.0, 0, -0.0},
    {"erfinv", 1, 0, inf},
    {"erfinv", -1, 0, -inf},
    {"erfinv", 1.5, 0, nan},
    {"erfcinv", 0, 0, inf},
    {"erfcinv", 2, 0, -inf},
    {"erfcinv", 1, 0, 0.0},
    {"erfcinv", -0.5, 0, nan},
    {"erfcinv", 2.5, 0, nan},
    {"erfcx", inf, 0, 0.0},
    {"erfcx", -inf, 0, inf},
    {"erfcx", 0, 0, 1},
    {"normcdf", inf, 0, 1},
    {"normcdf", -inf, 0, 0.0},
    {"normcdf", 0, 0, 0.5},
    {"normcdfinv", 0, 0, -inf},
    {"normcdfinv", 1, 0, inf},
    {"normcdfinv", 0.5, 0, 0},
    {"normcdfinv", 2, 0, nan},
    {"normcdfinv", -1, 0, nan},
    {"lgamma", 1, 0, 0.0},
    {"lgamma", 2, 0, 0.0},
    {"lgamma", -3, 0, inf},
    {"lgamma", 0, 0, inf},
    {"lgamma", -inf, 0, inf},
    {"lgamma", inf, 0, inf},
    {"tgamma", 0, 0, inf},
    {"tgamma", -0.0, 0, -inf},
    {"tgamma", -2, 0, nan},
    {"tgamma", -inf, 0, nan},
    {"tgamma", inf, 0, inf},
    {"tgamma", 6, 0, 120},
    {"tgamma", 500, 0, inf},
    {"j0", 0, 0, 1},
    {"j0", -inf, 0, 0},
    {"j1", -0.0, 0, -0.0},
    {"j1", inf, 0, 0.0},
    {"y0", 0, 0, -inf},
    {"y0", -1, 0, nan},
    {"y0", inf, 0, 0.0},
    {"y1", 0, 0, -inf},
    {"y1", -1, 0, nan},
    {"y1", inf, 0, 0.0},
    {"cyl_bessel_i0", 0, 0, 1},
    {"cyl_bessel_i0", -inf, 0, inf},
    {"cyl_bessel_i1", -0.0, 0, -0.0},
    {"cyl_bessel_i1", -inf, 0, -inf},
    {"fmod", 7, -3, 1},
    {"fmod", -7, 3, -1},
    {"fmod", -6, 3, -0.0},
    {"fmod", 5, inf, 5},
    {"fmod", inf, 1, nan},
    {"fmod", 1, 0, nan},
    {"fmod", -0.0, 1, -0.0},
    {"remainder", 7, 4, -1},
    {"remainder", 6, 4, -2},
    {"remainder", 10, 4, 2},
    {"remainder", -6, 4, 2},
    {"remainder", 5, inf, 5},
    {"remainder", -4, 2, -0.0},
    {"remainder", inf, 2, nan},
    {"remainder", 2, 0, nan},
    {"fdim", 5, 3, 2},
    {"fdim", 3, 5, 0.0},
    {"fdim", inf, inf, 0.0},
    {"fdim", nan, 1, nan},
    {"round", 2.5, 0, 3},
    {"round", -2.5, 0, -3},
    {"round", -0.25, 0, -0.0},
    {"round", 0.5, 0, 1},
    {"round", -inf, 0, -inf},
};

double value_of(const Function& f, uint64_t bits) {
  return f.single ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
}
uint64_t bits_of(const Function& f, double value) {
  return f.single ? std::bit_cast<uint32_t>(static_cast<float>(value)) : std::bit_cast<uint64_t>(value);
}

const Function& named(const std::string& kernel, bool single) {
  const Function* f = find("__nv_" + kernel + (single ? "f" : ""));
  EXPECT_NE(f, nullptr) << kernel;
  return *f;
}

uint64_t evaluated(const Function& f, uint64_t x, uint64_t y = 0) {
  const uint64_t sources[] = {x, y};
  uint64_t results[2] = {};
  evaluate(id_of(f), sources, results);
  return results[0];
}

TEST(Specials, are_what_the_standards_say) {
  for (const Row& row : rows) {
    for (const bool single : {true, false}) {
      const Function& f = named(row.name, single);
      const double got = value_of(f, evaluated(f, bits_of(f, row.x), bits_of(f, row.y)));
      const double wanted = single ? static_cast<float>(row.result) : row.result;
      const bool right =
          std::isnan(wanted) ? std::isnan(got) : got == wanted && std::signbit(got) == std::signbit(wanted);
      EXPECT_TRUE(right) << f.name << "(" << row.x << ", " << row.y << ") is " << got << ", not " << wanted;
    }
  }
}

TEST(Specials, numbers_just_below_the_largest_are_not_infinite) {
  constexpr double most = std::numeric_limits<double>::max();
  const auto result = [](const char* name, double x, double y) {
    const Function& f = named(name, false);
    return value_of(f, evaluated(f, bits_of(f, x), bits_of(f, y)));
  };
  EXPECT_EQ(result("pow", most, 1), most);
  EXPECT_EQ(result("pow", -most, 1), -most);
  EXPECT_EQ(result("pow", 0x1p512, 2), inf);
  EXPECT_EQ(result("pow", -0x1p400, 3), -inf);
  const double root = 0x1.fffffffffffffp+511;
  EXPECT_EQ(result("pow", root, 2), root * root);
  // Two ulps (CUDA C++ Programming Guide, mathematical functions) of a reference with 11 bits more.
  const auto near = [](double got, long double exact) {
    return std::abs(got - exact) <= 2 * 0x1p971L && got != inf;
  };
  for (const double y : {0.75, 1.25, 3.0, -1.5, 100.0}) {
    const double x = static_cast<double>(powl(0x1.ffffffffcp1023L, 1 / static_cast<long double>(y)));
    const long double exact = powl(x, y);
    if (exact <= static_cast<long double>(most))
      EXPECT_TRUE(near(result("pow", x, y), exact)) << x << " to " << y;
  }
  for (const double x : {709.7827111, 709.7827112, 709.7827128, 0x1.62e42fefa39efp9})
    EXPECT_TRUE(near(result("exp", x, 0), expl(x))) << x;
  EXPECT_EQ(result("exp", 0x1.62e42fefa39fp9, 0), inf);
}

// As exec/jit/math computes them where the exponent is known.
TEST(Specials, squares_are_products) {
  for (const bool single : {true, false}) {
    const Function &pow = named("pow", single), &powi = named("powi", single);
    double x = 1.0000001;
    for (int i = 0; i < 3'000; ++i, x *= -1.013) {
      const uint64_t bits = bits_of(pow, x);
      const double number = value_of(pow, bits);
      const uint64_t square = bits_of(pow, number * number);
      EXPECT_EQ(evaluated(pow, bits, bits_of(pow, 2)), square) << number;
      EXPECT_EQ(evaluated(powi, bits, 2), square) << number;
    }
  }
}

TEST(Specials, every_nan_is_the_canonical_one) {
  for (const Function& f : functions()) {
    if (f.results[0] != Value::element) continue;
    uint64_t sources[4], results[2] = {};
    std::fill(std::begin(sources), std::end(sources), f.single ? 0xffc1'2345u : 0x7ff4'0000'0000'1234u);
    for (unsigned i = 0; i < f.source_count(); ++i)
      if (f.sources[i] == Value::integer) sources[i] = 3;
    evaluate(id_of(f), sources, results);
    EXPECT_EQ(results[0], f.single ? 0x7fff'ffffu : 0xfff8'0000'0000'0000u) << f.name;
  }
}

TEST(Specials, parts_of_numbers) {
  struct Parts {
    double x, fraction;
    int exponent;
  };
  for (const Parts& p : {Parts{12, 0.75, 4}, {-0.5, -0.5, 0}, {0, 0, 0}, {-0.0, -0.0, 0}, {inf, inf, 0}}) {
    for (const bool single : {true, false}) {
      const Function& f = named("frexp", single);
      const uint64_t sources[] = {bits_of(f, p.x)};
      uint64_t results[2] = {};
      evaluate(id_of(f), sources, results);
      EXPECT_EQ(results[0], bits_of(f, p.fraction)) << p.x;
      EXPECT_EQ(static_cast<int32_t>(results[1]), p.exponent) << p.x;
    }
  }
  // The least subnormals.
  for (const bool single : {true, false}) {
    const Function& f = named("frexp", single);
    const uint64_t sources[] = {1};
    uint64_t results[2] = {};
    evaluate(id_of(f), sources, results);
    EXPECT_EQ(results[0], bits_of(f, 0.5));
    EXPECT_EQ(static_cast<int32_t>(results[1]), single ? -148 : -1073);
    evaluate(id_of(named("ilogb", single)), sources, results);
    EXPECT_EQ(static_cast<int32_t>(results[0]), single ? -149 : -1074);
  }
}

TEST(Specials, ilogb_of_what_has_no_exponent) {
  for (const bool single : {true, false}) {
    const Function& f = named("ilogb", single);
    for (const auto& [x, wanted] :
         {std::pair{0.0, INT32_MIN}, {nan, INT32_MIN}, {-inf, INT32_MAX}, {1.0, 0}, {0.75, -1}}) {
      const uint64_t sources[] = {bits_of(f, x)};
      uint64_t results[2] = {};
      evaluate(id_of(f), sources, results);
      EXPECT_EQ(static_cast<int32_t>(results[0]), wanted) << f.name << " of " << x;
    }
  }
}

TEST(Specials, modf_keeps_signs_and_infinities) {
  struct Parts {
    double x, fraction, whole;
  };
  for (const Parts& p : {Parts{2.75, 0.75, 2},
                         {-2.75, -0.75, -2},
                         {-3, -0.0, -3},
                         {-0.25, -0.25, -0.0},
                         {inf, 0.0, inf},
                         {-inf, -0.0, -inf}}) {
    for (const bool single : {true, false}) {
      const Function& f = named("modf", single);
      const uint64_t sources[] = {bits_of(f, p.x)};
      uint64_t results[2] = {};
      evaluate(id_of(f), sources, results);
      EXPECT_EQ(results[0], bits_of(f, p.fraction)) << p.x;
      EXPECT_EQ(results[1], bits_of(f, p.whole)) << p.x;
    }
  }
}

// Against the C library, whose results are exact too, over bit patterns of all kinds.
uint64_t step(uint64_t& state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
template <class T, class U>
void compare_exact(bool single) {
  uint64_t state = 88172645463325252;
  const auto bits = [](T value) -> uint64_t { return std::isnan(value) ? 1 : std::bit_cast<U>(value); };
  const auto call = [&](const char* name, uint64_t x, uint64_t y, uint64_t* second = nullptr) {
    const Function& f = named(name, single);
    const uint64_t sources[] = {x, y};
    uint64_t results[2] = {};
    evaluate(id_of(f), sources, results);
    if (second != nullptr) *second = results[1];
    return results[0];
  };
  const auto as_value = [](uint64_t b) { return std::bit_cast<T>(static_cast<U>(b)); };
  for (int n = 0; n < 20000; ++n) {
    U a = static_cast<U>(step(state)), b = static_cast<U>(step(state));
    if (n % 4 == 1) b = a ^ (b & 0xfff);  // near each other
    if (n % 4 == 2)
      a &= static_cast<U>(~U{0}) >> 9, b &= static_cast<U>(~U{0}) >> 11;  // small, and subnormal
    const T x = std::bit_cast<T>(a), y = std::bit_cast<T>(b);
    int quotient = 0, exponent = 0;
    T whole = 0;
    uint64_t second = 0;
    EXPECT_EQ(bits(as_value(call("fmod", a, b))), bits(std::fmod(x, y))) << x << " " << y;
    EXPECT_EQ(bits(as_value(call("remainder", a, b))), bits(std::remainder(x, y))) << x << " " << y;
    const T wanted = std::remquo(x, y, &quotient);
    EXPECT_EQ(bits(as_value(call("remquo", a, b, &second))), bits(wanted)) << x << " " << y;
    if (!std::isnan(wanted)) {
      EXPECT_EQ(static_cast<int32_t>(second) & 7, quotient & 7) << x << " " << y;
    }
    EXPECT_EQ(bits(as_value(call("nextafter", a, b))), bits(std::nextafter(x, y))) << x << " " << y;
    EXPECT_EQ(bits(as_value(call("fdim", a, b))), bits(std::fdim(x, y))) << x << " " << y;
    EXPECT_EQ(bits(as_value(call("round", a, 0))), bits(std::round(x))) << x;
    EXPECT_EQ(bits(as_value(call("logb", a, 0))), bits(std::logb(x))) << x;
    EXPECT_EQ(bits(as_value(call("modf", a, 0, &second))), bits(std::modf(x, &whole))) << x;
    EXPECT_EQ(bits(as_value(second)), bits(whole)) << x;
    EXPECT_EQ(bits(as_value(call("frexp", a, 0, &second))), bits(std::frexp(x, &exponent))) << x;
    if (std::isfinite(x)) {
      EXPECT_EQ(static_cast<int32_t>(second), exponent) << x;
    }
    const int by = static_cast<int>(step(state) % 5000) - 2500;
    EXPECT_EQ(bits(as_value(call("ldexp", a, static_cast<uint64_t>(static_cast<int64_t>(by))))),
              bits(std::ldexp(x, by)))
        << x << " " << by;
    if (testing::Test::HasFailure()) return;
  }
  for (const int by : {INT32_MIN, INT32_MAX})
    EXPECT_EQ(bits(as_value(
                  call("scalbn", std::bit_cast<U>(T{3}), static_cast<uint64_t>(static_cast<int64_t>(by))))),
              bits(std::scalbn(T{3}, by)));
}
TEST(Specials, exact_functions_of_f32) { compare_exact<float, uint32_t>(true); }
TEST(Specials, exact_functions_of_f64) { compare_exact<double, uint64_t>(false); }

}  // namespace
}  // namespace heddle::math
