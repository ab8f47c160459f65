// The operations in software (spec/math/rounded.toml) against MPFR with a float's digits and exponents, bit
// for bit: any bit patterns, sums that cancel, results at both ends of the range.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "math/level.h"
#include "math/math.h"

namespace heddle::math {
namespace {

// Exponents of floats: MPFR's significands are in [0.5, 1).
class FloatRange {
 public:
  FloatRange() : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    for (mpfr_ptr r : {result, x, y, z}) mpfr_init2(r, 24);
  }
  ~FloatRange() {
    for (mpfr_ptr r : {result, x, y, z}) mpfr_clear(r);
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  FloatRange(const FloatRange&) = delete;
  FloatRange& operator=(const FloatRange&) = delete;
  mpfr_t result, x, y, z;

 private:
  mpfr_exp_t emin_, emax_;
};

mpfr_rnd_t rounding_of(std::string_view name) {
  const std::string_view rounding = name.substr(name.size() - 2);
  return rounding == "rn"   ? MPFR_RNDN
         : rounding == "rz" ? MPFR_RNDZ
         : rounding == "ru" ? MPFR_RNDU
                            : MPFR_RNDD;
}

uint32_t expected(FloatRange& at, std::string_view name, const float* values) {
  const mpfr_rnd_t rounding = rounding_of(name);
  mpfr_set_flt(at.x, values[0], MPFR_RNDN);
  mpfr_set_flt(at.y, values[1], MPFR_RNDN);
  mpfr_set_flt(at.z, values[2], MPFR_RNDN);
  const std::string_view operation = name.substr(5, name.size() - 8);
  int over = 0;  // of what sign the result is more than the exact one
  if (operation == "fadd") over = mpfr_add(at.result, at.x, at.y, rounding);
  if (operation == "fsub") over = mpfr_sub(at.result, at.x, at.y, rounding);
  if (operation == "fmul") over = mpfr_mul(at.result, at.x, at.y, rounding);
  if (operation == "fmaf") over = mpfr_fma(at.result, at.x, at.y, at.z, rounding);
  if (operation == "fdiv") over = mpfr_div(at.result, at.x, at.y, rounding);
  if (operation == "frcp") over = mpfr_ui_div(at.result, 1, at.x, rounding);
  if (operation == "fsqrt") over = mpfr_sqrt(at.result, at.x, rounding);
  mpfr_subnormalize(at.result, over, rounding);
  if (mpfr_nan_p(at.result)) return 0x7fff'ffff;
  return std::bit_cast<uint32_t>(mpfr_get_flt(at.result, MPFR_RNDN));
}

// Numbers that are hard together.
void choose(std::mt19937_64& random, float* values) {
  const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
  const auto near_one = [&] {
    return std::bit_cast<float>(0x3f80'0000 + (static_cast<uint32_t>(random()) & 0x80ff'ffff));
  };
  static constexpr float edges[] = {0,
                                    -0.0f,
                                    1,
                                    -1,
                                    INFINITY,
                                    -INFINITY,
                                    0x1p-149f,
                                    -0x1p-149f,
                                    0x1p-126f,
                                    0x1.fffffep127f,
                                    -0x1.fffffep127f,
                                    3,
                                    0.1f};
  const auto edge = [&] { return edges[random() % std::size(edges)]; };
  const uint64_t kind = random() % 8;
  for (int i = 0; i < 3; ++i) values[i] = kind < 2 ? any() : kind < 5 ? near_one() : edge();
  if (kind == 1) {  // at the lower end
    for (int i = 0; i < 2; ++i) values[i] = std::ldexp(near_one(), -static_cast<int>(random() % 40) - 55);
    values[2] = std::ldexp(near_one(), -static_cast<int>(random() % 60) - 100);
  }
  if (kind == 2) values[2] = -values[0] * values[1];  // what rounding the product lost remains
  if (kind == 3) values[2] = std::ldexp(near_one(), static_cast<int>(random() % 120) - 60);
  if (kind == 4) values[1] = -std::ldexp(values[0], static_cast<int>(random() % 50) - 25);
  if (kind == 5) values[static_cast<int>(random() % 3)] = any();
}

class InSoftware : public testing::TestWithParam<Id> {};

TEST_P(InSoftware, is_rounded_once) {
  const Function& f = function(GetParam());
  FloatRange at;
  std::mt19937_64 random(static_cast<unsigned>(GetParam()));
  constexpr std::size_t count = 1 << 15;
  std::vector<float> values[3], wanted(count), got(count);
  for (auto& v : values) v.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    float chosen[3];
    choose(random, chosen);
    for (int s = 0; s < 3; ++s) values[s][i] = chosen[s];
    wanted[i] = std::bit_cast<float>(expected(at, f.name, chosen));
  }
  const void* in[] = {values[0].data(), values[1].data(), values[2].data()};
  void* out[] = {got.data()};
  const auto compare = [&](const std::string& where) {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(wanted[i]))
          << where << ": " << f.name << std::hexfloat << " of " << values[0][i] << ' ' << values[1][i] << ' '
          << values[2][i] << " is " << got[i] << ", not " << wanted[i];
  };
  for (const unsigned width : {0U, 128U, 256U, 512U})
    if (run(GetParam(), width, in, out, count)) compare(std::to_string(width) + " bits");
  plain::codes().widths[1].on_arrays[static_cast<std::size_t>(GetParam())](in, out, count);
  compare("without fused multiplication");
}

