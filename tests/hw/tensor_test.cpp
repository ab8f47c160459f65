// Products of warpgroups and bulk copies of tensors, by both executors, against what an H200 left
// (tests/hw/h200/tensor, recorded by record.py there, which says the same in Python).
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"
#include "exec/tensor_map.h"

namespace heddle {
namespace {

using exec::TensorMap;
using exec::interp::TestProgram;

const std::string folder = HEDDLE_SOURCE_DIR "/tests/hw/h200/tensor/";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string unpacked(const std::string& path) {
  const std::string packed = read_file(path);
  std::string text(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  return ZSTD_isError(got) != 0 ? std::string() : text;
}

// ---- cases: key=value;...
struct Case {
  std::map<std::string, std::string> values;
  const std::string& word(const std::string& key) const { return values.at(key); }
  int64_t number(const std::string& key) const {
    return static_cast<int64_t>(std::strtoull(values.at(key).c_str(), nullptr, 10));
  }
  std::vector<int64_t> list(const std::string& key) const {
    std::vector<int64_t> all;
    std::istringstream in(values.at(key));
    for (std::string one; std::getline(in, one, ',');) all.push_back(std::strtoll(one.c_str(), nullptr, 10));
    return all;
  }
};

std::vector<Case> cases_of(const std::string& path) {
  std::vector<Case> cases;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    Case one;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ';');) {
      const std::size_t at = part.find('=');
      one.values[part.substr(0, at)] = part.substr(at + 1);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

// The cases of a file, then those of its second recording: other seeds and what came of them, in the same
// order.
std::vector<Case> cases_and_again(const std::string& name) {
  std::vector<Case> cases = cases_of(folder + name + ".cases");
  std::istringstream lines(read_file(folder + name + ".again"));
  std::size_t at = 0;
  for (std::string seed, answer; lines >> seed >> answer;) {
    Case other = cases[at++];
    other.values["seed"] = seed;
    other.values["answer"] = answer;
    cases.push_back(std::move(other));
  }
  return cases;
}

std::string hash_of(std::span<const std::byte> bytes) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016lx", hash);
  return text;
}

// ---- the inputs
class Splitmix {
 public:
  explicit Splitmix(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  std::vector<std::byte> bytes(std::size_t count) {
    std::vector<std::byte> all((count + 7) / 8 * 8);
    for (std::size_t at = 0; at < all.size(); at += 8) {
      const uint64_t word = next();
      std::memcpy(all.data() + at, &word, 8);
    }
    all.resize(count);
    return all;
  }

 private:
  uint64_t state_;
};

struct Numbers {  // exponents: where they begin, their bits, the lowest and how many
  unsigned bits, shift, width, narrow_low, narrow_span, wide_low, wide_span;
};
const std::map<std::string, Numbers> numbers = {
    {"f16", {16, 10, 5, 13, 4, 5, 20}},     {"bf16", {16, 7, 8, 125, 4, 107, 40}},
    {"tf32", {32, 23, 8, 125, 4, 107, 40}}, {"f32", {32, 23, 8, 125, 6, 110, 40}},
    {"e4m3", {8, 3, 4, 5, 4, 0, 15}},       {"e5m2", {8, 2, 5, 13, 4, 5, 20}}};

void add_elements(Splitmix& random, std::size_t count, const std::string& kind, const std::string& mode,
                  std::vector<std::byte>& to) {
  std::vector<std::byte> data = random.bytes(count);
  const auto found = numbers.find(kind);
  if (found != numbers.end() && mode != "all") {
    const Numbers& n = found->second;
    const uint64_t low = mode == "narrow" ? n.narrow_low : n.wide_low,
                   span = mode == "narrow" ? n.narrow_span : n.wide_span;
    const uint64_t mask = (uint64_t{1} << n.width) - 1;
    for (std::size_t at = 0; at < count; at += n.bits / 8) {
      uint64_t x = 0;
      std::memcpy(&x, data.data() + at, n.bits / 8);
      x = (x & ~(mask << n.shift)) | (low + (x >> n.shift & mask) % span) << n.shift;
      std::memcpy(data.data() + at, &x, n.bits / 8);
    }
  }
  to.insert(to.end(), data.begin(), data.end());
}

// Shared memory with A and B, then for each thread its part of D, of A, and metadata.
std::vector<std::byte> product_input(const Case& c) {
  Splitmix random(static_cast<uint64_t>(c.number("seed")));
  std::vector<std::byte> all;
  const std::string& mode = c.word("mode");
  add_elements(random, 8192, c.word("at"), mode, all);
  add_elements(random, 32768, c.word("bt"), mode, all);
  add_elements(random, 512 * static_cast<std::size_t>(c.number("nd")), c.word("dt"), mode, all);
  add_elements(random, 128 * 16, c.word("at"), mode, all);
  static const std::vector<uint32_t> one_of_two{0x4, 0xE}, two_of_four{0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
  const std::vector<uint32_t>& some = c.word("at") == "tf32" ? one_of_two : two_of_four;
  for (int thread = 0; thread < 128; ++thread) {
    const uint64_t r = random.next();
    uint32_t word = 0;
    for (unsigned i = 0; i < 8; ++i) word |= some[(r >> 8 * i & 255) % some.size()] << 4 * i;
    const auto* bytes = reinterpret_cast<const std::byte*>(&word);
    all.insert(all.end(), bytes, bytes + 4);
  }
  return all;
}

// ---- both executors
class Tensor : public ::testing::TestWithParam<bool> {
 protected:
  // One program for all cases: compiled code is kept.
  std::unique_ptr<TestProgram> program(const std::string& text) {
    auto made = std::make_unique<TestProgram>(text);
    if (!GetParam()) return made;
    auto executor = exec::jit::make_executor({}, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    if (executor)
      made->use(std::move(*executor));
    else
      ADD_FAILURE() << executor.error();
    return made;
  }
  // All cases of a file, each by one block of 128 threads.
  void products(const std::string& name);
};

std::string shown(const Case& c) {
  std::string text;
  for (const auto& [key, value] : c.values) text += key + "=" + value + " ";
  return text;
}

constexpr std::size_t most_shown = 40;

void Tensor::products(const std::string& name) {
  const std::string text = unpacked(folder + name + ".ptx.zst");
  ASSERT_FALSE(text.empty());
  const auto made = program(text);
  auto given = made->buffer<std::byte>(1 << 17), left = made->buffer<std::byte>(1 << 17);
  std::size_t wrong = 0, run = 0;
  std::ofstream dump;
  if (const char* path = std::getenv("HEDDLE_DUMP")) dump.open(path, std::ios::binary);
  for (const Case& c : cases_and_again(name)) {
    const std::vector<std::byte> input = product_input(c);
    std::copy(input.begin(), input.end(), given.data);
    const std::size_t bytes = 512 * static_cast<std::size_t>(c.number("nd"));
    const auto outcome =
        made->run(c.word("kernel"), {.block = {128}}, given, left, static_cast<uint64_t>(c.number("da")),
                  static_cast<uint64_t>(c.number("db")), static_cast<uint32_t>(c.number("scale")));
    ++run;
    if (dump.is_open())
      dump.write(reinterpret_cast<const char*>(left.data), static_cast<std::streamsize>(bytes));
    const std::string answer = outcome.ok() ? hash_of({left.data, bytes}) : outcome.error().message();
    if (answer != c.word("answer") && ++wrong <= most_shown) ADD_FAILURE() << shown(c) << "\n" << answer;
  }
  EXPECT_EQ(wrong, 0u) << "of " << run;
}

TEST_P(Tensor, ProductsOfWarpgroups) { products("wgmma"); }
TEST_P(Tensor, ProductsOfWarps) { products("mma"); }
TEST_P(Tensor, SumsOfWarps) { products("sums"); }

exec::TensorElement element_of(int64_t number) {  // of the driver API's enumeration
  using E = exec::TensorElement;
  constexpr E all[] = {E::u8,  E::u16, E::u32,  E::s32,     E::u64,  E::s64,     E::f16,
                       E::f32, E::f64, E::bf16, E::f32_ftz, E::tf32, E::tf32_ftz};
  return all[number];
}

TensorMap map_of(const Case& c, uint64_t address) {
  TensorMap map;
  map.address = address;
  map.mode = c.number("mode") != 0 ? exec::TensorMode::im2col : exec::TensorMode::tiled;
  map.rank = static_cast<uint8_t>(c.number("rank"));
  map.element = element_of(c.number("kind"));
  map.interleave = static_cast<exec::TensorInterleave>(c.number("interleave"));
  map.swizzle = static_cast<exec::TensorSwizzle>(c.number("swizzle"));
  map.fill = static_cast<exec::TensorFill>(c.number("fill"));
  const auto dims = c.list("dims"), strides = c.list("strides"), box = c.list("box"), step = c.list("step"),
             corners = c.list("corners");
  for (std::size_t i = 0; i < dims.size(); ++i) map.sizes[i] = static_cast<uint32_t>(dims[i] - 1);
  for (std::size_t i = 0; i < strides.size(); ++i) map.strides[i] = static_cast<uint64_t>(strides[i]);
  for (std::size_t i = 0; i < box.size(); ++i) map.box[i] = static_cast<uint16_t>(box[i]);
  for (std::size_t i = 0; i < step.size(); ++i) map.steps[i] = static_cast<uint8_t>(step[i]);
  for (std::size_t i = 0; i < corners.size() / 2; ++i) {
    map.lower[i] = static_cast<int16_t>(corners[i]);
    map.upper[i] = static_cast<int16_t>(corners[corners.size() / 2 + i]);
  }
  return map;
}

TEST_P(Tensor, BulkCopies) {
  const std::string text = unpacked(folder + "copies.ptx.zst");
  ASSERT_FALSE(text.empty());
  std::size_t wrong = 0, run = 0;
  std::ofstream dump;
  if (const char* path = std::getenv("HEDDLE_DUMP")) dump.open(path, std::ios::binary);
  const auto made = program(text);
  auto given = made->buffer<std::byte>(1 << 17), left = made->buffer<std::byte>(1 << 17);
  for (const Case& c : cases_and_again("copies")) {
    const std::string& expected = c.word("answer");
    const std::string& kernel = c.word("kernel");
    if (expected == "encode" || expected == "outside" || c.number("interleave") != 0) continue;
    Splitmix random(static_cast<uint64_t>(c.number("seed")));
    std::vector<std::byte> tensor = random.bytes(32768);
    const std::vector<std::byte> tile = random.bytes(8192);
    const int64_t kind = c.number("kind");
    if (kind == 7 || kind >= 10)  // some subnormals, too
      for (std::size_t at = 3; at < tensor.size(); at += 44) {
        tensor[at] &= std::byte{0x80};
        tensor[at - 1] &= std::byte{0x7f};
      }
    std::copy(tensor.begin(), tensor.end(), given.data);
    const bool load = kernel.starts_with("load");
    std::fill_n(left.data, 8192, std::byte{0});
    if (!load) std::copy(tile.begin(), tile.end(), left.data);
    auto at = c.list("at"), offsets = c.list("offs");
    at.resize(5);
    const TensorMap map = map_of(c, reinterpret_cast<uintptr_t>(given.data));
    const auto bytes = static_cast<uint32_t>(c.number("bytes"));
    const uint32_t size = (bytes + 511) / 512 * 512 + 512;
    const auto n = [&](std::size_t i) { return static_cast<int32_t>(at[i]); };
    const auto o = [&](std::size_t i) { return static_cast<uint16_t>(offsets[i]); };
    const auto outcome = made->run(kernel, {.block = {128}}, left, map, n(0), n(1), n(2), n(3), n(4), o(0),
                                   o(1), o(2), bytes, load ? size : 8192u);
    ++run;
    std::vector<std::byte> result(load ? size : tensor.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = load ? left[i] : given[i] ^ tensor[i];
    if (dump.is_open() && expected != "fault")
      dump.write(reinterpret_cast<const char*>(result.data()), static_cast<std::streamsize>(result.size()));
    const std::string answer = outcome.ok() ? hash_of(result) : "fault";
    if (answer != expected && ++wrong <= most_shown)
      ADD_FAILURE() << shown(c) << "\n" << answer << (outcome.ok() ? "" : outcome.error().message());
  }
  EXPECT_EQ(wrong, 0u) << "of " << run;
}

INSTANTIATE_TEST_SUITE_P(, Tensor, ::testing::Values(false, true),
                         [](const auto& test) { return std::string(test.param ? "Fast" : "Reference"); });

}  // namespace
}  // namespace heddle
