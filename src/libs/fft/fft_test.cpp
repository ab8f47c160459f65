#include "libs/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "libs/fft/build.h"
#include "libs/fft/roots.h"
#include "libs/fft/scratch.h"
#include "libs/fft/single.h"

namespace heddle::fft {
namespace {

template <class T>
using Complex = std::vector<std::complex<T>>;
using Exact = std::vector<std::complex<long double>>;

template <class T>
Number number_of() {
  return sizeof(T) == 8 ? Number::f64 : Number::f32;
}

template <class T>
Complex<T> noise(std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<T> part(-1, 1);
  Complex<T> values(count);
  for (auto& v : values) v = {part(random), part(random)};
  return values;
}

// As it is defined, in long double. `at` gives an index of an array of this shape; one dimension at a time.
Exact by_definition(Exact x, const std::vector<int64_t>& lengths, bool inverse) {
  std::size_t stride = 1;
  for (std::size_t d = lengths.size(); d-- > 0;) {
    const std::size_t n = static_cast<std::size_t>(lengths[d]);
    std::vector<std::complex<long double>> root(n), line(n);
    for (std::size_t k = 0; k < n; ++k) {
      const long double angle =
          2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
      root[k] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
    }
    for (std::size_t begin = 0; begin < x.size(); ++begin) {
      if (begin / stride % n != 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        line[k] = 0;
        for (std::size_t j = 0; j < n; ++j) line[k] += x[begin + j * stride] * root[j * k % n];
      }
      for (std::size_t k = 0; k < n; ++k) x[begin + k * stride] = line[k];
    }
    stride *= n;
  }
  return x;
}

// Relative, in roundings of T.
template <class T>
double error(const Complex<T>& got, const Exact& right) {
  long double difference = 0, size = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference += std::norm(std::complex<long double>(got[i]) - right[i]);
    size += std::norm(right[i]);
  }
  return static_cast<double>(std::sqrt(difference / size) / std::numeric_limits<T>::epsilon());
}

template <class T>
void expect_right(const std::vector<int64_t>& lengths, int64_t batch) {
  std::size_t size = 1;
  for (const int64_t n : lengths) size *= static_cast<std::size_t>(n);
  const auto x = noise<T>(size * static_cast<std::size_t>(batch));
  for (const bool inverse : {false, true}) {
    const Request request{Kind::complex,
                          number_of<T>(),
                          lengths,
                          batch,
                          dense(lengths, Kind::complex, true, false),
                          dense(lengths, Kind::complex, false, false)};
    Complex<T> y(x.size());
    make_plan(request)->execute(x.data(), y.data(), inverse);
    for (int64_t b = 0; b < batch; ++b) {
      const auto begin = static_cast<std::ptrdiff_t>(size) * b,
                 end = begin + static_cast<std::ptrdiff_t>(size);
      const auto right = by_definition(Exact(x.begin() + begin, x.begin() + end), lengths, inverse);
      const double limit = 1.0 + 0.4 * std::log2(static_cast<double>(size) + 1);
      EXPECT_LT(error(Complex<T>(y.begin() + begin, y.begin() + end), right), limit)
          << lengths[0] << " batch " << batch << (inverse ? " inverse" : "");
      if (batch > 3 && b == 1) b = batch - 2;  // the first ones and the last
    }
  }
}

// Reals there and back, in rows that may be padded.
template <class T>
void expect_right_reals(const std::vector<int64_t>& lengths, int64_t batch, bool in_place) {
  const auto half = complex_lengths(lengths);
  std::size_t size = 1, half_size = 1;
  for (const int64_t n : lengths) size *= static_cast<std::size_t>(n);
  for (const int64_t n : half) half_size *= static_cast<std::size_t>(n);
  const Request there{Kind::real_to_complex,
                      number_of<T>(),
                      lengths,
                      batch,
                      dense(lengths, Kind::real_to_complex, true, in_place),
                      dense(lengths, Kind::real_to_complex, false, in_place)};
  const Request back{Kind::complex_to_real,
                     number_of<T>(),
                     lengths,
                     batch,
                     dense(lengths, Kind::complex_to_real, true, in_place),
                     dense(lengths, Kind::complex_to_real, false, in_place)};
  const std::size_t row = static_cast<std::size_t>(lengths.back());
  const std::size_t padded = in_place ? 2 * (row / 2 + 1) : row;
  const std::size_t rows = size / row * static_cast<std::size_t>(batch);
  Complex<T> spectrum(half_size * static_cast<std::size_t>(batch));
  std::vector<T> own(rows * padded);
  T* x = in_place ? reinterpret_cast<T*>(spectrum.data()) : own.data();
  const auto values = noise<T>(rows * row);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < row; ++j) x[r * padded + j] = values[r * row + j].real();
  }
  make_plan(there)->execute(x, spectrum.data(), false);
  Exact first(size);
  for (std::size_t i = 0; i < size; ++i) first[i] = values[i].real();
  const auto whole = by_definition(first, lengths, false);
  Exact right(half_size);
  const std::size_t half_row = row / 2 + 1;
  for (std::size_t i = 0; i < half_size; ++i) right[i] = whole[i / half_row * row + i % half_row];
  const double limit = 1.0 + 0.4 * std::log2(static_cast<double>(size) + 1);
  EXPECT_LT(error(spectrum, right), limit) << lengths[0] << " reals";
  const Complex<T> before = spectrum;
  make_plan(back)->execute(spectrum.data(), x, true);
  if (!in_place) EXPECT_EQ(before, spectrum);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < row; ++j) {
      EXPECT_NEAR(x[r * padded + j], static_cast<T>(size) * values[r * row + j].real(),
                  static_cast<T>(size) * 16 * std::numeric_limits<T>::epsilon());
    }
  }
}

