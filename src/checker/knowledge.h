// What a thread knows to have happened before: of each block, up to which moment of the block's clock
// accesses of its threads come before whatever the thread does next. A vector clock with the entries of all
// threads of a block, of a warp, or of one thread as one number where that says the same.
//
// A block's clock counts what orders its threads (barriers, fences): an access has the moment at which it was
// made, and one at a moment below what is known comes before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::checker {

using Moment = uint32_t;

class BlockKnown {
 public:
  Moment of(uint32_t thread) const {
    const WarpKnown* warp = find(thread / 32);
    return warp == nullptr ? all_ : std::max(all_, warp->lanes[thread % 32]);
  }
  void know_thread(uint32_t thread, Moment until);
  void know_warp(uint32_t warp, Moment until);
  void know_all(Moment until);
  void join(const BlockKnown& other);
  // What joining it would change: nothing here, nothing there (both: they say the same).
  struct Order {
    bool covers, covered;
  };
  Order compare(const BlockKnown& other) const;

 private:
  using Lanes = std::array<Moment, 32>;
  struct WarpKnown {
    uint32_t number = 0;
    uint32_t known = 0;  // lanes that are not 0
    Lanes lanes{};
  };
  const WarpKnown* find(uint32_t warp) const {
    const auto found = std::ranges::lower_bound(warps_, warp, {}, &WarpKnown::number);
    return found == warps_.end() || found->number != warp ? nullptr : &*found;
  }
  WarpKnown& add(uint32_t warp);
  Moment all_ = 0;                // of every thread
  std::vector<WarpKnown> warps_;  // of which more is known, ascending
};

// A launch of which all is known, as if it were a block: grids have fewer.
constexpr uint64_t whole_launch(uint32_t launch) { return uint64_t{1} << 63 | launch; }

// Of the blocks of a grid. A barrier of the whole grid makes each block know each other one, so what is known
// of a block is kept once for all who know the same.
class Knowledge {
 public:
  Moment of(uint64_t block, uint32_t thread) const {
    const auto found = std::ranges::lower_bound(blocks_, block, {}, &Entry::block);
    return found == blocks_.end() || found->block != block ? 0 : found->known->of(thread);
  }
  BlockKnown& change(uint64_t block);
  void join(const Knowledge& other);

 private:
  struct Entry {
    uint64_t block;
    std::shared_ptr<BlockKnown> known;
  };
  static void join(Entry& own, const Entry& other);
  std::vector<Entry> blocks_;  // ascending
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
