#include "libs/cublas/small/small.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/host_level.h"

namespace heddle::cublas::small {
namespace {

struct Named {
  const char* name;
  const Level& level;
  HostLevel needs;
};
const Named levels[] = {{"plain", plain, HostLevel::plain},
                        {"avx2", avx2, HostLevel::avx2},
                        {"avx512", avx512, HostLevel::avx512}};

template <class N>
class Case {
  using R = typename Parts<N>::Real;
  static constexpr int64_t parts = Parts<N>::count;

 public:
  explicit Case(std::mt19937& random) : random_(random) {
    const auto any = [&](int64_t from, int64_t to) {
      return std::uniform_int_distribution<int64_t>(from, to)(random_);
    };
    shape_.m = any(1, most), shape_.n = any(1, most), shape_.k = any(1, most);
    const auto matrix = [&](Steps& steps, int64_t rows, int64_t columns) {
      const bool turned = any(0, 1) == 1;
      const int64_t ld = (turned ? columns : rows) + any(0, 2);
      steps = {(turned ? ld : 1) * parts, (turned ? 1 : ld) * parts, parts == 2 && any(0, 1) == 1};
      // To the last element and no further: what reads behind it is found by a sanitizer.
      return numbers((turned ? rows - 1 : columns - 1) * ld + (turned ? columns : rows));
    };
    a_ = matrix(shape_.a, shape_.m, shape_.k);
    b_ = matrix(shape_.b, shape_.k, shape_.n);
    const int64_t ld = shape_.m + any(0, 2);
    shape_.ldc = ld * parts;
    c_ = numbers((shape_.n - 1) * ld + shape_.m);
    alpha_ = number();
    if (any(0, 1) == 1)
      beta_ = number();
    else
      c_.assign(c_.size(), N(std::nan("")));  // is not read
  }

  // Greatest error in units of what k roundings may make.
  double error(const Codes<N>& codes) const {
    std::vector<N> result = c_;
    codes.of(shape_.m * parts)(shape_, alpha_, a_.data(), b_.data(), beta_, result.data());
    double greatest = 0;
    for (int64_t at = 0; at < static_cast<int64_t>(result.size()); ++at) {
      const int64_t i = at % (shape_.ldc / parts), j = at / (shape_.ldc / parts);
      const N got = result[static_cast<std::size_t>(at)], old = c_[static_cast<std::size_t>(at)];
      if (i >= shape_.m) {  // between two columns
        EXPECT_TRUE(got == old || beta_ == N(0));
        continue;
      }
      N sum(0);
      for (int64_t p = 0; p < shape_.k; ++p) sum += element(a_, shape_.a, i, p) * element(b_, shape_.b, p, j);
      const N right = beta_ == N(0) ? alpha_ * sum : alpha_ * sum + beta_ * old;
      const double difference = static_cast<double>(std::abs(got - right));
      if (!(difference <= greatest)) greatest = difference;
    }
    return greatest /
           (static_cast<double>(shape_.k + 2) * static_cast<double>(std::numeric_limits<R>::epsilon()));
  }

 private:
  N number() {
    std::uniform_real_distribution<R> any(-1, 1);
    if constexpr (parts == 2)
      return {any(random_), any(random_)};
    else
      return any(random_);
  }
  std::vector<N> numbers(int64_t count) {
    std::vector<N> made(static_cast<std::size_t>(count));
    for (N& one : made) one = number();
    return made;
  }
  static N element(const std::vector<N>& matrix, const Steps& steps, int64_t down, int64_t across) {
    const N found = matrix[static_cast<std::size_t>((down * steps.one + across * steps.next) / parts)];
    if constexpr (parts == 2)
      return steps.conjugated ? std::conj(found) : found;
    else
      return found;
  }

  std::mt19937& random_;
  Shape shape_;
  std::vector<N> a_, b_, c_;
  N alpha_{}, beta_{};
};

template <class N>
void every_level(Codes<N> Level::* codes) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const Case<N> one(random);
    for (const Named& named : levels)
      if (host_level() >= named.needs) {
        ASSERT_LT(one.error(named.level.*codes), 4) << named.name << ", case " << i;
      }
  }
}

TEST(SmallProducts, OfFloats) { every_level(&Level::s); }
TEST(SmallProducts, OfDoubles) { every_level(&Level::d); }
TEST(SmallProducts, OfComplexFloats) { every_level(&Level::c); }
TEST(SmallProducts, OfComplexDoubles) { every_level(&Level::z); }

TEST(SmallProducts, InfinitiesStayWhatTheyAre) {
  const float a[2] = {1, 0}, b = INFINITY;
  for (const Named& named : levels) {
    if (host_level() < named.needs) continue;
    float c[2] = {};
    named.level.s.of(2)({2, 1, 1, {1, 2, false}, {1, 1, false}, 2}, 1, a, &b, 0, c);
    EXPECT_EQ(c[0], INFINITY) << named.name;
    EXPECT_TRUE(std::isnan(c[1])) << named.name;
  }
}

}  // namespace
}  // namespace heddle::cublas::small