// PTX ISA 9.7.3.7, by its words: the product cut to 24 digits with whatever exponent it has, the sum rounded
// to nearest; without subnormals before and behind.
uint32_t truncating_mad(const float* values) {
  mpfr_t product, sum, addend;
  for (mpfr_ptr r : {product, sum, addend}) mpfr_init2(r, 24);
  float v[3];
  for (int i = 0; i < 3; ++i)
    v[i] = std::fabs(values[i]) < 0x1p-126f ? std::copysign(0.0f, values[i]) : values[i];
  mpfr_set_flt(product, v[0], MPFR_RNDN);
  mpfr_set_flt(sum, v[1], MPFR_RNDN);
  mpfr_set_flt(addend, v[2], MPFR_RNDN);
  const auto as_float = [](mpfr_ptr number) -> float {
    if (mpfr_regular_p(number) == 0) return mpfr_get_flt(number, MPFR_RNDN);
    const float sign = mpfr_signbit(number) != 0 ? -1 : 1;
    if (mpfr_get_exp(number) > 128) return sign * INFINITY;
    return mpfr_get_exp(number) < -125 ? sign * 0.0f : mpfr_get_flt(number, MPFR_RNDN);
  };
  mpfr_mul(product, product, sum, v[2] == 0 ? MPFR_RNDN : MPFR_RNDZ);
  float result;
  if (v[2] == 0) {
    result = as_float(product) + v[2];
  } else {
    mpfr_add(sum, product, addend, MPFR_RNDN);
    result = as_float(sum);
  }
  for (mpfr_ptr r : {product, sum, addend}) mpfr_clear(r);
  return std::isnan(result) ? 0x7fff'ffff : std::bit_cast<uint32_t>(result);
}

TEST(TruncatingMad, is_what_its_words_say) {
  std::mt19937_64 random(1);
  constexpr std::size_t count = 1 << 17;
  std::vector<float> values[3], got(count);
  for (auto& v : values) v.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    float chosen[3];
    choose(random, chosen);
    for (int s = 0; s < 3; ++s) values[s][i] = chosen[s];
  }
  const void* in[] = {values[0].data(), values[1].data(), values[2].data()};
  void* out[] = {got.data()};
  ASSERT_TRUE(run(Id::truncating_mad, 128, in, out, count));
  for (std::size_t i = 0; i < count; ++i) {
    const float v[] = {values[0][i], values[1][i], values[2][i]};
    ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), truncating_mad(v))
        << std::hexfloat << v[0] << ' ' << v[1] << ' ' << v[2] << " is " << got[i];
  }
}

std::vector<Id> in_software() {
  std::vector<Id> ids;
  for (const Function& f : functions())
    if (f.name.starts_with("__nv_") && f.name.find("_r", 5) != f.name.npos) ids.push_back(id_of(f));
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Rounded, InSoftware, testing::ValuesIn(in_software()),
                         [](const auto& info) { return std::string(function(info.param).name.substr(5)); });

}  // namespace
}  // namespace heddle::math
