// What a thread knows to have happened before: of each block, up to which moment of the block's clock
// accesses of its threads come before whatever the thread does next. A vector clock with the entries of all
// threads of a block, of a warp, or of one thread as one number where that says the same.
//
// A block's clock counts what orders its threads (barriers, fences): an access has the moment at which it was
// made, and one at a moment below what is known comes before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::checker {

using Moment = uint32_t;

struct BlockKnown {
  Moment all = 0;                                    // of every thread
  std::vector<Moment> warps;                         // of each thread of a warp; empty: nothing more
  std::vector<std::pair<uint16_t, Moment>> threads;  // of single ones, ascending

  Moment of(uint32_t thread) const {
    Moment known = all;
    const uint32_t warp = thread / 32;
    if (warp < warps.size() && warps[warp] > known) known = warps[warp];
    if (!threads.empty()) known = std::max(known, single(thread));
    return known;
  }
  void know_thread(uint16_t thread, Moment until);
  void join(const BlockKnown& other);

 private:
  Moment single(uint32_t thread) const;
};

struct Knowledge {
  std::unordered_map<uint64_t, BlockKnown> blocks;  // by block of the grid

  Moment of(uint64_t block, uint32_t thread) const {
    const auto found = blocks.find(block);
    return found == blocks.end() ? 0 : found->second.of(thread);
  }
  void join(const Knowledge& other);
};

// Shared until somebody adds to it.
class SharedKnowledge {
 public:
  explicit operator bool() const { return what_ != nullptr; }
  const Knowledge* get() const { return what_.get(); }
  Moment of(uint64_t block, uint32_t thread) const { return what_ != nullptr ? what_->of(block, thread) : 0; }
  void join(const SharedKnowledge& other);
  Knowledge& own();  // to change
  void clear() { what_ = nullptr; }

 private:
  std::shared_ptr<Knowledge> what_;
  std::shared_ptr<const Knowledge> last_;  // joined already, and not changed since
};

}  // namespace heddle::checker
