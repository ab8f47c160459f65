// cuRAND's quasi-random generators, and Poisson's numbers. Expected sequences: what NVIDIA's library gives
// (10.4.0, its generators of the host), as FNV-1a over words.
#include <curand.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto fine = CURAND_STATUS_SUCCESS;

template <class Word, class T>
uint64_t hash(const std::vector<T>& values) {
  uint64_t h = 0xcbf29ce484222325;
  for (const T& value : values) {
    Word word = 0;
    std::memcpy(&word, &value, sizeof word);
    h = (h ^ word) * 0x100000001b3;
  }
  return h;
}

class Source {
 public:
  Source(curandRngType_t type, bool host, unsigned dimensions, uint64_t offset = 0) : host_(host) {
    EXPECT_EQ((host ? curandCreateGeneratorHost : curandCreateGenerator)(&handle, type), fine);
    if (dimensions != 0) {
      EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(handle, dimensions), fine);
    }
    EXPECT_EQ(curandSetGeneratorOffset(handle, offset), fine);
  }
  ~Source() { EXPECT_EQ(curandDestroyGenerator(handle), fine); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  template <class T, class Call, class... More>
  std::vector<T> draw(std::size_t count, const Call& call, More... more) {
    std::vector<T> to(count);
    if (host_) {
      EXPECT_EQ(call(handle, to.data(), count, more...), fine);
      return to;
    }
    Device<T> on_device(count);
    EXPECT_EQ(call(handle, on_device.get(), count, more...), fine);
    return on_device.read();
  }
  curandGenerator_t handle = nullptr;

 private:
  const bool host_;
};
constexpr auto sobol32 = CURAND_RNG_QUASI_SOBOL32, sobol64 = CURAND_RNG_QUASI_SOBOL64;
using Long = unsigned long long;

TEST(CurandQuasi, GivesTheSequencesOfNvidiasLibrary) {
  for (const bool host : {false, true}) {
    Source s(sobol32, host, 3);
    EXPECT_EQ(hash<uint32_t>(s.draw<uint32_t>(19992, curandGenerate)), 0x351a4304c7403b05);
    EXPECT_EQ(hash<uint32_t>(s.draw<uint32_t>(3000, curandGenerate)), 0xaf867bc1f5364b85);  // goes on
    EXPECT_EQ(hash<uint32_t>(Source(sobol32, host, 3, 777).draw<uint32_t>(99999, curandGenerate)),
              0xdbf12a64c1ddc547);
    EXPECT_EQ(hash<uint64_t>(Source(sobol64, host, 3).draw<Long>(19992, curandGenerateLongLong)),
              0xb907aca7ff303b05);
    for (const auto type : {sobol32, sobol64})
      EXPECT_EQ(hash<uint32_t>(Source(type, host, 3).draw<float>(19992, curandGenerateUniform)),
                0x996f57087669a737);
    EXPECT_EQ(hash<uint64_t>(Source(sobol32, host, 3).draw<double>(19992, curandGenerateUniformDouble)),
              0x766d77e69b303b05);
    EXPECT_EQ(hash<uint64_t>(Source(sobol64, host, 3).draw<double>(19992, curandGenerateUniformDouble)),
              0x2b17b0608f34e15f);
  }
  EXPECT_EQ(hash<uint32_t>(Source(sobol32, true, 20000).draw<uint32_t>(1000000, curandGenerate)),
            0x6a101fe732193025);
  EXPECT_EQ(hash<uint64_t>(Source(sobol64, true, 20000).draw<Long>(1000000, curandGenerateLongLong)),
            0xf6dd72fba193025);
}

// Their second to fourth numbers; bits differ as two libraries' logarithms do.
TEST(CurandQuasi, GivesNormalNumbersOfTheInverseDistribution) {
  const auto a = Source(sobol32, false, 1).draw<float>(4, curandGenerateNormal, 0.0f, 1.0f);
  const float wanted[] = {-6.337958f, 0.0f, 0.67448974f, -0.67448974f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a[i], wanted[i], 1e-6);
  const auto b = Source(sobol64, true, 1).draw<double>(3, curandGenerateNormalDouble, 1.0, 2.0);
  const double exact[] = {1 - 2 * 8.292361075813595, 1, 1 + 2 * 0.6744897501960818};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(b[i], exact[i], 1e-13);
}

