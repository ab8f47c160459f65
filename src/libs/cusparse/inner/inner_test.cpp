#include "libs/cusparse/inner/inner.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/host_level.h"

namespace heddle::cusparse::inner {
namespace {

struct Named {
  const char* name;
  const Level& level;
  HostLevel needs;
};
const Named levels[] = {{"plain", plain, HostLevel::plain},
                        {"avx2", avx2, HostLevel::avx2},
                        {"avx512", avx512, HostLevel::avx512}};

template <class Body>
void on_every_level(const Body& body) {
  for (const Named& named : levels) {
    if (host_level() < named.needs) continue;
    SCOPED_TRACE(named.name);
    body(named.level);
  }
}

template <class I>
void looks_at_every_index() {
  on_every_level([](const Level& level) {
    const Loops<I>& loops = level.of<I>();
    for (const I base : {I(0), I(1)})
      for (std::size_t count = 0; count < 70; ++count) {
        std::vector<I> places(count, static_cast<I>(base + 4));
        EXPECT_TRUE(loops.fit(places.data(), static_cast<int64_t>(count), base, 5));
        for (std::size_t at = 0; at < count; ++at)
          for (const I wrong :
               {static_cast<I>(base - 1), static_cast<I>(base + 5), std::numeric_limits<I>::min()}) {
            places[at] = wrong;
            ASSERT_FALSE(loops.fit(places.data(), static_cast<int64_t>(count), base, 5))
                << count << " " << at;
            places[at] = base;
          }
        std::vector<I> offsets(count + 1);
        for (std::size_t at = 0; at <= count; ++at)
          offsets[at] = static_cast<I>(base + static_cast<I>(at / 2));
        EXPECT_TRUE(loops.rise(offsets.data(), static_cast<int64_t>(count)));
        for (std::size_t at = 0; at < count; ++at) {
          const I kept = offsets[at];
          offsets[at] = static_cast<I>(offsets[at + 1] + 1);
          ASSERT_FALSE(loops.rise(offsets.data(), static_cast<int64_t>(count))) << count << " " << at;
          offsets[at] = kept;
        }
      }
  });
}
TEST(SparseLoops, LookAtEveryNarrowIndex) { looks_at_every_index<int32_t>(); }
TEST(SparseLoops, LookAtEveryWideIndex) { looks_at_every_index<int64_t>(); }

template <class N, class I>
void by_a_vector() {
  constexpr int64_t rows = 60, columns = 50;
  constexpr I base = 1;
  std::mt19937 random(3);
  const auto number = [&] {
    const auto part = [&] { return static_cast<float>(static_cast<int>(random() % 9) - 4); };
    if constexpr (requires(N n) { n.imag(); })
      return N{part(), part()};
    else
      return static_cast<N>(part());
  };
  std::vector<I> offsets{base}, places;
  std::vector<N> values, x, y;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < i % 13; ++p) {
      places.push_back(static_cast<I>(static_cast<I>(random() % columns) + base));
      values.push_back(number());
    }
    offsets.push_back(static_cast<I>(static_cast<I>(places.size()) + base));
    y.push_back(number());
  }
  for (int64_t j = 0; j < columns; ++j) x.push_back(number());
  const N alpha = number() + N(7), beta = number() + N(9);
  on_every_level([&](const Level& level) {
    for (const bool conjugated : {false, true})
      for (const N& keep : {beta, N(0)}) {
        std::vector<N> result = y;
        const Products<N, I>& products = level.of<I>().template of<N>();
        (conjugated ? products.conjugated
                    : products.plain)({offsets.data(), places.data(), values.data(), base, x.data(),
                                       result.data(), alpha, keep, 3, rows});
        for (std::size_t i = 0; i < y.size(); ++i) {
          N sum(0);
          for (auto p = static_cast<std::size_t>(offsets[i] - base);
               p < static_cast<std::size_t>(offsets[i + 1] - base); ++p) {
            N value = values[p];
            if constexpr (requires(N n) { n.imag(); })
              if (conjugated) value = std::conj(value);
            sum += value * x[static_cast<std::size_t>(places[p] - base)];
          }
          // Small whole numbers: every order of sums gives the same.
          ASSERT_EQ(result[i], i < 3 ? y[i] : alpha * sum + keep * y[i]) << i;
        }
      }
  });
}
TEST(SparseLoops, Multiply) {
  by_a_vector<int32_t, int32_t>();
  by_a_vector<float, int32_t>();
  by_a_vector<double, int64_t>();
  by_a_vector<std::complex<float>, int64_t>();
  by_a_vector<std::complex<double>, int32_t>();
}

}  // namespace
}  // namespace heddle::cusparse::inner
