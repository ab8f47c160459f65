// Who runs which blocks of a grid.
//
// One thread begins, and takes blocks in ascending order. When others shall come, either all go on so: then a
// block may wait for blocks before it. Or what is left is shared: the grid falls into one part a thread, in
// the same places at each launch, so that what a launch leaves in a processor's cache is what that one
// works with in the next launch. Each takes its part's blocks in ascending order; who has none left takes a
// part that nobody has begun, and then from the ends of the others' parts, where most is left.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace heddle::exec::jit {

class Handout {
 public:
  explicit Handout(uint64_t blocks) : blocks_(blocks) {}

  struct Blocks {
    uint64_t first = 0, count = 0;  // no block: everything is handed out
  };
  // A thread that takes blocks, and the part that it would like to have, or has.
  struct Place {
    unsigned part;
    bool mine = false;
  };

  uint64_t blocks() const { return blocks_; }
  // Those that somebody has begun, or is about to.
  uint64_t begun() const { return std::min(blocks_, begun_.load(std::memory_order_relaxed)); }
  uint64_t left() const { return blocks_ - begun(); }

  static constexpr uint64_t most_shared = UINT32_MAX;
  // By the only thread that has taken any so far. Parts begin at multiples of `together`: so many neighbours
  // are best run at once.
  void share(unsigned parts, unsigned together = 1);
  bool shared() const { return parts_ != nullptr; }

  // `how_many`: wanted of so many that are left together, of which `threads` take.
  template <class HowMany>
  Blocks take(Place& place, unsigned threads, const HowMany& how_many) {
    return shared() ? take_of_parts(place, threads, how_many) : take_next(threads, how_many);
  }
  // One block that no thread has taken; by one that has some.
  Blocks take_any() {
    const auto one = [](uint64_t, unsigned) -> uint64_t { return 1; };
    return shared() ? take_of_others(1, one) : take_next(1, one);
  }

 private:
  // Where a part begins and where it ends, both change: [first, end), 32 bits each. A block is handed out
  // once, so no value ever comes again.
  struct alignas(64) Part {
    std::atomic<uint64_t> rest{0};
    std::atomic<bool> begun{false};
  };
  static uint64_t packed(uint64_t first, uint64_t end) { return first | end << 32; }
  static Blocks unpacked(uint64_t rest) { return {rest & UINT32_MAX, (rest >> 32) - (rest & UINT32_MAX)}; }

  template <class HowMany>
  Blocks take_next(unsigned threads, const HowMany& how_many) {
    const uint64_t before = begun_.load(std::memory_order_relaxed);
    if (before >= blocks_) return {};
    const uint64_t wanted = how_many(blocks_ - before, threads);
    const uint64_t first = begun_.fetch_add(wanted, std::memory_order_relaxed);
    if (first >= blocks_) return {};
    return {first, std::min(wanted, blocks_ - first)};
  }

  template <class HowMany>
  Blocks take_of_parts(Place& place, unsigned threads, const HowMany& how_many) {
    while (Part* part = own_part(place)) {
      const Blocks taken = take_of(*part, true, 1, how_many);
      if (taken.count != 0) return taken;
    }
    return take_of_others(threads, how_many);
  }

  template <class HowMany>
  Blocks take_of_others(unsigned threads, const HowMany& how_many) {
    while (Part* part = fullest()) {
      const Blocks taken = take_of(*part, false, threads, how_many);
      if (taken.count != 0) return taken;
    }
    return {};
  }

  // Of its beginning, when it is the thread's own; of its end.
  template <class HowMany>
  Blocks take_of(Part& part, bool own, unsigned threads, const HowMany& how_many) {
    uint64_t rest = part.rest.load(std::memory_order_relaxed);
    for (Blocks left = unpacked(rest); left.count != 0; left = unpacked(rest)) {
      const uint64_t count = std::min<uint64_t>(left.count, how_many(left.count, threads));
      const uint64_t end = left.first + left.count;
      const uint64_t then = own ? packed(left.first + count, end) : packed(left.first, end - count);
      if (!part.rest.compare_exchange_weak(rest, then, std::memory_order_relaxed)) continue;
      begun_.fetch_add(count, std::memory_order_relaxed);
      return {own ? left.first : end - count, count};
    }
    return {};
  }
  Part* own_part(Place& place);
  Part* fullest();

  const uint64_t blocks_;
  alignas(64) std::atomic<uint64_t> begun_{0};
  unsigned count_ = 0;  // of the parts
  std::unique_ptr<Part[]> parts_;
};

}  // namespace heddle::exec::jit
