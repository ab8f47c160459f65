// The blocks of one worker that are there at once, whose turn it is, and when further ones begin.
//
// A worker runs a block to its end before it begins the next one. But a block may wait for one that has not
// begun: for all of the grid (a barrier of the program's own making), for one behind it, for work that others
// have taken away. On a device that ends, where all blocks of a grid that fits are there from the start. So
// a worker whose blocks only wait begins further ones, as many again each time, up to what the device holds
// at once; then they take turns, a round of their warps each: side by side as on a device, which is what
// programs that race are right by.
//
// That a block only waits is known where loops wait and nothing else (analysis/needs.h). Others look at
// memory and do something each time, as one that tries for locks to find work: when none of the worker's
// blocks has ended for some time, further ones begin too, the fewer the longer it has lasted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/jit/abi/context.h"

namespace heddle::exec::jit {

inline constexpr uint64_t no_block = ~uint64_t{0};

// What a block's turn came to.
enum class Turn : uint8_t {
  ended,   // so did the block
  waits,   // all that it did, if anything, is done: it waits for others
  looked,  // it waits and does nothing else since before this turn
  spent,   // its time is over
};

// What turns need of the run. Without it nobody begins further blocks. Of a launch in clusters they begin
// together, and what stands here of a block is said of a cluster, by its first block.
struct OtherBlocks {
  // One more than one block on this worker: `own`, which is this worker's to run, or with no_block whichever
  // nobody has begun. Gives its number; no_block: there is none, or no room for it.
  uint64_t (*begin)(Context*, uint64_t own) = [](Context*, uint64_t) { return no_block; };
  void (*ended)(Context*) = [](Context*) {};  // one more of them has
  // All of the worker's blocks wait, or one of them no longer does.
  Company (*wait)(Context*, bool waits) = [](Context*, bool) { return Company::none; };
};

class Turns {
 public:
  // Who keeps blocks, by numbers of their own from 0 on.
  class Keeper {
   public:
    // Memory for one more block. `alone`: no other one is there, so the worker's own is free. False: the host
    // has none.
    virtual bool make_room(Context& context, std::size_t place, bool alone) = 0;
    virtual void begin(Context& context, std::size_t place, uint64_t block) = 0;
    virtual Turn go_on(Context& context, std::size_t place) = 0;

   protected:
    ~Keeper() = default;
  };
  explicit Turns(const OtherBlocks& others) : others_(others) {}

  // Blocks [first, first + count) to their ends, and others that they waited for. All at once from the start
  // when the context says so. False: the host has no memory for one block. `looks`: they look at what others
  // write, and may wait so.
  bool run(Context& context, uint64_t first, uint64_t count, bool looks, Keeper& keeper);

  // Several blocks are there.
  bool several() const { return there_.size() > 1; }
  // For a block, between its rounds: its turn is over.
  bool is_spent() {
    constexpr uint32_t rounds_to_look = 8;
    return several() || (++rounds_ % rounds_to_look == 0 && passed());
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool passed();
  std::size_t free_place();
  bool is_taken(std::size_t first) const;
  bool make_room(Context& context, std::size_t first, bool alone, Keeper& keeper);
  bool begin_own(Context& context, Keeper& keeper);
  void begin(Context& context, std::size_t first, uint64_t block, Keeper& keeper);
  bool begin_another(Context& context, Keeper& keeper);
  bool begin_as_many(Context& context, Keeper& keeper);
  void all_wait(Context& context, Keeper& keeper);
  void nobody_ends(Context& context, Keeper& keeper);
  void not_waiting(Context& context);
  void block_ended(Context& context);
  void rest();

  const OtherBlocks others_;
  std::vector<std::size_t> there_;  // places of the blocks, in the order of their turns
  std::vector<bool> taken_;         // by place
  std::size_t in_cluster_ = 1;      // blocks of a cluster: they have places side by side
  std::size_t clusters_ = 0;        // that are there
  std::size_t lowest_free_ = 0;     // no place below is
  std::size_t at_ = 0;              // of `there_`: whose turn it is
  std::size_t waiting_ = 0;         // so many turns in a row their blocks did nothing but wait
  uint64_t next_ = 0, end_ = 0;     // of the worker's own blocks those that have not begun
  bool together_ = false;           // all began at the start: nobody counts them
  bool told_ = false;               // that all wait
  uint32_t rounds_ = 0, rests_ = 0;
  Clock::time_point turn_began_{}, waits_since_{}, last_change_{};
  Clock::duration patience_{};
};

}  // namespace heddle::exec::jit
