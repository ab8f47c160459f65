// Where blocks and warps are, against what an H200 recorded (tests/hw/h200/placement): the rules of
// analysis/residency.h say the same of all that does not depend on time.
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "analysis/residency.h"
#include "arch/allocation.h"
#include "arch/device.h"

namespace heddle {
namespace {

struct Block {
  uint64_t number = 0;
  uint32_t multiprocessor = 0;
  int64_t begin = 0, end = 0;   // nanoseconds
  std::vector<uint32_t> warps;  // %warpid, of the first blocks
};
struct Case {
  std::string title;
  uint32_t threads = 0, dynamic_shared = 0;
  bool uneven = false;  // some blocks take longer than others: they do not end in order
  std::vector<Block> blocks;
};

// Of the clock: what begins in the one in which another ends came after it.
constexpr int64_t tick = 32;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/placement/" + name, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  std::string text(16 << 20, '\0');
  const size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  EXPECT_FALSE(ZSTD_isError(size)) << name;
  text.resize(ZSTD_isError(size) ? 0 : size);
  return text;
}

// "case 0 ... block 32,1,1 dynamic 0 spin 20000 uneven 0 ...", and a line for each block: number,
// multiprocessor, begin, end, places of its warps.
std::vector<Case> cases_of(const std::string& name) {
  std::vector<Case> cases;
  std::istringstream lines(text_of(name));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    if (line.starts_with("case")) {
      Case& one = cases.emplace_back();
      one.title = line;
      for (std::string word; words >> word;) {
        if (word == "block") {
          char comma = 0;
          uint32_t x = 0, y = 0, z = 0;
          words >> x >> comma >> y >> comma >> z;
          one.threads = x * y * z;
        } else if (word == "dynamic") {
          words >> one.dynamic_shared;
        } else if (word == "uneven") {
          uint32_t every = 0;
          words >> every;
          one.uneven = every != 0;
        }
      }
      continue;
    }
    Block& block = cases.back().blocks.emplace_back();
    words >> block.number >> block.multiprocessor >> block.begin >> block.end;
    block.warps.assign(std::istream_iterator<uint32_t>(words), {});
  }
  return cases;
}

struct Recording : testing::TestWithParam<const char*> {
  const arch::Device& device = **arch::find_device("h200");
  const std::vector<Case> cases = cases_of(GetParam());
  // The recorded kernel has few registers and no shared memory of its own.
  uint32_t resident(const Case& one) const {
    return analysis::resident_blocks(device.arch, module::Function{}, 16, one.threads, one.dynamic_shared);
  }
  static std::map<uint32_t, std::vector<const Block*>> by_multiprocessor(const Case& one) {
    std::map<uint32_t, std::vector<const Block*>> all;
    for (const Block& block : one.blocks) all[block.multiprocessor].push_back(&block);
    return all;
  }
};

TEST_P(Recording, AMultiprocessorHoldsSoManyBlocks) {
  for (const Case& one : cases) {
    std::size_t most = 0;
    for (const auto& [multiprocessor, blocks] : by_multiprocessor(one)) {
      std::vector<std::pair<int64_t, int>> changes;
      for (const Block* block : blocks) {
        changes.emplace_back(block->begin + tick, 1);
        changes.emplace_back(block->end, -1);
      }
      std::ranges::sort(changes);
      std::size_t there = 0;
      for (const auto& [when, change] : changes) {
        there += static_cast<std::size_t>(change);
        most = std::max(most, there);
      }
    }
    const std::size_t all = device.board.multiprocessors * std::size_t{resident(one)};
    if (one.blocks.size() >= all) EXPECT_GE(most, resident(one)) << one.title;
    // The end is that of a block's first warp. Others may have ended before, and with places that were left
    // over the next block then has room.
    const uint32_t warps = arch::warps_per_block(device.arch, one.threads), held = warps * resident(one);
    const uint32_t over = device.arch.multiprocessor.max_warps - held;
    EXPECT_LE(most, resident(one) + (over != 0 && over < warps ? 1 : 0)) << one.title;
  }
}

// All multiprocessors get their first blocks before new ones wait, and those as many as fit.
TEST_P(Recording, BlocksComeToAllMultiprocessors) {
  for (const Case& one : cases) {
    const auto all = by_multiprocessor(one);
    EXPECT_EQ(all.size(), device.board.multiprocessors) << one.title;
    const std::size_t at_once = std::size_t{resident(one)} * device.board.multiprocessors;
    if (one.blocks.size() > at_once) continue;
    for (const auto& [multiprocessor, blocks] : all)
      EXPECT_LE(blocks.size(), (one.blocks.size() + all.size() - 1) / all.size())
          << one.title << ' ' << multiprocessor;
  }
}

// A later block begins where one has just ended, and not before.
TEST_P(Recording, LaterBlocksComeWhereOneEnded) {
  for (const Case& one : cases) {
    const auto all = by_multiprocessor(one);
    const std::size_t at_once = std::size_t{resident(one)} * device.board.multiprocessors;
    for (std::size_t i = at_once; i < one.blocks.size(); ++i) {
      const Block& block = one.blocks[i];
      EXPECT_TRUE(std::ranges::any_of(all.at(block.multiprocessor),
                                      [&](const Block* before) { return before->end <= block.begin; }))
          << one.title << " block " << block.number;
    }
  }
}

// The places of warps, to the number. Where the schedulers stood when the kernel began is what was left of
// the one before.
TEST_P(Recording, WarpsHaveTheirPlaces) {
  for (const Case& one : cases) {
    analysis::WarpPlaces places;
    places.resident = resident(one);
    places.schedulers = device.arch.multiprocessor.schedulers;
    places.warps = arch::warps_per_block(device.arch, one.threads);
    std::size_t same = 0, other = 0;
    // What does not fill all schedulers alike leaves places of the wrong ones: those that come later go
    // elsewhere.
    const bool alike = places.warps % places.schedulers == 0;
    for (const auto& [multiprocessor, blocks] : by_multiprocessor(one)) {
      uint32_t stood = 0;
      for (std::size_t n = 0; n < blocks.size() && !blocks[n]->warps.empty(); ++n) {
        if (!alike && n >= places.resident) break;
        const std::vector<uint32_t>& recorded = blocks[n]->warps;
        if (n == 0) stood = recorded[0] % places.schedulers;
        bool good = recorded.size() == places.warps;
        for (uint32_t warp = 0; good && warp < places.warps; ++warp) {
          const uint32_t place = places.warp(n, warp);
          const uint32_t turned =
              place / places.schedulers * places.schedulers + (place + stood) % places.schedulers;
          good = recorded[warp] == turned;
        }
        (good ? same : other) += 1;
      }
    }
    ASSERT_NE(same + other, 0u);
    // Of uneven blocks the later ones take places in the order in which those are left.
    if (one.uneven)
      EXPECT_GE(same * 10, (same + other) * 9) << one.title;
    else
      EXPECT_EQ(other, 0u) << one.title << ": " << same << " as recorded";
  }
}

INSTANTIATE_TEST_SUITE_P(Placement, Recording, testing::Values("place.txt.zst", "place2.txt.zst"));

}  // namespace
}  // namespace heddle
