// Results against references (test_reference.h), in ulps: floats of one operand on a sample of all their
// inputs, or on all of them; everything else on numbers at random, against MPFR. The limits are the records'.
//
// HEDDLE_MATH_MEASURE=all looks at all 2^32 inputs, and at a hundred times as many random ones, and prints
// what tools/math/measure.py collects.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "math/level.h"
#include "math/math.h"
#include "math/test_reference.h"
#include "math/worst.gen.h"

namespace heddle::math {
namespace {

bool measures() { return std::getenv("HEDDLE_MATH_MEASURE") != nullptr; }

std::string_view kernel_of(const Function& f) {
  std::string_view name = f.name.substr(5);
  if (f.single) name.remove_suffix(1);
  return name;
}

unsigned widest() {
  for (unsigned width : {512u, 256u})
    if (code(static_cast<Id>(0), width) != nullptr) return width;
  return 128;
}

struct Worst {
  double ulps = 0;  // where the limit holds
  uint64_t at[4] = {};
  double elsewhere = 0;  // absolute error where it does not
  double ulps_elsewhere = 0;
  uint64_t inputs = 0;
};

// Whether the limit holds there; the records' `where`.
bool limited(const Function& f, double x) {
  if (f.where.empty()) return true;
  if (f.where == "|x| < 8") return std::fabs(x) < 8;
  if (f.where == "nowhere") return false;
  const bool single = f.single;
  return x <= (single ? -10.001 : -11.0001) || x >= (single ? -2.264 : -2.2637);
}

void count(Worst& worst, const Function& f, const uint64_t* at, unsigned sources, double x, double got,
           double wanted, double ulps) {
  ++worst.inputs;
  if (limited(f, x)) {
    if (!(ulps > worst.ulps)) return;
    worst.ulps = ulps;
    std::copy_n(at, sources, worst.at);
  } else {
    worst.ulps_elsewhere = std::max(worst.ulps_elsewhere, ulps);
    if (ulps == 0) return;  // both NaNs, or infinite
    // What is larger than 1 by as many digits.
    worst.elsewhere = std::max(worst.elsewhere, std::fabs(got - wanted) / std::max(1.0, std::fabs(wanted)));
  }
}

void report(const Function& f, const Worst& worst, const char* how, const char* against, double seconds) {
  if (!measures()) return;
  std::string at;
  for (unsigned s = 0; s < f.source_count(); ++s) {
    char text[32];
    std::snprintf(text, sizeof text, f.single ? "%s0x%08llx" : "%s0x%016llx", s == 0 ? "" : " ",
                  static_cast<unsigned long long>(worst.at[s]));
    at += text;
  }
  std::printf(
      "measured: name = \"%s\", inputs = %llu, how = \"%s\", against = \"%s\", ulps = %.4g, at = \"%s\", "
      "beyond = %.3g, seconds = %.0f\n",
      std::string(f.name).c_str(), static_cast<unsigned long long>(worst.inputs), how, against, worst.ulps,
      at.c_str(), worst.elsewhere, seconds);
}

void check(const Function& f, const Worst& worst) {
  char at[80];
  std::snprintf(at, sizeof at, "%llx %llx", static_cast<unsigned long long>(worst.at[0]),
                static_cast<unsigned long long>(worst.at[1]));
  // The limit is for the distance from the correctly rounded result, which is half an ulp off itself.
  EXPECT_LE(worst.ulps, f.limit + 0.5 + 1e-6) << f.name << " of " << at;
  if (f.beyond != 0) EXPECT_LE(worst.elsewhere, f.beyond) << f.name;
}

// ---- one float: bit patterns in steps

class OfFloat : public testing::TestWithParam<Id> {};

// `compute(from, to, count)` on arrays.
template <class Compute>
Worst look_at(const Function& f, uint64_t step, Compute&& compute) {
  const reference::OfDouble wanted = reference::of_double(kernel_of(f));
  constexpr std::size_t batch = 1 << 14;
  std::vector<uint32_t> x(batch);
  std::vector<float> y(batch);
  Worst worst;
  for (uint64_t next = 0; next < uint64_t{1} << 32;) {
    std::size_t filled = 0;
    for (; filled < batch && next < uint64_t{1} << 32; next += step)
      x[filled++] = static_cast<uint32_t>(next);
    const void* in[] = {x.data()};
    void* out[] = {y.data()};
    compute(in, out, batch);
    for (std::size_t i = 0; i < filled; ++i) {
      const double argument = std::bit_cast<float>(x[i]);
      const double exact = wanted(argument, y[i]);
      const uint64_t at = x[i];
      count(worst, f, &at, 1, argument, y[i], exact, reference::ulps_of_float(y[i], exact));
    }
  }
  return worst;
}

TEST_P(OfFloat, keeps_its_limit) {
  const Function& f = function(GetParam());
  ASSERT_NE(reference::of_double(kernel_of(f)), nullptr) << f.name;
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t step = measures() ? 1 : 4093;
  const Worst worst = look_at(f, step, [&](const void* const* in, void* const* out, std::size_t count) {
    run(GetParam(), widest(), in, out, count);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  check(f, worst);
  report(f, worst, step == 1 ? "all" : "every 4093rd", "the double functions of the C library",
         seconds.count());
}

// Whatever this host has.
TEST_P(OfFloat, keeps_its_limit_without_fused_multiplication) {
  if (measures()) GTEST_SKIP();
  const Function& f = function(GetParam());
  const auto index = static_cast<std::size_t>(GetParam());
  check(f, look_at(f, 40961, [&](const void* const* in, void* const* out, std::size_t count) {
          plain::codes().widths[1].on_arrays[index](in, out, count);
        }));
}

// ---- what was the worst when it was last measured

TEST(Accuracy, WorstPointsAreStillThat) {
  reference::Real x[4], exact;
  for (const WorstPoint& point : worst_points) {
    const Function& f = function(point.id);
    const reference::OfReal wanted = reference::of_real(kernel_of(f));
    if (wanted == nullptr) continue;
    uint64_t results[2] = {};
    evaluate(point.id, point.at, results);
    for (unsigned s = 0; s < f.source_count(); ++s) {
      const uint64_t bits = point.at[s];
      const double value = f.sources[s] == Value::integer ? static_cast<double>(static_cast<int32_t>(bits))
                           : f.single                     ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                                          : std::bit_cast<double>(bits);
      mpfr_set_d(x[s], value, MPFR_RNDN);
    }
    const double got = f.single ? std::bit_cast<float>(static_cast<uint32_t>(results[0]))
                                : std::bit_cast<double>(results[0]);
    wanted(exact, x, got);
    const double ulps = reference::ulps_of_real(got, exact, f.single);
    if (code(point.id, 256) != nullptr) {  // other bits without fused multiplication
      EXPECT_NEAR(ulps, point.ulps, 0.01 * point.ulps + 0.001) << f.name << " of " << std::hex << point.at[0];
    }
    EXPECT_LE(ulps, f.limit + 0.5) << f.name;
  }
}

// ---- at random, against MPFR

double number(std::mt19937_64& random, bool single) {
  const uint64_t any = random();
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53, sign = any & 1 ? -1 : 1;
  double value = 0;
  switch (any >> 1 & 15) {
    case 0:
    case 1:
      value =
          single ? std::bit_cast<float>(static_cast<uint32_t>(random())) : std::bit_cast<double>(random());
      break;
    case 2: value = sign * std::round(unit * 100) / 2; break;
    case 3: value = sign * unit * 750; break;
    case 4:
    case 5: value = sign * unit * 100; break;
    case 6:
    case 7: value = sign * unit * 30; break;
    case 8:
    case 9: value = sign * unit * 8; break;
    case 10: value = sign * (1 + (unit - 0.5) / 16); break;
    case 11: value = unit; break;
    case 12: value = sign * unit; break;
    case 13: value = sign * std::ldexp(1 + unit, -static_cast<int>(any >> 8 & 63)); break;
    case 14: value = sign * std::ldexp(1 + unit, static_cast<int>(any >> 8 & 63)); break;
    default: value = unit * 4; break;
  }
  return single ? static_cast<float>(value) : value;
}

class AtRandom : public testing::TestWithParam<Id> {};

TEST_P(AtRandom, keeps_its_limit) {
  const Function& f = function(GetParam());
  const std::string_view kernel = kernel_of(f);
  const reference::OfReal wanted = reference::of_real(kernel);
  const auto begin = std::chrono::steady_clock::now();
  const bool bessel = kernel == "j0" || kernel == "j1" || kernel == "jn" || kernel == "y0" ||
                      kernel == "y1" || kernel == "yn";
  std::mt19937_64 random(static_cast<unsigned>(GetParam()));
  Worst worst;
  reference::Real x[4], exact;
  const int samples = measures() ? 200000 : 2000;
  for (int n = 0; n < samples; ++n) {
    uint64_t sources[4] = {}, results[2] = {};
    double values[4] = {}, last = 0;
    bool ordinary = true;
    for (unsigned s = 0; s < f.source_count(); ++s) {
      double value = number(random, f.single);
      if (f.sources[s] == Value::integer) {
        value = bessel ? static_cast<double>(random() % 150)
                       : static_cast<double>(static_cast<int>(random() % 2200) - 1100);
        if (kernel == "powi" && random() % 2 != 0) value = static_cast<double>(random() % 40) - 20;
      }
      // Exponents that leave numbers.
      if (kernel == "pow" && s == 1 && random() % 2 != 0 && last > 0)
        value /= std::fabs(std::log(last)) + 0.1;
      if (bessel && std::fabs(value) > 1e5) value = 17;
      if (f.single) value = static_cast<float>(value);
      if (f.sources[s] == Value::integer)
        sources[s] =
            static_cast<uint64_t>(static_cast<int64_t>(value)) & (f.single ? 0xffff'ffff : ~uint64_t{0});
      else
        sources[s] =
            f.single ? std::bit_cast<uint32_t>(static_cast<float>(value)) : std::bit_cast<uint64_t>(value);
      mpfr_set_d(x[s], value, MPFR_RNDN);
      last = values[s] = value;
      ordinary &= std::isfinite(value);
    }
    if (!ordinary && f.source_count() > 1) continue;  // the tests of specials
    evaluate(GetParam(), sources, results);
    const double got = f.single ? std::bit_cast<float>(static_cast<uint32_t>(results[0]))
                                : std::bit_cast<double>(results[0]);
    wanted(exact, x, got);
    const double ulps = reference::ulps_of_real(got, exact, f.single);
    count(worst, f, sources, f.source_count(), values[0], got, mpfr_get_d(exact, MPFR_RNDN), ulps);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  check(f, worst);
  report(f, worst, "random", "MPFR", seconds.count());
}

std::vector<Id> some(bool (*wanted)(const Function&)) {
  std::vector<Id> ids;
  for (std::size_t i = 0; i < function_count; ++i)
    if (wanted(function(static_cast<Id>(i)))) ids.push_back(static_cast<Id>(i));
  return ids;
}
std::string id_name(const testing::TestParamInfo<Id>& info) {
  return std::string(function(info.param).name.substr(5));
}

INSTANTIATE_TEST_SUITE_P(Accuracy, OfFloat, testing::ValuesIn(some([](const Function& f) {
                           return f.single && f.source_count() == 1 && f.result_count() == 1 &&
                                  f.results[0] == Value::element && f.name.starts_with("__nv_") &&
                                  f.name.find("_r", 5) == f.name.npos;  // rounded_test.cpp
                         })),
                         id_name);
INSTANTIATE_TEST_SUITE_P(Accuracy, AtRandom, testing::ValuesIn(some([](const Function& f) {
                           // The others are exact, or pairs of others: the other tests look at them.
                           return f.results[0] == Value::element && !(f.single && f.source_count() == 1) &&
                                  reference::of_real(kernel_of(f)) != nullptr;
                         })),
                         id_name);

}  // namespace
}  // namespace heddle::math