TEST(Roots, AreRoundedOnce) {
  const Roots roots(1000003);
  for (int64_t k = 0; k < 1000003; k += 997) {
    const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / 1000003;
    EXPECT_NEAR(roots.at<double>(k).re, static_cast<double>(std::cos(angle)), 1.2e-16);
    EXPECT_NEAR(roots.at<double>(k).im, static_cast<double>(std::sin(angle)), 1.2e-16);
  }
  EXPECT_EQ(Roots(8).at<double>(2).im, -1.0);
  EXPECT_EQ(Roots(8).at<double>(1).re, std::sqrt(0.5));
}

TEST(Fft, EveryLengthIsRight) {
  for (int64_t n = 1; n <= 130; ++n) {
    expect_right<float>({n}, n % 5 + 1);
    expect_right<double>({n}, 1);
  }
  for (const int64_t n : {169, 243, 343, 509, 625, 1009, 1331, 2 * 509}) {
    expect_right<float>({n}, 1);
    expect_right<double>({n}, 19);
  }
}

TEST(Fft, ManyArraysLieInLanes) {
  for (const int64_t batch : {2, 15, 16, 17, 40}) {
    expect_right<float>({60}, batch);
    expect_right<double>({67}, batch);
  }
}

TEST(Fft, DimensionsFollowEachOther) {
  expect_right<float>({5, 7}, 3);
  expect_right<double>({16, 12}, 2);
  expect_right<float>({4, 6, 10}, 2);
  expect_right<double>({67, 3}, 1);
  expect_right<double>({1, 8, 1}, 2);
}

TEST(Fft, RealNumbersTakeHalf) {
  for (const int64_t n : {1, 2, 3, 4, 7, 10, 32, 61, 96, 121, 134, 1018}) {
    for (const int64_t batch : {1, 18}) {
      expect_right_reals<float>({n}, batch, false);
      expect_right_reals<double>({n}, batch, true);
    }
  }
  expect_right_reals<double>({6, 10}, 2, false);
  expect_right_reals<float>({9, 7}, 2, true);
  expect_right_reals<double>({3, 4, 6}, 1, true);
}

// Long ones would take long by definition: a transform of shifted exponentials is known.
TEST(Fft, LongLinesAreRight) {
  for (const int64_t n : {1 << 16, 3 * 5 * 7 * 11 * 13 * 4, 65537, 1 << 18}) {
    Complex<double> x(static_cast<std::size_t>(n)), y(x.size());
    const Roots roots(n);
    for (int64_t j = 0; j < n; ++j) {
      const auto a = roots.at<double>(n - j * 1234 % n), b = roots.at<double>(n - j * (n - 5) % n);
      x[static_cast<std::size_t>(j)] =
          std::complex<double>(a.re, a.im) + 2.0 * std::complex<double>(b.re, b.im);
    }
    const auto shape = dense({n}, Kind::complex, true, false);
    make_plan({Kind::complex, Number::f64, {n}, 1, shape, shape})->execute(x.data(), y.data(), false);
    for (int64_t k = 0; k < n; ++k) {
      const double right = static_cast<double>(k == 1234 ? n : k == n - 5 ? 2 * n : 0);
      EXPECT_NEAR(y[static_cast<std::size_t>(k)].real(), right, 1e-10) << n << " " << k;
    }
  }
}

