// cuRAND as a program sees it. Expected: what NVIDIA's library (10.4.0, its generators of the host, seed
// 1234) gives; the first four uniform numbers are those of its guide's example.
#include <curand.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

struct Source {
  curandRngType_t type;
  curandOrdering_t order;
  uint64_t bits, floats, doubles;          // FNV-1a over 400000 bits, 20000 uniform numbers
  std::vector<uint32_t> far;               // from offset 12345678901
  std::vector<double> normal, log_normal;  // 8196 to 8199; the first of mean 1, deviation 0.5
  std::vector<double> normal_double;
};
const std::vector<Source> sources{
    {CURAND_RNG_PSEUDO_XORWOW,
     CURAND_ORDERING_PSEUDO_LEGACY,
     0xf54756de89494a1a,
     0x26d2631547fde7d9,
     0xfc3740ae47a92242,
     {3291388337, 3237634156, 463721790},
     {-0.6993486285209656, -0.032810330390930176, -0.2166726291179657, -0.9522861838340759},
     {4.0168046951293945, 1.1042991876602173, 2.3621582984924316, 3.6030232906341553},
     {1.0037395220714005, 1.5021088022638729, -0.01573949148813696, 0.4634475797688858}},
    {CURAND_RNG_PSEUDO_MRG32K3A,
     CURAND_ORDERING_PSEUDO_LEGACY,
     0xffa8dec0ca629b2,
     0xb1d1c7148bc0adf8,
     0x64b29091a94275e1,
     {2990400260, 3024584966, 2637284092},
     {1.2494298219680786, -0.4235914349555969, -1.4802128076553345, 0.8229144811630249},
     {2.2697577476501465, 2.022550582885742, 1.1511157751083374, 1.7318565845489502},
     {1.2494297951908804, -0.42359132699983304, -1.4802131341300964, 0.8229138286841605}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10,
     CURAND_ORDERING_PSEUDO_LEGACY,
     0xa42256b2895c7ec4,
     0x4c2c2d5b2625ed4c,
     0x4cc54212947507a1,
     {2454329817, 3575036413, 3466669074},
     {-0.8744421005249023, 2.296518325805664, -1.3199065923690796, -1.365298867225647},
     {1.2113734483718872, 5.025765419006348, 1.2457400560379028, 3.4291439056396484},
     {-0.240065807128183, -0.24832158515084768, 0.5643851890220751, 1.5763892810385125}}};

