// How often blocks load the same sectors of global memory: of some blocks of a launch, spread over the grid,
// each sector that a request loads and each that the block had not loaded before. What a block loads twice it
// could have kept in shared memory (CUDA C Best Practices Guide 4.0, 3.2.2.2).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "observe/observer.h"

namespace heddle::profiler {

// Which blocks are looked at: by their number alone, so that executors agree.
struct BlockSample {
  static constexpr uint64_t most = 32;  // blocks
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint64_t number(const std::array<uint32_t, 3>& block) const {
    return block[0] + uint64_t{grid[0]} * (block[1] + uint64_t{grid[1]} * block[2]);
  }
  bool has(uint64_t number) const {
    const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
    return number % ((blocks + most - 1) / most) == 0;
  }
};

struct ReuseCounts {
  uint64_t loaded = 0, distinct = 0;  // sectors
  ReuseCounts& operator+=(const ReuseCounts& other) {
    loaded += other.loaded, distinct += other.distinct;
    return *this;
  }
};

// What one thread was told.
class Reuse {
 public:
  explicit Reuse(const BlockSample& sample) : sample_(sample) {}
  // Of global memory, by a load.
  void load(const observe::Access& access);
  ReuseCounts counts() const;

 private:
  // A block that loads more is left out: memory is bounded, and where it stops depends on no order.
  static constexpr std::size_t most_sectors = 1 << 16;
  struct OfBlock {
    std::unordered_set<uint64_t> sectors;
    uint64_t loaded = 0;
    bool left_out = false;
  };
  OfBlock* block_of(const std::array<uint32_t, 3>& block);  // nullptr: not looked at
  const BlockSample sample_;
  // The block of the last access: most are of the same.
  std::array<uint32_t, 3> last_{~0U, ~0U, ~0U};
  OfBlock* of_last_ = nullptr;
  std::unordered_map<uint64_t, OfBlock> blocks_;
};

}  // namespace heddle::profiler
