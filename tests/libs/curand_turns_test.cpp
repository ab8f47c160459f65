// Poisson's numbers of large means, as an H200 gave them over several calls
// (tests/hw/h200/curand/poisson_turns.txt).
#include <cuda_runtime.h>
#include <curand.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "testing.h"

namespace heddle::libs_test {
namespace {

struct Line {
  int type = 0, order = 0, status = 0;
  uint64_t offset = 0;
  struct Call {
    bool poisson = false;
    std::size_t count = 0;
  };
  std::vector<Call> calls;
  struct Number {
    std::size_t place = 0;
    unsigned value = 0;
  };
  std::vector<Number> numbers;
};

std::vector<Line> recorded() {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/curand/poisson_turns.txt");
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("#")) continue;
    Line& line = lines.emplace_back();
    std::istringstream words(text);
    words >> line.type >> line.order >> line.offset >> line.status;
    std::string word;
    while (words >> word && word != "|")
      line.calls.push_back({word[0] == 'P', std::strtoul(word.c_str() + 1, nullptr, 10)});
    while (words >> word) {
      char* colon = nullptr;
      const std::size_t place = std::strtoul(word.c_str(), &colon, 10);
      line.numbers.push_back({place, static_cast<unsigned>(std::strtoul(colon + 1, nullptr, 10))});
    }
  }
  return lines;
}

TEST(CurandTurns, GivesTheNumbersOfAnH200) {
  const std::vector<Line> lines = recorded();
  EXPECT_GE(lines.size(), 14U);
  for (const Line& line : lines) {
    curandGenerator_t generator = nullptr;
    ASSERT_EQ(curandCreateGenerator(&generator, static_cast<curandRngType_t>(line.type)), 0);
    int status = curandSetPseudoRandomGeneratorSeed(generator, 1234);
    status |= curandSetGeneratorOrdering(generator, static_cast<curandOrdering_t>(line.order));
    status |= curandSetGeneratorOffset(generator, line.offset);
    std::size_t all = 0;
    for (const Line::Call& call : line.calls) all += call.count;
    unsigned* numbers = nullptr;
    ASSERT_EQ(cudaMalloc(&numbers, all * sizeof(unsigned)), cudaSuccess);
    std::size_t done = 0;
    std::vector<bool> poisson;
    for (const Line::Call& call : line.calls) {
      status |= call.poisson ? curandGeneratePoisson(generator, numbers + done, call.count, 390000)
                             : curandGenerate(generator, numbers + done, call.count);
      done += call.count;
      poisson.resize(done, call.poisson);
    }
    EXPECT_EQ(status, line.status) << line.type << ' ' << line.order;
    std::vector<unsigned> found(all);
    cudaMemcpy(found.data(), numbers, all * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (const Line::Number& one : line.numbers) {
      // Two libraries' logarithms: of a normal number a bit, of this one in some thousands 1.
      const unsigned apart = poisson[one.place] ? 1 : 0;
      EXPECT_LE(found[one.place] - one.value + apart, 2 * apart)
          << line.type << ' ' << line.order << ", " << one.place << ": " << found[one.place] << ", not "
          << one.value;
    }
    cudaFree(numbers);
    curandDestroyGenerator(generator);
  }
}

TEST(CurandTurns, GivesPoissonsNumbersOfQuasiRandomOnes) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/curand/poisson_quasi.txt");
  constexpr std::size_t count = 20000;
  unsigned* numbers = nullptr;
  ASSERT_EQ(cudaMalloc(&numbers, count * sizeof(unsigned)), cudaSuccess);
  int lines = 0;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("#")) continue;
    ++lines;
    std::istringstream words(text);
    int type = 0, status = 0;
    double mean = 0;
    std::string recorded_hash, bar;
    words >> type >> mean >> status >> recorded_hash >> bar;
    curandGenerator_t generator = nullptr;
    ASSERT_EQ(curandCreateGenerator(&generator, static_cast<curandRngType_t>(type)), 0);
    EXPECT_EQ(curandGeneratePoisson(generator, numbers, count, mean), status);
    curandDestroyGenerator(generator);
    std::vector<unsigned> found(count);
    cudaMemcpy(found.data(), numbers, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
    const bool wide = type >= CURAND_RNG_QUASI_SOBOL64, normal = wide ? mean >= 2000 : mean > 8000;
    if (!normal) {
      uint64_t hash = 0xcbf29ce484222325;
      for (const unsigned one : found) hash = (hash ^ one) * 0x100000001b3;
      EXPECT_EQ(hash, std::strtoull(recorded_hash.c_str(), nullptr, 16)) << type << ", mean " << mean;
    }
    for (std::size_t i = 0, one = 0; words >> one; i += 499)
      EXPECT_LE(found[i] - one + (normal ? 1 : 0), normal ? 2U : 0U)
          << type << ", mean " << mean << ", " << i;
  }
  cudaFree(numbers);
  EXPECT_EQ(lines, 112);
}

}  // namespace
}  // namespace heddle::libs_test