TEST(CurandQuasi, HandsOutItsDirectionVectors) {
  curandDirectionVectors32_t* narrow = nullptr;
  curandDirectionVectors64_t* wide = nullptr;
  ASSERT_EQ(curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6), fine);
  ASSERT_EQ(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6), fine);
  for (int d = 0; d < 20000; d += 1999)
    for (int k = 0; k < 32; ++k) EXPECT_EQ(wide[d][k] >> 32, narrow[d][k]);
  EXPECT_EQ(curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
            CURAND_STATUS_OUT_OF_RANGE);
}

TEST(CurandQuasi, SaysWhatIsWrongAsNvidiasLibraryDoes) {
  uint32_t numbers[8];
  Long longs[8];
  Source s(sobol32, true, 0);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(s.handle, 3), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(s.handle, 0), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(s.handle, 20001), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetGeneratorOrdering(s.handle, CURAND_ORDERING_QUASI_DEFAULT), fine);
  EXPECT_EQ(curandSetGeneratorOrdering(s.handle, CURAND_ORDERING_PSEUDO_BEST), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandGenerateLongLong(s.handle, longs, 3), CURAND_STATUS_TYPE_ERROR);
  ASSERT_EQ(curandSetQuasiRandomGeneratorDimensions(s.handle, 3), fine);
  EXPECT_EQ(curandGenerate(s.handle, numbers, 4), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandGenerate(s.handle, numbers, 0), fine);
  for (const double lambda : {0.0, -1.0, 400001.0})
    EXPECT_EQ(curandGeneratePoisson(s.handle, numbers, 3, lambda), CURAND_STATUS_OUT_OF_RANGE);
  // The place in the sequence stays when the dimensions change.
  ASSERT_EQ(curandSetGeneratorOffset(s.handle, 5), fine);
  ASSERT_EQ(curandGenerate(s.handle, numbers, 3), fine);
  EXPECT_EQ(numbers[0], 0xe0000000);
  ASSERT_EQ(curandSetQuasiRandomGeneratorDimensions(s.handle, 2), fine);
  ASSERT_EQ(curandGenerate(s.handle, numbers, 2), fine);
  EXPECT_EQ(numbers[0], 0xa0000000);
  EXPECT_EQ(numbers[1], 0x20000000);
  curandGenerator_t wide = nullptr;
  ASSERT_EQ(curandCreateGeneratorHost(&wide, sobol64), fine);
  EXPECT_EQ(curandGenerate(wide, numbers, 3), CURAND_STATUS_TYPE_ERROR);
  curandDestroyGenerator(wide);
}

// Shares of each number against the distribution: chi-squared stays below mean + 6 deviations.
TEST(CurandQuasi, GivesPoissonsDistribution) {
  for (const curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                     CURAND_RNG_PSEUDO_PHILOX4_32_10, sobol32, sobol64})
    for (const double lambda : {0.05, 0.5, 3.0, 30.0, 3000.0, 400000.0}) {
      const std::size_t count = 40000;
      const auto values =
          Source(type, type != sobol32, 0).draw<uint32_t>(count, curandGeneratePoisson, lambda);
      // Classes of at least ten expected numbers each.
      std::vector<uint32_t> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      double square = 0, expected = 0;
      int classes = 0;
      std::size_t seen = 0, next = 0;
      const auto low = static_cast<uint32_t>(std::max(0.0, lambda - 14 * std::sqrt(lambda) - 40));
      const auto high = static_cast<uint32_t>(lambda + 14 * std::sqrt(lambda) + 40);
      for (uint32_t k = low; k <= high; ++k) {
        expected += count * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
        while (next < count && sorted[next] <= k) ++next, ++seen;
        if (expected < 10) continue;
        square += (static_cast<double>(seen) - expected) * (static_cast<double>(seen) - expected) / expected;
        ++classes;
        expected = 0, seen = 0;
      }
      EXPECT_EQ(next, count) << type << " " << lambda;
      EXPECT_LT(square, classes + 6 * std::sqrt(2.0 * classes) + 12) << type << " " << lambda;
    }
}

}  // namespace
}  // namespace heddle::libs_test
