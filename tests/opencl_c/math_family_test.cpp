// Functions beside those of math_test.cpp, of floats and doubles: native_ ones within the limits of the
// OpenCL Programming Guide, B.2, half_ ones within 8192 ulp (OpenCL C 3.0, 6.15.2), the families of pi, those
// with two results or an integer, and what options change. The reference is the C library's long double.
#include <functional>

#include "harness.h"
#include "numbers.h"

namespace heddle::opencl_c {
namespace {

using Number = long double;
constexpr Number pi = 3.14159265358979323846264338327950288L;

struct Case {
  std::string name;
  // Of operands a and b of the type T and an int n, into r.
  std::string statement;
  std::function<Number(Number a, Number b, int n)> reference;
  double ulp = 0;               // that the result may differ by, beside half of one for its rounding
  double low = -10, high = 10;  // a lies between
  std::function<Number(Number)> bound = {};  // instead of ulp: how far it may be, by a
};

Number ulp_of(const Format& f, Number x) {
  return std::ldexp(1.0L, std::max(x == 0 ? f.least : std::ilogb(x), f.least) - f.digits + 1);
}

constexpr std::size_t count = 2048;

// Signs and places of corners, then at random; every fourth of them of any size that the range allows.
template <class T>
std::vector<T> operands(double low, double high, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> range(low, high), logarithm(-30, std::log2(std::max(high, 2.0)));
  std::vector<T> values{0, static_cast<T>(-0.0), 1, -1, 0.5, -0.5, 1.5, 2, -2, 2.5, 3};
  std::erase_if(values, [&](T x) { return x < low || x > high; });
  while (values.size() < count) {
    const double value = values.size() % 4 == 0 ? std::exp2(logarithm(random)) : range(random);
    if (value >= low && value <= high) values.push_back(static_cast<T>(value));
  }
  return values;
}

template <class T>
void check(const std::vector<Case>& cases, const std::string& options = "") {
  const Format& f = formats()[sizeof(T) == 4 ? 9 : 10];
  std::string source = prelude + "#define T " + f.name + "\n";
  for (const Case& c : cases)
    source += "kernel void test_" + c.name +
              "(global T* x, global T* y, global int* z, global T* o) { size_t i = get_global_id(0); T a = "
              "x[i], b = y[i], r; "
              "int n = z[i]; " +
              c.statement + " o[i] = r; }\n";
  on_both(source, "-cl-std=CL3.0 " + options, [&](Program& program) {
    for (const Case& c : cases) {
      const auto a = operands<T>(c.low, c.high, 1), b = operands<T>(-10, 10, 2);
      std::vector<int32_t> n(count);
      for (std::size_t i = 0; i < count; ++i) n[i] = static_cast<int32_t>(i % 15) - 7;
      std::vector<Bytes> buffers{bytes_of(a), bytes_of(b), bytes_of(n), Bytes(count * sizeof(T))};
      ASSERT_TRUE(program.run("test_" + c.name, buffers, {.global = {count, 1, 1}, .local = {128, 1, 1}}));
      const auto found = values_of<T>(buffers[3]);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Number exact = c.reference(a[i], b[i], n[i]), got = found[i];
        if (std::isnan(exact) ? std::isnan(got) : got == to_format(f, exact, 'e')) continue;
        const Number allowed = c.bound ? c.bound(a[i]) : static_cast<Number>(c.ulp) * ulp_of(f, exact);
        if (allowed > 0 && std::fabs(got - exact) <= allowed) continue;
        if (++wrong == 1)
          ADD_FAILURE() << c.name << " of " << f.name << " " << a[i] << ", " << b[i] << ", " << n[i] << " is "
                        << found[i] << ", not " << static_cast<double>(exact) << " within "
                        << static_cast<double>(allowed);
      }
      EXPECT_EQ(wrong, 0u) << c.name << " of " << f.name;
    }
  });
}

Case unary(const std::string& name, Number (*reference)(Number), double ulp, double low, double high) {
  return {name, "r = " + name + "(a);", [reference](Number a, Number, int) { return reference(a); }, ulp, low,
          high};
}

// How far a float may be from `exact(a)`: by ulps that grow with |a|, or by a number near 1.
std::function<Number(Number)> growing(Number (*exact)(Number), double slope) {
  return [=](Number a) {
    return (2 + std::floor(std::fabs(static_cast<Number>(slope) * a))) * ulp_of(formats()[9], exact(a));
  };
}
std::function<Number(Number)> near_one(Number (*exact)(Number), double power, double ulp) {
  return [=](Number a) {
    return a >= 0.5L && a <= 2 ? std::exp2(static_cast<Number>(power))
                               : static_cast<Number>(ulp) * ulp_of(formats()[9], exact(a));
  };
}
std::function<Number(Number)> everywhere(double power) {
  return [=](Number) { return std::exp2(static_cast<Number>(power)); };
}

TEST(Native, IsWithinTheLimitsOfTheGuide) {
  std::vector<Case> cases{unary(
                              "native_recip", [](Number a) { return 1 / a; }, 0, -1000, 1000),
                          unary("native_sqrt", sqrtl, 0, 0, 1000),
                          unary("native_exp", expl, 0, -80, 80),
                          unary("native_exp10", exp10l, 0, -35, 35),
                          unary("native_log", logl, 0, 1e-6, 1000),
                          unary("native_log2", log2l, 0, 1e-6, 1000),
                          unary("native_log10", log10l, 0, 1e-6, 1000),
                          unary("native_sin", sinl, 0, -3.14159, 3.14159),
                          unary("native_cos", cosl, 0, -3.14159, 3.14159)};
  cases[2].bound = growing(expl, 1.16);
  cases[3].bound = growing(exp10l, 2.95);
  cases[4].bound = near_one(logl, -21.41, 3);
  cases[5].bound = near_one(log2l, -22, 2);
  cases[6].bound = near_one(log10l, -24, 3);
  cases[7].bound = everywhere(-21.41);
  cases[8].bound = everywhere(-21.19);
  cases.push_back({"native_divide", "r = native_divide(b, a);", [](Number a, Number b, int) { return b / a; },
                   2, -1000, 1000});
  check<float>(cases);
}

TEST(Half, IsWithinItsLimits) {
  std::vector<Case> cases{unary("half_sin", sinl, 8192, -65536, 65536),
                          unary("half_cos", cosl, 8192, -65536, 65536),
                          unary("half_tan", tanl, 8192, -65536, 65536),
                          unary("half_exp", expl, 8192, -80, 80),
                          unary("half_exp2", exp2l, 8192, -100, 100),
                          unary("half_exp10", exp10l, 8192, -35, 35),
                          unary("half_log", logl, 8192, 0, 1000),
                          unary("half_log2", log2l, 8192, 0, 1000),
                          unary("half_log10", log10l, 8192, 0, 1000),
                          unary("half_sqrt", sqrtl, 8192, 0, 1000),
                          unary(
                              "half_recip", [](Number a) { return 1 / a; }, 8192, -1000, 1000),
                          unary("half_rsqrt", [](Number a) { return 1 / sqrtl(a); }, 8192, 0, 1000)};
  cases.push_back({"half_powr", "r = half_powr(a, b);", [](Number a, Number b, int) { return powl(a, b); },
                   8192, 0.1, 20});
  check<float>(cases);
}

// Exact where the result is.
Number sin_of_half_turns(Number a) {
  Number r = std::remainder(a, 2.0L);
  if (r > 0.5L) r = 1 - r;
  if (r < -0.5L) r = -1 - r;
  return r == 0 ? std::copysign(0.0L, a) : std::sin(pi * r);
}
Number cos_of_half_turns(Number a) {
  const Number r = std::fabs(std::remainder(a, 2.0L));
  return r == 0.5L ? 0 : r > 0.25L && r < 0.75L ? std::sin(pi * (0.5L - r)) : std::cos(pi * r);
}
Number tan_of_half_turns(Number a) {
  const Number c = cos_of_half_turns(a), s = sin_of_half_turns(a);
  if (s == 0)
    return std::remainder(a, 2.0L) == 0 ? s
                                        : -s;  // tanpi(n) is copysign(0, n) for even n, its opposite for odd
  return s / c;
}

std::vector<Case> families() {
  std::vector<Case> cases{unary("sinpi", sin_of_half_turns, 4, -100, 100),
                          unary("cospi", cos_of_half_turns, 4, -100, 100),
                          unary("tanpi", tan_of_half_turns, 6, -100, 100)};
  const auto add = [&](const char* name, const char* statement, auto&& reference, double ulp,
                       double low = -10,
                       double high = 10) { cases.push_back({name, statement, reference, ulp, low, high}); };
  const auto exponent = [](Number a) {
    int e = 0;
    std::frexp(a, &e);
    return e;
  };
  add(
      "frexp", "r = frexp(a, &n);",
      [](Number a, Number, int) {
        int e;
        return std::frexp(a, &e);
      },
      0, -1e30, 1e30);
  add(
      "frexp_exponent", "frexp(a, &n); r = n;", [=](Number a, Number, int) { return Number(exponent(a)); }, 0,
      -1e30, 1e30);
  add("ldexp", "r = ldexp(a, n);", [](Number a, Number, int n) { return std::ldexp(a, n); }, 0);
  add("ldexp_far", "r = ldexp(a, n * 20);", [](Number a, Number, int n) { return std::ldexp(a, n * 20); }, 0);
  add("ilogb", "r = ilogb(a);", [](Number a, Number, int) { return Number(std::ilogb(a)); }, 0, 1e-30, 1e30);
  add(
      "modf", "T whole; r = modf(a, &whole);",
      [](Number a, Number, int) {
        Number w;
        return std::modf(a, &w);
      },
      0, -1000, 1000);
  add("modf_whole", "modf(a, &r);", [](Number a, Number, int) { return std::trunc(a); }, 0, -1000, 1000);
  add("fract_floor", "fract(a, &r);", [](Number a, Number, int) { return std::floor(a); }, 0, -1000, 1000);
  add("sincos_cos", "sincos(a, &r);", [](Number a, Number, int) { return std::cos(a); }, 4);
  add("sincos", "T c; r = sincos(a, &c);", [](Number a, Number, int) { return std::sin(a); }, 4);
  add(
      "remquo", "r = remquo(a, b, &n);", [](Number a, Number b, int) { return std::remainder(a, b); }, 0,
      -1000, 1000);
  // "The lower seven bits of the integral quotient", with its sign.
  add(
      "remquo_quotient", "remquo(a, b, &n); r = abs(n) & 127; if (n < 0) r = -r; if (b == 0) r = 0;",
      [](Number a, Number b, int) {
        if (b == 0) return Number(0);
        const Number q = (a - std::remainder(a, b)) / b;
        const Number low = std::fmod(std::fabs(std::nearbyint(q)), 128.0L);
        return q < 0 ? -low : low;
      },
      0, -1000, 1000);
  add("pown", "r = pown(a, n);", [](Number a, Number, int n) { return std::pow(a, Number(n)); }, 16);
  add(
      "rootn", "r = rootn(a, n | 1);",
      [](Number a, Number, int n) {
        const int odd = n | 1;
        if (a == 0) return odd < 0 ? std::copysign(Number(INFINITY), a) : a;
        return std::copysign(std::pow(std::fabs(a), 1 / Number(odd)), a);
      },
      16);
  add("mix", "r = mix((T)1, a, (T)0.25);", [](Number a, Number, int) { return 1 + (a - 1) / 4; }, 8, 2, 10);
  add(
      "smoothstep", "r = smoothstep((T)0, (T)1, a);",
      [](Number a, Number, int) {
        const Number t = std::fmin(std::fmax(a, 0.0L), 1.0L);
        return t * t * (3 - 2 * t);
      },
      8, -2, 3);
  add("lgamma", "r = lgamma(a);", [](Number a, Number, int) { return lgammal(a); }, 8, 3, 1000);
  add(
      "lgamma_r_sign", "lgamma_r(a, &n); r = n;",
      [](Number a, Number, int) { return Number(a > 0 || std::fmod(std::floor(a), 2.0L) == 0 ? 1 : -1); }, 0,
      0.1, 20);
  return cases;
}

template <class T>
void check_families() {
  std::vector<Case> cases = families();
  cases.push_back({"nextafter", "r = nextafter(a, b);", [](Number a, Number b, int) {
                     return Number(std::nextafter(static_cast<T>(a), static_cast<T>(b)));
                   }});
  // Up to the largest numbers, where powers of rounded roots overflow.
  constexpr int end = std::numeric_limits<T>::max_exponent - 3;
  cases.push_back({"rootn_end", "r = rootn(ldexp(a, " + std::to_string(end) + "), n | 1);",
                   [](Number a, Number, int n) { return std::pow(std::ldexp(a, end), 1 / Number(n | 1)); },
                   16, 1, 7.9999});
  cases.push_back({"pow_end", "r = pow(ldexp(a, " + std::to_string(end) + "), (T)1);",
                   [](Number a, Number, int) { return std::ldexp(a, end); }, 0, 1, 7.999999});
  check<T>(cases);
}
TEST(Families, OfFloatsAreWithinTheLimits) { check_families<float>(); }
TEST(Families, OfDoublesAreWithinTheLimits) { check_families<double>(); }

// ---- options ---------------------------------------------------------------------------------------------

struct Options : testing::Test {
  // One work-item with a[0] and b[0].
  static float evaluate(const std::string& options, const std::string& expression, float a, float b,
                        bool reference = false) {
    Program program(prelude + "kernel void k(global float* a, global float* b, global float* r) { *r = " +
                        expression + "; }",
                    options, reference);
    std::vector<Bytes> buffers{bytes_of(std::vector{a}), bytes_of(std::vector{b}), Bytes(4)};
    EXPECT_TRUE(program.ok() && program.run("k", buffers, {}));
    return values_of<float>(buffers[2])[0];
  }
};

TEST_F(Options, DenormalsAreZeroOnlyWhenAsked) {
  const float tiny = 0x1p-130f;
  for (const bool reference : {true, false}) {
    EXPECT_EQ(evaluate("", "*a + *b", tiny, tiny, reference), 0x1p-129f);
    EXPECT_EQ(evaluate("-cl-denorms-are-zero", "*a + *b", tiny, tiny, reference), 0);
    EXPECT_EQ(evaluate("", "*a * *b", 0x1p-70f, 0x1p-70f, reference), 0x1p-140f);
    EXPECT_EQ(evaluate("-cl-denorms-are-zero", "*a * *b", 0x1p-70f, 0x1p-70f, reference), 0);
    EXPECT_EQ(evaluate("-cl-denorms-are-zero", "*a * *b", 0x1p-60f, 0x1p-60f, reference), 0x1p-120f);
  }
}

TEST_F(Options, ProductsAndSumsFuseOnlyWhereAllowed) {
  // Rounded once the result is -2^-24, twice it is 0.
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  const std::string two = "({ float p = *a * *a; p + *b; })";
  EXPECT_EQ(evaluate("", two, a, c), 0);
  EXPECT_EQ(evaluate("-cl-mad-enable", two, a, c), 0x1p-24f);
  EXPECT_EQ(evaluate("-cl-fast-relaxed-math", two, a, c), 0x1p-24f);
  EXPECT_EQ(evaluate("", "fma(*a, *a, *b)", a, c), 0x1p-24f);
}

TEST_F(Options, ConstantsOfSinglePrecision) {
  // 0.1 of doubles is another number than that of floats.
  const std::string compare = "(*a == 0.1 ? 1.0f : 0.0f)";
  EXPECT_EQ(evaluate("", compare, 0.1f, 0), 0);
  EXPECT_EQ(evaluate("-cl-single-precision-constant", compare, 0.1f, 0), 1);
}

TEST_F(Options, RelaxedMathSaysSo) {
  const std::string source =
      prelude +
      "kernel void k(global int* r) {\n#ifdef __FAST_RELAXED_MATH__\n*r = 1;\n#else\n*r = 0;\n#endif\n}";
  for (const std::string options : {"", "-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"}) {
    Program program(source, options, false);
    std::vector<Bytes> buffers{Bytes(4)};
    ASSERT_TRUE(program.ok() && program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int32_t>(buffers[0])[0], options == "-cl-fast-relaxed-math" ? 1 : 0) << options;
  }
}

}  // namespace
}  // namespace heddle::opencl_c
