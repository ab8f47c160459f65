// The error bounds of the PTX ISA (spec/approx/instructions.toml), against the host's long double functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "approx/approx.h"
#include "approx/bounds.gen.h"

namespace heddle::approx {
namespace {

struct Format {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  long double smallest_normal() const { return std::ldexp(1.0L, 1 - bias()); }
  long double largest() const { return std::ldexp(2.0L - std::ldexp(1.0L, -fraction_bits), bias()); }
  long double value(uint32_t bits) const {
    auto field = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    long double fraction = bits & ((1u << fraction_bits) - 1);
    long double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (field == (1 << exponent_bits) - 1) return fraction != 0 ? std::nanl("") : sign * HUGE_VALL;
    if (field == 0) return sign * std::ldexp(fraction, 1 - bias() - fraction_bits);
    return sign * std::ldexp(fraction + static_cast<long double>(1u << fraction_bits),
                             field - bias() - fraction_bits);
  }
};
constexpr Format f32{8, 23}, f16{5, 10}, bf16{8, 7};

// Whether `got` is as close to `exact` as the bound asks. Bounds are about normal results.
bool within(const Bound& bound, const Format& format, long double exact, long double got) {
  long double size = std::fabs(exact);
  if (bound.kind == Bound::Kind::absolute) return std::fabs(got - exact) <= bound.limit;
  if (!(size >= format.smallest_normal() && size <= format.largest())) return true;
  if (bound.kind == Bound::Kind::relative) return std::fabs(got - exact) <= bound.limit * size;
  long double ulp = std::ldexp(1.0L, std::ilogb(exact) - format.fraction_bits);
  return std::fabs(got - std::nearbyint(exact / ulp) * ulp) <= bound.limit * ulp;
}

struct Unary {
  std::string_view instruction;
  Format format;
  std::function<uint32_t(uint32_t)> function;
  std::function<long double(long double)> exact;
};

std::vector<Unary> unary_functions() {
  auto rcp = [](long double x) { return 1 / x; };
  auto rsqrt = [](long double x) { return 1 / std::sqrt(x); };
  auto root = [](long double x) { return std::sqrt(x); };
  auto sine = [](long double x) { return std::sin(x); };
  auto cosine = [](long double x) { return std::cos(x); };
  auto log = [](long double x) { return std::log2(x); };
  auto exp = [](long double x) { return std::exp2(x); };
  auto tangent = [](long double x) { return std::tanh(x); };
  auto with = [](uint32_t (*function)(uint32_t, bool), bool ftz) {
    return [=](uint32_t a) { return function(a, ftz); };
  };
  auto of_16 = [](uint16_t (*function)(uint16_t)) {
    return [=](uint32_t a) { return function(static_cast<uint16_t>(a)); };
  };
  return {{"rcp.approx.f32", f32, with(rcp_f32, false), rcp},
          {"rcp.approx.ftz.f32", f32, with(rcp_f32, true), rcp},
          {"sqrt.approx.f32", f32, with(sqrt_f32, false), root},
          {"sqrt.approx.ftz.f32", f32, with(sqrt_f32, true), root},
          {"rsqrt.approx.f32", f32, with(rsqrt_f32, false), rsqrt},
          {"rsqrt.approx.ftz.f32", f32, with(rsqrt_f32, true), rsqrt},
          {"sin.approx.f32", f32, with(sin_f32, false), sine},
          {"sin.approx.ftz.f32", f32, with(sin_f32, true), sine},
          {"cos.approx.f32", f32, with(cos_f32, false), cosine},
          {"cos.approx.ftz.f32", f32, with(cos_f32, true), cosine},
          {"lg2.approx.f32", f32, with(lg2_f32, false), log},
          {"lg2.approx.ftz.f32", f32, with(lg2_f32, true), log},
          {"ex2.approx.f32", f32, with(ex2_f32, false), exp},
          {"ex2.approx.ftz.f32", f32, with(ex2_f32, true), exp},
          {"tanh.approx.f32", f32, tanh_f32, tangent},
          {"tanh.approx.f16", f16, of_16(tanh_f16), tangent},
          {"tanh.approx.bf16", bf16, of_16(tanh_bf16), tangent},
          {"ex2.approx.f16", f16, of_16(ex2_f16), exp},
          {"ex2.approx.ftz.bf16", bf16, of_16(ex2_ftz_bf16), exp}};
}

struct Division {
  std::string_view instruction;
  uint32_t (*function)(uint32_t, uint32_t, bool);
  bool ftz;
};
const Division divisions[] = {{"div.approx.f32", div_approx_f32, false},
                              {"div.approx.ftz.f32", div_approx_f32, true},
                              {"div.full.f32", div_full_f32, false},
                              {"div.full.ftz.f32", div_full_f32, true}};

constexpr bool flushes(std::string_view instruction) {
  return instruction.find(".ftz") != std::string_view::npos;
}

void check(const Unary& f, const Bound& bound, uint32_t input) {
  long double x = f.format.value(input);
  if (!std::isfinite(x) || x < bound.from || x > bound.to) return;
  if (flushes(f.instruction) && std::fabs(x) < f.format.smallest_normal()) return;
  long double exact = f.exact(x);
  if (!std::isfinite(exact)) return;
  long double got = f.format.value(f.function(input));
  bool kept = std::none_of(std::begin(device_exceeds), std::end(device_exceeds), [&](const Beyond& beyond) {
    return beyond.instruction == f.instruction && beyond.input == input;
  });
  EXPECT_EQ(within(bound, f.format, exact, got), kept)
      << f.instruction << " of 0x" << std::hex << input << " gives 0x" << f.function(input);
}

TEST(Bounds, every_bound_is_of_a_tested_instruction) {
  std::set<std::string_view> tested;
  for (const Unary& f : unary_functions()) tested.insert(f.instruction);
  for (const Division& f : divisions) tested.insert(f.instruction);
  for (const Bound& bound : bounds) EXPECT_EQ(tested.count(bound.instruction), 1u) << bound.instruction;
}

TEST(Bounds, functions_of_one_operand) {
  for (const Unary& f : unary_functions()) {
    for (const Bound& bound : bounds) {
      if (bound.instruction != f.instruction) continue;
      uint64_t inputs = f.format.exponent_bits + f.format.fraction_bits == 31 ? uint64_t{1} << 32 : 1 << 16;
      uint64_t step = inputs >> 16 > 1 ? 32749 : 1;  // a prime, about 131,000 of all f32
      for (uint64_t input = 0; input < inputs; input += step) check(f, bound, static_cast<uint32_t>(input));
    }
  }
}

// The hardest places: arguments near 1 for lg2, near multiples of pi for sin, the ends of the exponents'
// range.
TEST(Bounds, the_hardest_arguments) {
  for (const Unary& f : unary_functions()) {
    if (f.format.fraction_bits != 23) continue;
    for (const Bound& bound : bounds) {
      if (bound.instruction != f.instruction) continue;
      for (uint32_t center :
           {0x3f800000u, 0x40490fdbu, 0x40c90fdbu, 0x3fc90fdbu, 0x43960000u, 0x00800000u, 0x7f7fffffu,
            0x7e800000u, 0xc2fc0000u, 0x42ffffffu, 0x3f000000u, 0x40000000u, 0x00000100u})
        for (uint32_t input = center - 256; input != center + 256; ++input) check(f, bound, input);
    }
  }
}

TEST(Bounds, divisions) {
  for (const Division& f : divisions) {
    for (const Bound& bound : bounds) {
      if (bound.instruction != f.instruction) continue;
      uint64_t state = 1;
      for (int i = 0; i < 200000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto a = static_cast<uint32_t>(state >> 32);
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto b = static_cast<uint32_t>(state >> 32);
        long double x = f32.value(a), y = f32.value(b), exact = x / y;
        if (!std::isfinite(x) || !std::isfinite(y) || y == 0 || std::fabs(y) < bound.from ||
            std::fabs(y) > bound.to)
          continue;
        bool subnormal = std::fabs(x) < f32.smallest_normal() || std::fabs(y) < f32.smallest_normal();
        if (flushes(f.instruction) && subnormal) continue;
        EXPECT_TRUE(within(bound, f32, exact, f32.value(f.function(a, b, f.ftz))))
            << f.instruction << " of 0x" << std::hex << a << ", 0x" << b << " gives 0x"
            << f.function(a, b, f.ftz);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::approx
