// Every function against what an H200 answered: tests/hw/h200/approx/record.bin, hashes over all inputs.
// A sample always; everything with HEDDLE_APPROX_EXHAUSTIVE=FILE, which writes FILE
// (spec/approx/agreement.toml).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "approx/approx.h"

namespace heddle::approx {
namespace {

constexpr const char* device = "NVIDIA H200, driver 580.159.04";

uint32_t mix32(uint32_t h) {
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

// The record's hash of the inputs from `first` on.
using Hash = std::function<uint32_t(uint64_t first, uint64_t count)>;
template <class F>
Hash hash_of(F function) {
  return [function](uint64_t first, uint64_t count) {
    uint32_t sum = 0;
    for (uint64_t i = first; i < first + count; ++i) {
      auto input = static_cast<uint32_t>(i);
      sum += mix32(function(input) ^ input * 0x9e3779b1u);
    }
    return sum;
  };
}

struct Case {
  std::string section;      // of the record
  std::string instruction;  // PTX's name
  Hash hash;
};

template <class F>
void add_f64(std::vector<Case>& out, const std::string& section, const std::string& instruction, F function) {
  auto of_high_word = [&](const char* suffix, auto low) {
    out.push_back({section + suffix, instruction, hash_of([=](uint32_t high) {
                     uint64_t r = function(static_cast<uint64_t>(high) << 32 | low(high));
                     return static_cast<uint32_t>(r >> 32) ^ static_cast<uint32_t>(r) * 0x85ebca6bu;
                   })});
  };
  of_high_word("_zero", [](uint32_t) { return 0u; });
  of_high_word("_rand", mix32);
  of_high_word("_ones", [](uint32_t) { return 0xffffffffu; });
}

// Operands of a division by the index of a pair, as the dumper made them.
constexpr uint32_t edges[64] = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x000003ff, 0x001fffff, 0x00200000, 0x003fffff,
    0x00400000, 0x00400001, 0x00555555, 0x007fffff, 0x00800000, 0x00800001, 0x00bfffff, 0x00ffffff,
    0x01000000, 0x01000001, 0x017fffff, 0x01800000, 0x02000000, 0x02ffffff, 0x06000000, 0x0c000000,
    0x1f800000, 0x20000000, 0x20000001, 0x3e800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000,
    0x3f800001, 0x3fc00000, 0x3fffffff, 0x40000000, 0x40490fdb, 0x40400000, 0x4b000000, 0x4b800000,
    0x5f000000, 0x60000000, 0x72000000, 0x7d800000, 0x7dffffff, 0x7e000000, 0x7e000001, 0x7e400000,
    0x7e7fffff, 0x7e800000, 0x7e800001, 0x7ec00000, 0x7effffff, 0x7f000000, 0x7f000001, 0x7f3fffff,
    0x7f400000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff};

struct Pair {
  uint32_t x, y;
};
uint64_t mix64(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
Pair operands(int mode, uint32_t i) {
  uint64_t h = mix64(i ^ static_cast<uint64_t>(mode) << 56);
  auto x = static_cast<uint32_t>(h), y = static_cast<uint32_t>(h >> 32);
  auto with_exponent = [](uint32_t a, uint32_t field) { return (a & 0x807fffffu) | field << 23; };
  switch (mode) {
    case 1: return {with_exponent(x, 112 + (x >> 26 & 31)), with_exponent(y, 112 + (y >> 26 & 31))};
    case 2: return {x, with_exponent(y, 120 + (y >> 26 & 15))};
    case 3: return {with_exponent(x, ((y >> 23 & 255) + (x >> 26 & 7) + 253) & 255), y};
    case 4: return {edges[i & 63] | (i >> 6 & 1) << 31, edges[i >> 7 & 63] | (i >> 13 & 1) << 31};
    case 5: return {x, with_exponent(y, 252 + (y >> 26 & 3))};
    case 6: return {with_exponent(x, x >> 26 & 3), with_exponent(y, y >> 26 & 3)};
    default: return {x, y};
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> out;
  auto add = [&](const char* section, const char* instruction, auto function) {
    out.push_back({section, instruction, hash_of(function)});
  };
  add("rcp", "rcp.approx.f32", [](uint32_t a) { return rcp_f32(a, false); });
  add("rcp_ftz", "rcp.approx.ftz.f32", [](uint32_t a) { return rcp_f32(a, true); });
  add("rsqrt", "rsqrt.approx.f32", [](uint32_t a) { return rsqrt_f32(a, false); });
  add("rsqrt_ftz", "rsqrt.approx.ftz.f32", [](uint32_t a) { return rsqrt_f32(a, true); });
  add("sqrt", "sqrt.approx.f32", [](uint32_t a) { return sqrt_f32(a, false); });
  add("sqrt_ftz", "sqrt.approx.ftz.f32", [](uint32_t a) { return sqrt_f32(a, true); });
  add("sin", "sin.approx.f32", [](uint32_t a) { return sin_f32(a, false); });
  add("sin_ftz", "sin.approx.ftz.f32", [](uint32_t a) { return sin_f32(a, true); });
  add("cos", "cos.approx.f32", [](uint32_t a) { return cos_f32(a, false); });
  add("cos_ftz", "cos.approx.ftz.f32", [](uint32_t a) { return cos_f32(a, true); });
  add("lg2", "lg2.approx.f32", [](uint32_t a) { return lg2_f32(a, false); });
  add("lg2_ftz", "lg2.approx.ftz.f32", [](uint32_t a) { return lg2_f32(a, true); });
  add("ex2", "ex2.approx.f32", [](uint32_t a) { return ex2_f32(a, false); });
  add("ex2_ftz", "ex2.approx.ftz.f32", [](uint32_t a) { return ex2_f32(a, true); });
  add("tanh", "tanh.approx.f32", [](uint32_t a) { return tanh_f32(a); });
  auto add_16 = [&](const char* section, const char* instruction, auto function) {
    add(section, instruction, [=](uint32_t a) { return uint32_t{function(static_cast<uint16_t>(a))}; });
  };
  add_16("ex2_f16", "ex2.approx.f16", ex2_f16);
  add_16("ex2_bf16", "ex2.approx.ftz.bf16", ex2_ftz_bf16);
  add_16("tanh_f16", "tanh.approx.f16", tanh_f16);
  add_16("tanh_bf16", "tanh.approx.bf16", tanh_bf16);
  add_f64(out, "rcp64", "rcp.approx.ftz.f64", rcp_ftz_f64);
  add_f64(out, "rsqrt64", "rsqrt.approx.f64", [](uint64_t a) { return rsqrt_f64(a, false); });
  add_f64(out, "rsqrt64_ftz", "rsqrt.approx.ftz.f64", [](uint64_t a) { return rsqrt_f64(a, true); });
  auto add_division = [&](const char* section, const char* instruction, auto function, bool ftz) {
    for (int mode = 0; mode < 7; ++mode)
      add((std::string(section) + "/" + std::to_string(mode)).c_str(), instruction, [=](uint32_t i) {
        Pair pair = operands(mode, i);
        return function(pair.x, pair.y, ftz);
      });
  };
  add_division("div_approx", "div.approx.f32", div_approx_f32, false);
  add_division("div_approx_ftz", "div.approx.ftz.f32", div_approx_f32, true);
  add_division("div_full", "div.full.f32", div_full_f32, false);
  add_division("div_full_ftz", "div.full.ftz.f32", div_full_f32, true);
  return out;
}

struct Section {
  uint32_t log2_inputs = 0;  // behind one word
  std::vector<uint32_t> words;
};

std::map<std::string, Section> read_record() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/tests/hw/h200/approx/record.bin", std::ios::binary);
  std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), {});
  size_t at = 0;
  auto word = [&] {
    uint32_t w = 0;
    for (int k = 0; k < 4; ++k) w |= static_cast<uint32_t>(bytes.at(at++)) << 8 * k;
    return w;
  };
  std::map<std::string, Section> sections;
  while (at < bytes.size()) {
    char name[25] = {};
    for (int k = 0; k < 24; ++k) name[k] = static_cast<char>(bytes.at(at++));
    Section& section = sections[name];
    section.log2_inputs = word();
    section.words.resize(word());
    for (uint32_t& w : section.words) w = word();
  }
  return sections;
}

class AgainstDevice : public testing::Test {
 protected:
  static const std::map<std::string, Section>& record() {
    static const auto sections = read_record();
    return sections;
  }
};

TEST_F(AgainstDevice, every_function_has_its_record) {
  EXPECT_FALSE(record().empty());
  for (const Case& c : all_cases()) {
    bool missing_on_device =
        c.section == "rsqrt64_ones";  // its low word matters, and zeros and mixed bits are there
    EXPECT_EQ(record().count(c.section), missing_on_device ? 0u : 1u) << c.section;
  }
}

// Inputs that reach every segment of a function's table, as a run of the record's words.
TEST_F(AgainstDevice, every_segment_of_every_table) {
  struct Reach {
    uint64_t first, last;
  };
  const std::map<std::string, Reach> reach = {
      {"rcp_ftz", {0x3f8, 0x3ff}},                                                               // [1, 2)
      {"lg2_ftz", {0x3f8, 0x3ff}},  {"ex2_ftz", {0x3f8, 0x3ff}}, {"rsqrt_ftz", {0x3f8, 0x407}},  // [1, 4)
      {"sqrt_ftz", {0x3f8, 0x407}}, {"sin", {0x400, 0x407}},  // [2, 4): most of three quarters of a turn
      {"tanh", {0x3b8, 0x40f}},                               // [2^-8, 8)
  };
  for (const Case& c : all_cases()) {
    auto found = reach.find(c.section);
    if (found == reach.end()) continue;
    const Section& section = record().at(c.section);
    for (uint64_t i = found->second.first; i <= found->second.last; ++i) {
      EXPECT_EQ(c.hash(i << section.log2_inputs, uint64_t{1} << section.log2_inputs), section.words.at(i))
          << c.instruction << ": inputs from 0x" << std::hex << (i << section.log2_inputs);
    }
  }
}

TEST_F(AgainstDevice, a_sample_of_all_32_bit_inputs) {
  for (const Case& c : all_cases()) {
    auto found = record().find(c.section + "/sample");
    if (found == record().end()) continue;
    const Section& section = found->second;
    for (uint64_t i = 0; i < section.words.size(); i += 8) {
      uint64_t first = 257 * i << section.log2_inputs;
      EXPECT_EQ(c.hash(first, uint64_t{1} << section.log2_inputs), section.words[i])
          << c.instruction << ": inputs from 0x" << std::hex << first;
    }
  }
}

TEST_F(AgainstDevice, every_16_bit_input_and_every_pair_of_edges_and_some_pairs) {
  for (const Case& c : all_cases()) {
    auto found = record().find(c.section);
    if (found == record().end() || (found->second.log2_inputs == 20 && !c.section.starts_with("div")))
      continue;
    const Section& section = found->second;
    size_t step = section.log2_inputs == 20 ? 256 : 1;
    for (uint64_t i = 0; i < section.words.size(); i += step) {
      EXPECT_EQ(c.hash(i << section.log2_inputs, uint64_t{1} << section.log2_inputs), section.words[i])
          << c.section << ": indices from 0x" << std::hex << (i << section.log2_inputs);
    }
  }
}

struct Agreement {
  uint64_t inputs = 0, groups = 0, differ = 0;
};

uint64_t count_differing(const Case& c, const Section& section) {
  std::atomic<uint64_t> next = 0, differ = 0;
  auto work = [&] {
    for (uint64_t i = next++; i < section.words.size(); i = next++)
      differ += c.hash(i << section.log2_inputs, uint64_t{1} << section.log2_inputs) != section.words[i];
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return differ;
}

TEST_F(AgainstDevice, all_inputs) {
  const char* path = std::getenv("HEDDLE_APPROX_EXHAUSTIVE");
  if (path == nullptr)
    GTEST_SKIP() << "takes about 20 minutes; set HEDDLE_APPROX_EXHAUSTIVE to the file to write";
  std::map<std::string, Agreement> results;
  auto start = std::chrono::steady_clock::now();
  for (const Case& c : all_cases()) {
    auto found = record().find(c.section);
    if (found == record().end()) continue;
    Agreement& result = results[c.instruction];
    uint64_t differ = count_differing(c, found->second);
    EXPECT_EQ(differ, 0u) << c.section;
    result.inputs += found->second.words.size() << found->second.log2_inputs;
    result.groups += found->second.words.size();
    result.differ += differ;
  }
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
  std::ofstream out(path);
  out << "# Written by a run of approx_test with HEDDLE_APPROX_EXHAUSTIVE=<this file>; not by hand.\n"
      << "device  = \"" << device << "\"\nseconds = " << seconds.count() << "\n";
  for (const auto& [name, result] : results)
    out << "\n[[agreement]]\ninstruction   = \"" << name << "\"\ninputs        = " << result.inputs
        << "\ngroups        = " << result.groups << "\ngroups_differ = " << result.differ << "\n";
  EXPECT_TRUE(out.good()) << path;
}

}  // namespace
}  // namespace heddle::approx
