// How often blocks load the same sectors of global memory: of some blocks of a launch, spread over the grid,
// each sector that a request loads and each that the block had not loaded before. What a block loads twice it
// could have kept in shared memory (CUDA C Best Practices Guide 4.0, 3.2.2.2).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "module/image.h"
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

// Beside the tally, for who asks for it: it must be told of each access, which costs as much as they are
// many.
class Reuse final : public observe::Observer {
 public:
  Reuse(const module::Image& image, const BlockSample& sample);
  ~Reuse() override;
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::accesses | observe::spares_shared | observe::spares_private);
  }
  observe::Sink& sink() override;
  ReuseCounts counts() const;  // when the launch has ended

 private:
  class Part;
  const module::Image& image_;
  const BlockSample sample_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace heddle::profiler