TEST(Fft, StridedArraysAreReadAndWrittenWhereTheyLie) {
  // 5 arrays of 6 x 4, interleaved: the element's stride is 5, the array's distance 1.
  const auto x = noise<double>(6 * 8 * 5);
  Complex<double> y(6 * 4 * 5 * 2, {9, 9});
  Request request{Kind::complex, Number::f64, {6, 4}, 5, {{8 * 5, 5}, 1}, {{4 * 2, 2}, 6 * 4 * 2}};
  make_plan(request)->execute(x.data(), y.data(), false);
  for (std::size_t b = 0; b < 5; ++b) {
    Exact one(24);
    for (std::size_t i = 0; i < 24; ++i) one[i] = x[(i / 4 * 8 + i % 4) * 5 + b];
    const auto right = by_definition(one, {6, 4}, false);
    Complex<double> got(24);
    for (std::size_t i = 0; i < 24; ++i) got[i] = y[b * 48 + i * 2];
    EXPECT_LT(error(got, right), 4);
  }
  for (std::size_t i = 1; i < y.size(); i += 2) EXPECT_EQ(y[i], std::complex<double>(9, 9));
}

TEST(Fft, RealLinesOfOddLengthAreRightInLanesAndOneByOne) {
  for (const bool in_place : {false, true}) {
    for (const int64_t n : {3, 9, 15, 45, 105, 143, 169, 243, 289, 1155}) {
      for (const int64_t batch : {1, 2, 33}) {
        expect_right_reals<float>({n}, batch, in_place);
        expect_right_reals<double>({n}, batch, in_place);
      }
    }
    expect_right_reals<double>({5, 27}, 3, in_place);
    expect_right_reals<float>({3, 9, 15}, 2, in_place);
  }
}

// Lines share vectors, but nothing else.
TEST(Fft, OneLineOfNansSpoilsNoOther) {
  for (const int64_t n : {15, 16, 81, 97, 2187, 4099}) {
    const int64_t half = n / 2 + 1, batch = 5;
    const Request there{Kind::real_to_complex, Number::f64, {n}, batch, {{1}, n}, {{1}, half}};
    const Request back{Kind::complex_to_real, Number::f64, {n}, batch, {{1}, half}, {{1}, n}};
    const auto values = noise<double>(static_cast<std::size_t>(n * batch));
    std::vector<double> x;
    for (const auto& v : values) x.push_back(v.real());
    Complex<double> y(static_cast<std::size_t>(half * batch)), spoilt(y.size());
    const auto plan = make_plan(there);
    plan->execute(x.data(), y.data(), false);
    x[static_cast<std::size_t>(n + 1)] = NAN;
    plan->execute(x.data(), spoilt.data(), false);
    std::vector<double> z(x.size()), other(x.size());
    make_plan(back)->execute(y.data(), z.data(), true);
    make_plan(back)->execute(spoilt.data(), other.data(), true);
    for (int64_t i = 0; i < n * batch; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i / n != 1) EXPECT_EQ(z[at], other[at]) << n << " " << i;
      if (i / n == 1) EXPECT_TRUE(std::isnan(other[at])) << n << " " << i;
    }
  }
}

TEST(Fft, NumbersOf16BitsGoThroughFloat) {
  const auto shape = dense({8}, Kind::complex, true, false);
  const std::vector<_Float16> x{1, 0, 2, 0, 3, 0, 4, 0, 0, 1, 0, 2, 0, 3, 0, 4};
  std::vector<_Float16> y(16), z(16);
  const auto plan = make_plan({Kind::complex, Number::f16, {8}, 1, shape, shape});
  plan->execute(x.data(), y.data(), false);
  EXPECT_EQ(static_cast<float>(y[0]), 10);  // 1 + 2 + 3 + 4
  EXPECT_EQ(static_cast<float>(y[1]), 10);
  plan->execute(y.data(), z.data(), true);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_NEAR(static_cast<float>(z[i]), 8 * static_cast<float>(x[i]), 0.04);
}

