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
  int ordering = 0, generation = 0;  // statuses
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
    int ignored = 0;
    words >> line.type >> line.order >> line.dimensions >> line.offset >> line.what >> line.lambda >>
        line.count >> bar >> line.ordering >> ignored >> ignored >> line.generation >> bar >> line.hash;
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

// Bits of normal numbers are those of the two libraries' logarithms, Poisson's numbers another method's.
bool exact(const Line& line) {
  return line.what == "bits" || line.what == "longlong" || line.what.starts_with("uniform");
}
// Generators and orderings that are there.
bool known(const Line& line) {
  const bool there = line.type == CURAND_RNG_PSEUDO_XORWOW || line.type == CURAND_RNG_PSEUDO_MRG32K3A ||
                     line.type == CURAND_RNG_PSEUDO_PHILOX4_32_10 || line.type == CURAND_RNG_QUASI_SOBOL32 ||
                     line.type == CURAND_RNG_QUASI_SOBOL64;
  return there && line.order != CURAND_ORDERING_PSEUDO_SEEDED && line.order != CURAND_ORDERING_PSEUDO_DYNAMIC;
}

TEST(CurandHardware, GivesTheSequencesOfAnH200) {
  std::size_t compared = 0, numbers = 0;
  curandGenerator_t generator = nullptr;
  for (const Line& line : recorded()) {
    if (!known(line) || !exact(line)) continue;
    if (line.order == CURAND_ORDERING_PSEUDO_DEFAULT) continue;  // as none
    if (!line.then) {
      if (generator != nullptr) curandDestroyGenerator(generator);
      ASSERT_EQ(curandCreateGeneratorHost(&generator, static_cast<curandRngType_t>(line.type)),
                CURAND_STATUS_SUCCESS);
      if (line.order != 0) {
        EXPECT_EQ(curandSetGeneratorOrdering(generator, static_cast<curandOrdering_t>(line.order)),
                  line.ordering);
      }
      EXPECT_EQ(line.dimensions != 0 ? curandSetQuasiRandomGeneratorDimensions(generator, line.dimensions)
                                     : curandSetPseudoRandomGeneratorSeed(generator, 1234),
                CURAND_STATUS_SUCCESS);
      EXPECT_EQ(curandSetGeneratorOffset(generator, line.offset), CURAND_STATUS_SUCCESS);
    }
    const bool wide = line.what == "longlong" || line.what == "uniform_double";
    std::vector<char> bytes(line.count * (wide ? 8 : 4));
    void* const to = bytes.data();
    const auto status =
        line.what == "bits" ? curandGenerate(generator, static_cast<unsigned*>(to), line.count)
        : line.what == "longlong"
            ? curandGenerateLongLong(generator, static_cast<unsigned long long*>(to), line.count)
        : line.what == "uniform"
            ? curandGenerateUniform(generator, static_cast<float*>(to), line.count)
            : curandGenerateUniformDouble(generator, static_cast<double*>(to), line.count);
    EXPECT_EQ(status, line.generation) << line.type << " " << line.what;
    if (line.generation != 0) continue;
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