// A generator of the device or the host, and its numbers.
class Generator {
 public:
  Generator(curandRngType_t type, curandOrdering_t order, bool host, uint64_t offset = 0) : host_(host) {
    EXPECT_EQ(host ? curandCreateGeneratorHost(&handle, type) : curandCreateGenerator(&handle, type),
              CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetGeneratorOrdering(handle, order), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(handle, 1234), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetGeneratorOffset(handle, offset), CURAND_STATUS_SUCCESS);
  }
  ~Generator() { EXPECT_EQ(curandDestroyGenerator(handle), CURAND_STATUS_SUCCESS); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  template <class T, class Call>
  std::vector<T> numbers(std::size_t count, const Call& call) {
    std::vector<T> to(count);
    if (host_) {
      EXPECT_EQ(call(to.data(), count), CURAND_STATUS_SUCCESS);
      return to;
    }
    Device<T> on_device(count);
    EXPECT_EQ(call(on_device.get(), count), CURAND_STATUS_SUCCESS);
    return on_device.read();
  }
  std::vector<uint32_t> bits(std::size_t count) {
    return numbers<uint32_t>(count,
                             [&](uint32_t* to, std::size_t n) { return curandGenerate(handle, to, n); });
  }
  std::vector<float> uniform(std::size_t count) {
    return numbers<float>(count,
                          [&](float* to, std::size_t n) { return curandGenerateUniform(handle, to, n); });
  }
  std::vector<double> uniform_double(std::size_t count) {
    return numbers<double>(
        count, [&](double* to, std::size_t n) { return curandGenerateUniformDouble(handle, to, n); });
  }
  std::vector<float> normal(std::size_t count) {
    return numbers<float>(
        count, [&](float* to, std::size_t n) { return curandGenerateNormal(handle, to, n, 0, 1); });
  }
  std::vector<double> normal_double(std::size_t count) {
    return numbers<double>(
        count, [&](double* to, std::size_t n) { return curandGenerateNormalDouble(handle, to, n, 0, 1); });
  }
  std::vector<float> log_normal(std::size_t count) {
    return numbers<float>(
        count, [&](float* to, std::size_t n) { return curandGenerateLogNormal(handle, to, n, 1, 0.5f); });
  }
  curandGenerator_t handle = nullptr;

 private:
  bool host_;
};

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

TEST(Curand, GivesTheNumbersOfNvidiasLibrary) {
  for (const Source& s : sources)
    for (const bool host : {false, true}) {
      EXPECT_EQ(hash<uint32_t>(Generator(s.type, s.order, host).bits(400000)), s.bits) << s.type;
      EXPECT_EQ(hash<uint32_t>(Generator(s.type, s.order, host).uniform(20000)), s.floats) << s.type;
      EXPECT_EQ(hash<uint64_t>(Generator(s.type, s.order, host).uniform_double(20000)), s.doubles) << s.type;
      EXPECT_EQ(Generator(s.type, s.order, host, 12345678901).bits(3), s.far) << s.type;
      const auto normal = Generator(s.type, s.order, host).normal(8200);
      const auto normal_double = Generator(s.type, s.order, host).normal_double(8200);
      const auto log_normal = Generator(s.type, s.order, host).log_normal(4);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(normal[8196 + i], s.normal[i], 1e-6) << s.type;
        EXPECT_NEAR(normal_double[8196 + i], s.normal_double[i], 1e-14) << s.type;
        EXPECT_NEAR(log_normal[i], s.log_normal[i], 2e-6) << s.type;
      }
    }
  // MRG32k3a's default has more streams.
  EXPECT_EQ(hash<uint32_t>(
                Generator(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, true).bits(400000)),
            0xe36338dbd536ca37);
}

TEST(Curand, CallsGoOnWhereTheLastOneEnded) {
  for (const Source& s : sources) {
    const auto whole = Generator(s.type, s.order, false).bits(10011);
    Generator parts(s.type, s.order, false);
    std::vector<uint32_t> joined;
    for (const std::size_t count : {5, 6, 1, 9999})
      for (const uint32_t v : parts.bits(count)) joined.push_back(v);
    EXPECT_EQ(joined, whole);
    // The same seed begins again.
    EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(parts.handle, 1234), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(parts.bits(4), std::vector<uint32_t>(whole.begin(), whole.begin() + 4));
  }
}

TEST(Curand, IsWorkOfItsStreamAndOfGraphs) {
  Generator g(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, false);
  const auto wanted = Generator(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, true).bits(12);
  Device<uint32_t> out(std::vector<uint32_t>(4));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(curandSetStream(g.handle, stream), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(curandGenerate(g.handle, out, 4), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(out.read(), std::vector<uint32_t>(4));
  ASSERT_EQ(cudaGraphInstantiate(&launchable, graph, 0), cudaSuccess);
  for (std::size_t i = 0; i < 3; ++i) {  // each launch has the next numbers
    ASSERT_EQ(cudaGraphLaunch(launchable, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(out.read(), std::vector<uint32_t>(wanted.begin() + static_cast<long>(4 * i),
                                                wanted.begin() + static_cast<long>(4 * i) + 4));
  }
  cudaGraphExecDestroy(launchable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST(Curand, SaysWhatIsWrongAsNvidiasLibraryDoes) {
  curandGenerator_t g = nullptr;
  float numbers[4];
  EXPECT_EQ(curandCreateGeneratorHost(nullptr, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandCreateGeneratorHost(&g, static_cast<curandRngType_t>(7)), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandGenerateUniform(nullptr, numbers, 4), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
  ASSERT_EQ(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateSeeds(nullptr), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandGenerateSeeds(g), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateNormal(g, numbers, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandSetGeneratorOrdering(g, static_cast<curandOrdering_t>(99)), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(g, 3), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(g), CURAND_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::libs_test
