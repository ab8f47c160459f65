// Blocks of vector code that wait for one another: those of a cooperative grid, and those whose
// loops wait for other blocks alone (Needs::blocks_wait). Each has a stack of its own and runs until it must
// wait for others (heddle_jit_give_way); then it is the next one's turn (turns.h). What a block finds at
// places that the code knows by heart (shared memory) is changed with it, the rest lies elsewhere for each.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/group_memory.h"
#include "exec/jit/fiber/stacks.h"
#include "exec/jit/fiber/threads.h"
#include "exec/jit/fiber/turns.h"

namespace heddle::exec::jit {

struct BlockKernel {
  KernelEntry entry = nullptr;
  uint64_t slot_bytes = 0, local_bytes = 0;  // of one block
};

// One a worker; its memory is kept from launch to launch. A fault may leave it by a long jump at any time:
// the next run begins anew.
class Blocks final : Turns::Keeper {
 public:
  explicit Blocks(const ThreadHooks& hooks) : hooks_(hooks), turns_(hooks.others) {}
  // Blocks [first, first + count) of the grid, one after another unless they wait for one another, or all at
  // once when the context says so.
  void run(Context& context, uint64_t first, uint64_t count, const BlockKernel& kernel);
  // For the block that runs: comes back when the others have had their turn. `waits`: in a loop that does
  // nothing else; without, it has a turn for some time.
  void give_way(bool waits);

 private:
  struct Block : Fiber {
    KernelEntry entry = nullptr;
    uint64_t number = 0;  // in the grid
    GroupMemory own;      // of one that is not alone
    GroupMemory::Place kept;
    Stacks stack;
    bool living = false;
    uint32_t first_thread = 0, active = 0;  // of the context, while it does not run
    uint32_t quiet = 0;                     // so many looks in a row of one that is alone
  };

  bool make_room(Context& context, std::size_t place, bool alone) override;
  void begin(Context& context, std::size_t place, uint64_t block) override;
  Turn go_on(Context& context, std::size_t place) override;
  bool keep_apart(const Context& context, Block& block) const;
  void enter(Context& context, Block& block);
  static void run_block(Fiber* fiber);

  const ThreadHooks hooks_;
  Turns turns_;
  std::vector<std::unique_ptr<Block>> blocks_;
  BlockKernel kernel_;
  GroupMemory::Place workers_;  // the context's own memory
  Block* in_place_ = nullptr;   // whose memory is in the place that the code knows
  Block* running_ = nullptr;
};

// Called by native code: other blocks of the grid run first, where the launch lets them wait for one another.
extern "C" void heddle_jit_give_way(Context*, uint32_t waits);

// Of this worker, with the run's own hooks.
Blocks& worker_blocks();

}  // namespace heddle::exec::jit
