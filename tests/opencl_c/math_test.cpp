// 6.15.2 and 7.4: math functions within the error that OpenCL C allows, of floats, doubles and halves; the
// reference is the C library's long double. native_ ones have the limits of an implementation: 2^-20 or so of
// the range.
#include <functional>

#include "harness.h"
#include "numbers.h"

namespace heddle::opencl_c {
namespace {

using Number = long double;
using Reference = std::function<Number(Number, Number, Number)>;

constexpr Number pi = 3.14159265358979323846264338327950288L;

struct Function {
  std::string name;
  unsigned operands;
  double f32, f64, f16;  // ulp; below 0: not tested in that format
  Reference reference;
  double low = -1e30, high = 1e30;  // operands at random lie between, beside the corners
};

// OpenCL C 3.0, tables 70 to 73.
const std::vector<Function>& functions() {
  using std::copysign;
  static const auto unary = [](Number (*f)(Number)) {
    return [f](Number a, Number, Number) { return f(a); };
  };
  static const auto binary = [](Number (*f)(Number, Number)) {
    return [f](Number a, Number b, Number) { return f(a, b); };
  };
  static const std::vector<Function> all{
      {"acos", 1, 4, 4, 1, unary(acosl), -1, 1},
      {"acosh", 1, 4, 4, 1, unary(acoshl), 1, 100},
      {"acospi", 1, 5, 5, 1, [](Number a, Number, Number) { return acosl(a) / pi; }, -1, 1},
      {"asin", 1, 4, 4, 1, unary(asinl), -1, 1},
      {"asinh", 1, 4, 4, 1, unary(asinhl), -100, 100},
      {"asinpi", 1, 5, 5, 1, [](Number a, Number, Number) { return asinl(a) / pi; }, -1, 1},
      {"atan", 1, 5, 5, 1, unary(atanl), -10, 10},
      {"atanh", 1, 5, 5, 1, unary(atanhl), -1, 1},
      {"atanpi", 1, 5, 5, 1, [](Number a, Number, Number) { return atanl(a) / pi; }, -10, 10},
      {"atan2", 2, 6, 6, 1, binary(atan2l), -10, 10},
      {"atan2pi", 2, 6, 6, 1, [](Number a, Number b, Number) { return atan2l(a, b) / pi; }, -10, 10},
      {"cbrt", 1, 2, 2, 1, unary(cbrtl)},
      {"ceil", 1, 0, 0, 0, unary(ceill), -1000, 1000},
      {"copysign", 2, 0, 0, 0, binary(copysignl), -10, 10},
      {"cos", 1, 4, 4, 1, unary(cosl), -50, 50},
      {"cosh", 1, 4, 4, 1, unary(coshl), -10, 10},
      {"cospi", 1, 4, 4, 1, nullptr},
      {"erf", 1, 16, 16, 4, unary(erfl), -5, 5},
      {"erfc", 1, 16, 16, 4, unary(erfcl), -5, 5},
      {"exp", 1, 3, 3, 1, unary(expl), -80, 80},
      {"exp2", 1, 3, 3, 1, unary(exp2l), -100, 100},
      {"exp10", 1, 3, 3, 1, [](Number a, Number, Number) { return exp10l(a); }, -30, 30},
      {"expm1", 1, 3, 3, 1, unary(expm1l), -10, 10},
      {"fabs", 1, 0, 0, 0, unary(fabsl)},
      {"fdim", 2, 0, 0, 0, binary(fdiml), -10, 10},
      {"floor", 1, 0, 0, 0, unary(floorl), -1000, 1000},
      {"fma", 3, 0, -1, 0, [](Number a, Number b, Number c) { return a * b + c; }, -10, 10},
      {"fmax", 2, 0, 0, 0, binary(fmaxl), -10, 10},
      {"fmin", 2, 0, 0, 0, binary(fminl), -10, 10},
      {"fmod", 2, 0, 0, 0, binary(fmodl), -100, 100},
      {"hypot", 2, 4, 4, 2, binary(hypotl), -100, 100},
      {"lgamma", 1, -1, -1, -1, unary(lgammal)},
      {"log", 1, 3, 3, 1, unary(logl), 0, 1000},
      {"log2", 1, 3, 3, 1, unary(log2l), 0, 1000},
      {"log10", 1, 3, 3, 1, unary(log10l), 0, 1000},
      {"log1p", 1, 2, 2, 1, unary(log1pl), -1, 1000},
      {"logb", 1, 0, 0, 0, unary(logbl)},
      {"maxmag", 2, 0, 0, 0,
       [](Number a, Number b, Number) {
         return fabsl(a) > fabsl(b) ? a : fabsl(b) > fabsl(a) ? b : fmaxl(a, b);
       },
       -10, 10},
      {"minmag", 2, 0, 0, 0,
       [](Number a, Number b, Number) {
         return fabsl(a) < fabsl(b) ? a : fabsl(b) < fabsl(a) ? b : fminl(a, b);
       },
       -10, 10},
      {"pow", 2, 16, 16, 4, binary(powl), -20, 20},
      {"powr", 2, 16, 16, 4,
       [](Number a, Number b, Number) {
         if (!(a >= 0) || std::isnan(b) || (b == 0 && (a == 0 || std::isinf(a))) || (a == 1 && std::isinf(b)))
           return Number(NAN);
         return powl(fabsl(a), b);
       },
       0, 20},
      {"remainder", 2, 0, 0, 0, binary(remainderl), -100, 100},
      {"rint", 1, 0, 0, 0, unary(rintl), -1000, 1000},
      {"round", 1, 0, 0, 0, unary(roundl), -1000, 1000},
      {"rsqrt", 1, 2, 2, 1, [](Number a, Number, Number) { return 1 / sqrtl(a); }, 0, 1000},
      {"sin", 1, 4, 4, 1, unary(sinl), -50, 50},
      {"sinh", 1, 4, 4, 1, unary(sinhl), -10, 10},
      {"sqrt", 1, 0, 0, 0, unary(sqrtl), 0, 1000},
      {"tan", 1, 5, 5, 1, unary(tanl), -50, 50},
      {"tanh", 1, 5, 5, 1, unary(tanhl), -5, 5},
      {"tgamma", 1, 16, 16, 4, unary(tgammal), 0.1, 30},
      {"trunc", 1, 0, 0, 0, unary(truncl), -1000, 1000},
      {"degrees", 1, 2, 2, 2, [](Number a, Number, Number) { return a * 180 / pi; }, -10, 10},
      {"radians", 1, 2, 2, 2, [](Number a, Number, Number) { return a * pi / 180; }, -10, 10},
      {"sign", 1, 0, 0, 0,
       [](Number a, Number, Number) { return std::isnan(a) ? 0
                                             : a > 0       ? 1
                                             : a < 0       ? -1
                                                           : a; }, -10, 10},
      {"step", 2, 0, 0, 0, [](Number a, Number b, Number) { return Number(b < a ? 0 : 1); }, -10, 10},
      {"half_exp", 1, 8192, -1, -1, unary(expl), -80, 80},
      {"half_log2", 1, 8192, -1, -1, unary(log2l), 0, 1000},
      {"half_sqrt", 1, 8192, -1, -1, unary(sqrtl), 0, 1000},
      {"half_divide", 2, 8192, -1, -1, [](Number a, Number b, Number) { return a / b; }, -100, 100},
  };
  return all;
}

// Distance from the exact result in units of the last place of the format.
double error_of(const Format& f, Number got, Number exact) {
  const Number rounded = to_format(f, exact, 'e');
  if (std::isnan(exact)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (got == rounded || std::isinf(rounded)) {
    if (got == rounded) return 0;
    // One that ought to overflow may stay just below.
    const Number largest = std::ldexp(2 - std::ldexp(1.0L, 1 - f.digits), f.most);
    return std::fabs(got) == largest ? 1 : HUGE_VAL;
  }
  const int exponent = exact == 0 ? f.least : std::max(std::ilogb(exact), f.least);
  if (std::isinf(got)) got = std::copysign(std::ldexp(1.0L, f.most + 1), got);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - f.digits + 1));
}

constexpr std::size_t count = 1024;

Bytes operand(const Format& f, const Function& function, std::size_t which) {
  std::vector<uint64_t> bits = samples(f, count, which + 3);
  std::mt19937_64 random(which + 17);
  std::uniform_real_distribution<double> range(function.low, function.high);
  Bytes bytes(count * f.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= 128 && function.high < 1e30) {
      const double value = range(random);
      if (f.digits == 53) std::memcpy(&bits[i], &value, 8);
      const auto single = static_cast<float>(value);
      if (f.digits == 24) std::memcpy(&bits[i], &single, 4);
      if (f.digits == 11) {
        const auto half = static_cast<_Float16>(value);
        std::memcpy(&bits[i], &half, 2);
      }
    }
    std::memcpy(bytes.data() + i * f.bytes, &bits[i], f.bytes);
  }
  return bytes;
}
uint64_t bits_at(const Bytes& bytes, const Format& f, std::size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * f.bytes, f.bytes);
  return bits;
}

