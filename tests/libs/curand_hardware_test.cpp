// Sequences of cuRAND as an H200 gave them (tests/hw/h200/curand/hashes.txt): ten million numbers of each.
#include <curand.h>

#include <fstream>
#include <sstream>
#include <string>

#include "testing.h"

namespace heddle::libs_test {
namespace {

struct Line {
  bool then = false;
  int type = 0, order = 0;
  unsigned dimensions = 0;
  uint64_t offset = 0;
  std::string what, hash;
  double lambda = 0;
  std::size_t count = 0;
  int ordering = 0, skipping = 0, generation = 0;  // statuses
};

std::vector<Line> recorded() {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/curand/hashes.txt");
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    Line line;
    line.then = text.starts_with("then ");
    std::istringstream words(line.then ? text.substr(5) : text);
    std::string bar;
    int seeding = 0;
    words >> line.type >> line.order >> line.dimensions >> line.offset >> line.what >> line.lambda >>
        line.count >> bar >> line.ordering >> seeding >> line.skipping >> line.generation >> bar >> line.hash;
    lines.push_back(line);
  }
  return lines;
}

template <class Word>
std::string hash(const std::vector<char>& bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    h = (h ^ word) * 0x100000001b3;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

// Bits of normal numbers are those of the two libraries' logarithms, and so are Poisson's of large means;
// what MTGP32 does from a mean of 30 on is not known. The first order, and one dimension, stand for all.
bool exact(const Line& line) {
  if (line.what == "poisson")
    return line.order == 0 && line.dimensions <= 1 && line.offset == 0 &&
           line.lambda < (line.type == CURAND_RNG_PSEUDO_MTGP32 ? 30 : 2000);
  return line.what == "bits" || line.what == "longlong" || line.what.starts_with("uniform");
}
bool like_an_h200() {
  cudaDeviceProp properties{};
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  return properties.multiProcessorCount == 132 && properties.maxThreadsPerMultiProcessor == 2048;
}

TEST(CurandHardware, GivesTheSequencesOfAnH200) {
  std::size_t compared = 0, numbers = 0;
  curandGenerator_t generator = nullptr;
  for (const Line& line : recorded()) {
    if (!exact(line)) continue;
    // In dynamic order streams are as many as the device has threads: devices of an H200 alone. MTGP32 goes
    // on with parameters that nobody has published.
    if (line.order == CURAND_ORDERING_PSEUDO_DYNAMIC &&
        (!like_an_h200() || line.type == CURAND_RNG_PSEUDO_MTGP32))
      continue;
    if (line.order == CURAND_ORDERING_PSEUDO_DEFAULT) continue;  // as none
    // All of its orders are one, and each generator takes a second.
    if (line.type == CURAND_RNG_PSEUDO_MT19937 && line.order != 0 && line.what != "bits") continue;
    if (!line.then) {
      if (generator != nullptr) curandDestroyGenerator(generator);
      const auto create =
          line.order == CURAND_ORDERING_PSEUDO_DYNAMIC ? curandCreateGenerator : curandCreateGeneratorHost;
      ASSERT_EQ(create(&generator, static_cast<curandRngType_t>(line.type)), CURAND_STATUS_SUCCESS);
      if (line.order != 0) {
        EXPECT_EQ(curandSetGeneratorOrdering(generator, static_cast<curandOrdering_t>(line.order)),
                  line.ordering);
      }
      EXPECT_EQ(line.dimensions != 0 ? curandSetQuasiRandomGeneratorDimensions(generator, line.dimensions)
                                     : curandSetPseudoRandomGeneratorSeed(generator, 1234),
                CURAND_STATUS_SUCCESS);
      if (line.offset != 0) {
        EXPECT_EQ(curandSetGeneratorOffset(generator, line.offset), line.skipping);
      }
    }
    const bool wide = line.what == "longlong" || line.what == "uniform_double";
    std::vector<char> bytes(line.count * (wide ? 8 : 4));
    Device<char> on_device(line.order == CURAND_ORDERING_PSEUDO_DYNAMIC ? bytes.size() : 1);
    void* const to = line.order == CURAND_ORDERING_PSEUDO_DYNAMIC ? on_device.get() : bytes.data();
    const auto status =
        line.what == "bits" ? curandGenerate(generator, static_cast<unsigned*>(to), line.count)
        : line.what == "longlong"
            ? curandGenerateLongLong(generator, static_cast<unsigned long long*>(to), line.count)
        : line.what == "poisson"
            ? curandGeneratePoisson(generator, static_cast<unsigned*>(to), line.count, line.lambda)
        : line.what == "uniform"
            ? curandGenerateUniform(generator, static_cast<float*>(to), line.count)
            : curandGenerateUniformDouble(generator, static_cast<double*>(to), line.count);
    EXPECT_EQ(status, line.generation) << line.type << " " << line.what;
    if (line.generation != 0) continue;
    if (to != bytes.data()) bytes = on_device.read();
    EXPECT_EQ(wide ? hash<uint64_t>(bytes) : hash<uint32_t>(bytes), line.hash)
        << line.type << " " << line.order << " " << line.dimensions << " " << line.offset << " " << line.what
        << " " << line.count << (line.then ? " then" : "");
    ++compared;
    numbers += line.count;
  }
  curandDestroyGenerator(generator);
  RecordProperty("sequences", static_cast<int>(compared));
  std::printf("%zu sequences, %zu numbers\n", compared, numbers);
  EXPECT_GT(compared, 50U);
}

}  // namespace
}  // namespace heddle::libs_test
