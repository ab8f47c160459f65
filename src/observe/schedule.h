// For who wants a launch to be run in another order than the executors' own: one that CUDA allows as well.
// The same schedule gives the same order, so what comes of it can be seen again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "observe/observer.h"

namespace heddle::observe {

struct Schedule {
  enum class Kind : uint8_t {
    blocks_reversed,  // one block behind the other, the last one first
    blocks_shuffled,  // one block behind the other, in any order
    interleaved,      // the warps of several blocks in turn, a few instructions each
  };
  Kind kind = Kind::blocks_reversed;
  uint64_t seed = 0;
  // Blocks begin in ascending order, and as many are there at once as the device holds: some wait for others.
  bool keeps_blocks = false;

  // The first four of any seed's are of all kinds.
  static Schedule of_seed(uint64_t seed) {
    constexpr Kind kinds[] = {Kind::blocks_reversed, Kind::interleaved, Kind::blocks_shuffled,
                              Kind::interleaved};
    return {kinds[seed % 4], seed, false};
  }
};

// In which order blocks (or clusters) begin: each number below `count` once.
class BlockOrder {
 public:
  BlockOrder(const Schedule& schedule, uint64_t count);
  uint64_t operator[](uint64_t i) const {
    return shuffled_.empty() ? (reversed_ ? count_ - 1 - i : (i + first_) % count_) : shuffled_[i];
  }

 private:
  const uint64_t count_;
  bool reversed_ = false;
  uint64_t first_ = 0;
  std::vector<uint32_t> shuffled_;  // empty: reversed, or turned so that another one is the first
};

// Is run in this order, by one thread.
class ScheduleObserver : public Observer {
 public:
  virtual const Schedule* schedule() const = 0;  // nullptr: the executors' own
  Needs needs() const override { return in_order; }
};

// A base of the sink of several observers: what the first of them asks for that asks for anything.
class ScheduledSink {
 public:
  virtual const Schedule* schedule() const = 0;

 protected:
  ~ScheduledSink() = default;
};

// What somebody's observer asks for, also where it stands for several; nullptr: nothing.
const Schedule* schedule_of(Observer* observer);

}  // namespace heddle::observe
