// The barriers of a block: who arrived, who waits. PTX ISA 9.7.13.1: threads are counted, and a lane that has
// exited or never existed counts as arrived for a warp that takes part.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::exec::jit {

class Barriers {
 public:
  static constexpr uint32_t count = 16;

  void reset(uint32_t threads);

  struct Arrival {
    uint32_t barrier = 0;
    uint32_t count = 0;  // of threads; 0: all of the block
    bool predicate = false;
    bool waits = true;
  };
  // Why it cannot be, or nullptr.
  const char* arrive(uint32_t thread, const Arrival& arrival);
  // Lanes of a warp at once, of which those that are `active` have a predicate each.
  const char* arrive(uint32_t warp, uint32_t lanes, uint32_t active, uint32_t predicates,
                     const Arrival& arrival);
  void exit(uint32_t thread);

  struct Opened {
    uint32_t popc = 0;
    bool and_ = true, or_ = false;
    std::span<const uint32_t> waited;  // threads, of lanes at once the first; until the next call
  };
  // A barrier that is complete; it is closed again. False: there is none.
  bool open(Opened& opened);

 private:
  struct Barrier {
    uint32_t expected = 0, arrived = 0;
    bool all = false;
    std::array<uint32_t, 32> lanes{};  // that arrived, by warp
    std::vector<uint32_t> waiting;
    uint32_t popc = 0;
    bool and_ = true, or_ = false;
  };
  uint32_t counted(const Barrier& barrier) const;

  uint32_t warps_ = 0;
  std::array<uint32_t, 32> absent_{};  // lanes that exited or never were, by warp
  bool all_there_ = false;             // there are none
  std::array<Barrier, count> barriers_;
  uint32_t pending_ = 0;  // those with arrivals
  std::vector<uint32_t> opened_;
};

}  // namespace heddle::exec::jit