struct Math : testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Of, Math, testing::Range<std::size_t>(8, 11),
                         [](const auto& i) { return formats()[i.param].name; });

TEST_P(Math, IsWithinTheLimits) {
  const Format& f = formats()[GetParam()];
  std::string source = prelude;
  std::vector<const Function*> tested;
  for (const Function& function : functions()) {
    const double limit = f.digits == 24 ? function.f32 : f.digits == 53 ? function.f64 : function.f16;
    if (limit < 0 || !function.reference) continue;
    tested.push_back(&function);
    std::string list = "a[i]";
    if (function.operands > 1) list += ", b[i]";
    if (function.operands > 2) list += ", c[i]";
    const std::string t = "global " + f.name + "* ";
    source += "kernel void test_" + function.name + "(" + t + "a, " + t + "b, " + t + "c, " + t +
              "o) { size_t i = get_global_id(0); o[i] = " + function.name + "(" + list + "); }\n";
  }
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    for (const Function* function : tested) {
      const double limit = f.digits == 24 ? function->f32 : f.digits == 53 ? function->f64 : function->f16;
      std::vector<Bytes> buffers{operand(f, *function, 0), operand(f, *function, 1), operand(f, *function, 2),
                                 Bytes(count * f.bytes)};
      ASSERT_TRUE(
          program.run("test_" + function->name, buffers, {.global = {count, 1, 1}, .local = {128, 1, 1}}));
      double worst = 0;
      std::size_t where = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Number a = decode(f, bits_at(buffers[0], f, i)), b = decode(f, bits_at(buffers[1], f, i)),
                     c = decode(f, bits_at(buffers[2], f, i));
        const double error = error_of(f, decode(f, bits_at(buffers[3], f, i)), function->reference(a, b, c));
        if (error > worst) worst = error, where = i;
      }
      // The limits are about the infinitely precise result; half an ulp is the rounding of ours.
      EXPECT_LE(worst, limit == 0 ? 0.5 : limit)
          << function->name << " of " << f.name << " "
          << static_cast<double>(decode(f, bits_at(buffers[0], f, where))) << ", "
          << static_cast<double>(decode(f, bits_at(buffers[1], f, where))) << " is "
          << static_cast<double>(decode(f, bits_at(buffers[3], f, where)));
    }
  });
}

}  // namespace
}  // namespace heddle::opencl_c
