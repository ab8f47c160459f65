// How far the threads of a grid may be apart: for kernels that ask where they run. A block has the place of
// one that was there before it (analysis/residency.h), and two that are there at once must not have the same
// one: programs keep memory for each place. So a block does not begin before that one has ended.
//
// Should that one wait for this one, which on a device would come to the place of another, both would wait
// for ever: who sees for some time that nothing ends goes on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace heddle::exec::jit {

class StartedBlocks {
 public:
  // `at_once`: blocks that are there at once; `threads`: that may take part, each by its number.
  StartedBlocks(uint64_t at_once, unsigned threads) : at_once_(at_once), first_(threads) {
    for (std::atomic<uint64_t>& first : first_) first.store(none, std::memory_order_relaxed);
  }
  uint64_t most_of_a_thread() const { return std::max<uint64_t>(at_once_ / first_.size(), 1); }

  // Before a thread takes blocks: they will be none before `lowest`. Then it took [first, first + count).
  void will_take(unsigned thread, uint64_t lowest) { first_[thread].store(lowest); }
  // Waits until all that had their places have ended; false when `stop` became true meanwhile.
  template <class Stop>
  bool took(unsigned thread, uint64_t first, uint64_t count, const Stop& stop) {
    first_[thread].store(first);
    uint64_t seen = oldest();
    auto since = std::chrono::steady_clock::now();
    for (;;) {
      const uint64_t now_oldest = oldest();
      if (first + count <= now_oldest + at_once_) return true;
      if (stop()) return false;
      const auto now = std::chrono::steady_clock::now();
      if (now_oldest != seen) {
        seen = now_oldest;
        since = now;
      } else if (now - since > patience) {
        return true;
      }
      std::this_thread::sleep_for(pause);
    }
  }
  // Whether this block may begin now, beside what its thread has taken.
  bool may_begin(uint64_t block) const { return block < oldest() + at_once_; }
  void ended(unsigned thread) { first_[thread].store(none); }

 private:
  static constexpr uint64_t none = ~uint64_t{0};
  static constexpr auto patience = std::chrono::seconds(2);
  static constexpr auto pause = std::chrono::microseconds(20);
  uint64_t oldest() const {
    uint64_t found = none - at_once_;
    for (const std::atomic<uint64_t>& first : first_) found = std::min(found, first.load());
    return found;
  }
  const uint64_t at_once_;
  std::vector<std::atomic<uint64_t>> first_;
};

}  // namespace heddle::exec::jit
