// One function, one set of bits: one lane at a time, in vectors of every width that this host has, through
// evaluate().
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "math/level.h"
#include "math/math.h"

namespace heddle::math {
namespace {

constexpr std::size_t count = 1 << 12;

// Bit patterns of all kinds: at random, near 1, whole numbers, halves, edges.
uint64_t some_number(std::mt19937_64& random, bool single) {
  const auto as_bits = [&](double value) -> uint64_t {
    if (single) return std::bit_cast<uint32_t>(static_cast<float>(value));
    return std::bit_cast<uint64_t>(value);
  };
  const uint64_t any = random();
  static constexpr double edges[] = {0,     1,      0.5,  2,     3.5, 88.8, 709.9,
                                     1e-40, 1e-310, 1e30, 1e300, 0.1, 10,   100};
  switch (any >> 60) {
    case 0: return as_bits((any & 1 ? -1 : 1) * edges[(any >> 1) % std::size(edges)]);
    case 1:
      return as_bits(any & 1 ? std::numeric_limits<double>::infinity()
                             : -std::numeric_limits<double>::infinity());
    case 2:
      return single ? 0x7fc0'0000u | (random() & 0x803f'ffffu) : 0x7ff8'0000'0000'0000u | (random() >> 20);
    case 3: return as_bits(static_cast<double>(static_cast<int64_t>(random() % 801)) / 2 - 200);
    case 4:
    case 5:
    case 6: return as_bits((static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 4);
    case 7:
    case 8: return as_bits((static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 400);
    default: return single ? random() & 0xffff'ffffu : random();
  }
}

// Arguments of a function, `count` of each.
struct Sources {
  explicit Sources(Id id) {
    const Function& f = function(id);
    const std::size_t bytes = f.bits() / 8;
    std::mt19937_64 random(static_cast<unsigned>(id) + 1);
    values.assign(f.source_count(), std::vector<std::byte>(count * bytes));
    for (unsigned s = 0; s < f.source_count(); ++s) {
      for (std::size_t i = 0; i < count; ++i) {
        uint64_t bits = some_number(random, f.single);
        if (f.sources[s] == Value::integer) {
          auto n = static_cast<int64_t>(static_cast<int32_t>(random()) >> (random() % 32));
          // As many steps as the order has.
          if (f.name.starts_with("__nv_jn") || f.name.starts_with("__nv_yn")) n %= 300;
          bits = static_cast<uint64_t>(n);
        }
        std::memcpy(values[s].data() + i * bytes, &bits, bytes);
      }
      in.push_back(values[s].data());
    }
  }
  std::vector<std::vector<std::byte>> values;
  std::vector<const void*> in;
};

class Levels : public testing::TestWithParam<Id> {};

TEST_P(Levels, give_the_same_bits) {
  const Function& f = function(GetParam());
  const std::size_t bytes = f.bits() / 8;
  const Sources given(GetParam());
  const auto& sources = given.values;
  const auto& in = given.in;
  std::vector<std::vector<std::byte>> expected;
  for (unsigned width : {0u, 128u, 256u, 512u}) {
    std::vector<std::vector<std::byte>> results(f.result_count(), std::vector<std::byte>(count * bytes));
    std::vector<void*> out;
    for (auto& r : results) out.push_back(r.data());
    if (!run(GetParam(), width, in.data(), out.data(), count)) continue;
    if (width == 0) {
      expected = results;
      continue;
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        if (std::memcmp(results[r].data() + i * bytes, expected[r].data() + i * bytes, bytes) == 0) continue;
        uint64_t got = 0, wanted = 0;
        std::memcpy(&got, results[r].data() + i * bytes, bytes);
        std::memcpy(&wanted, expected[r].data() + i * bytes, bytes);
        std::string arguments;
        for (const auto& source : sources) {
          uint64_t bits = 0;
          std::memcpy(&bits, source.data() + i * bytes, bytes);
          arguments += " " + testing::PrintToString(reinterpret_cast<void*>(bits));
        }
        ADD_FAILURE() << f.name << " of" << arguments << ": result " << r << " is " << std::hex << got
                      << " in vectors of " << std::dec << width << " bits, " << std::hex << wanted
                      << " in one lane";
        return;
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    uint64_t arguments[4] = {}, results[2] = {};
    for (unsigned s = 0; s < f.source_count(); ++s)
      std::memcpy(&arguments[s], sources[s].data() + i * bytes, bytes);
    evaluate(GetParam(), arguments, results);
    for (unsigned r = 0; r < f.result_count(); ++r)
      ASSERT_EQ(std::memcmp(&results[r], expected[r].data() + i * bytes, bytes), 0)
          << f.name << " result " << r;
  }
}

// On any host: what those without fused multiplication would do.
TEST_P(Levels, without_fused_multiplication_give_the_same_bits) {
  const Function& f = function(GetParam());
  const auto index = static_cast<std::size_t>(GetParam());
  const std::size_t bytes = f.bits() / 8;
  const Sources sources(GetParam());
  const Codes codes = plain::codes();
  std::vector<std::byte> results[2][2];
  for (unsigned width = 0; width < 2; ++width) {
    for (auto& r : results[width]) r.resize(count * bytes);
    void* out[] = {results[width][0].data(), results[width][1].data()};
    codes.widths[width].on_arrays[index](sources.in.data(), out, count);
  }
  for (unsigned r = 0; r < f.result_count(); ++r)
    EXPECT_EQ(results[0][r], results[1][r]) << f.name << " result " << r;
}

std::vector<Id> all() {
  std::vector<Id> ids;
  for (std::size_t i = 0; i < function_count; ++i) ids.push_back(static_cast<Id>(i));
  return ids;
}
INSTANTIATE_TEST_SUITE_P(All, Levels, testing::ValuesIn(all()),
                         [](const auto& info) { return std::string(function(info.param).name.substr(5)); });

}  // namespace
}  // namespace heddle::math