struct Level {
  const char* name;
  Codes<float> f;
  Codes<double> d;
};
// Every level that this host has, not only the one that is chosen.
std::vector<Level> levels() {
  std::vector<Level> all;
  const auto add = [&](const char* name, void (*codes)(Codes<float>&, Codes<double>&)) {
    all.push_back({name, {}, {}});
    codes(all.back().f, all.back().d);
  };
  add("plain", plain::codes);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) add("avx2", avx2::codes);
  if (__builtin_cpu_supports("avx512bw")) add("avx512", avx512::codes);
  return all;
}

TEST(Fft, EveryLevelIsRightForRealLinesOfOddLength) {
  for (const Level& level : levels()) {
    const Codes<double>& d = level.d;
    for (const int64_t n : {45, 49, 143}) {
      const std::size_t lanes = static_cast<std::size_t>(d.lanes), size = static_cast<std::size_t>(n);
      const auto columns = make_columns<double>(1);
      const auto real = make_real_columns<double>(n);
      const auto noises = noise<double>(size * lanes);
      std::vector<double> x, z(size * lanes);
      for (const auto& v : noises) x.push_back(v.real());
      Complex<double> y((size / 2 + 1) * lanes);
      const Scratch scratch(4 * (size + 1) * lanes * sizeof(double));
      GroupJob<double> job{&columns,
                           nullptr,
                           x.data(),
                           reinterpret_cast<double*>(y.data()),
                           {},
                           {},
                           Shape::real_to_complex_odd,
                           false,
                           scratch.as<double>()};
      job.real_columns = &real;
      for (std::size_t l = 0; l < lanes; ++l) {
        job.from.offset[l] = static_cast<int64_t>(l * size);
        job.to.offset[l] = static_cast<int64_t>(2 * l * (size / 2 + 1));
      }
      job.from.step = 1;
      job.to.step = 2;
      job.to.imaginary = 1;
      job.from.count = job.to.count = d.lanes;
      d.group(job);
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(l * size);
        auto right = by_definition(Exact(begin, begin + n), {n}, false);
        right.resize(size / 2 + 1);
        const auto at = y.begin() + static_cast<std::ptrdiff_t>(l * (size / 2 + 1));
        EXPECT_LT(error(Complex<double>(at, at + n / 2 + 1), right), 4) << level.name << " " << n;
      }
      std::swap(job.from, job.to);
      job.in = reinterpret_cast<const double*>(y.data());
      job.out = z.data();
      job.shape = Shape::complex_to_real_odd;
      job.inverse = true;
      d.group(job);
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(z[i], static_cast<double>(n) * x[i], 1e-12) << level.name << " " << n;
    }
  }
}

TEST(Fft, EveryLevelIsRight) {
  for (const Level& level : levels()) {
    const Codes<double>& d = level.d;
    for (const int64_t n : {12, 77, 104, 134}) {
      const std::size_t lanes = static_cast<std::size_t>(d.lanes), size = static_cast<std::size_t>(n);
      const auto columns = make_columns<double>(n);
      const auto x = noise<double>(size * lanes);
      Complex<double> y(x.size());
      const Scratch scratch((2 * (size + 1) + static_cast<std::size_t>(columns.work)) * 2 * lanes *
                            sizeof(double));
      GroupJob<double> job{&columns,
                           nullptr,
                           reinterpret_cast<const double*>(x.data()),
                           reinterpret_cast<double*>(y.data()),
                           {},
                           {},
                           Shape::complex,
                           false,
                           scratch.as<double>()};
      for (std::size_t l = 0; l < lanes; ++l) job.from.offset[l] = static_cast<int64_t>(2 * l * size);
      job.from.step = 2;
      job.from.imaginary = 1;
      job.from.count = d.lanes;
      job.to = job.from;
      d.group(job);
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(l * size);
        const auto right = by_definition(Exact(begin, begin + n), {n}, false);
        const auto at = y.begin() + static_cast<std::ptrdiff_t>(l * size);
        EXPECT_LT(error(Complex<double>(at, at + n), right), 4) << level.name << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::fft
