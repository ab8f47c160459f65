// Blocks of vector code that wait for one another: those of a cooperative grid. Each has a stack of its own
// and runs until it must wait for others (heddle_jit_give_way); then the next one goes on. What a block finds
// at places that the code knows by heart (shared memory) is changed with it, the rest lies elsewhere for
// each.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/group_memory.h"
#include "exec/jit/fiber/stacks.h"
#include "exec/jit/fiber/threads.h"

namespace heddle::exec::jit {

struct BlockKernel {
  KernelEntry entry = nullptr;
  uint64_t slot_bytes = 0, local_bytes = 0;  // of one block
};

// One a worker. A fault may leave it by a long jump at any time: the next run begins anew.
class Blocks {
 public:
  explicit Blocks(const ThreadHooks& hooks) : hooks_(hooks) {}
  void run(Context& context, uint64_t first, uint64_t count, const BlockKernel& kernel);
  // For the block that runs: comes back when the others have had their turn.
  void give_way();

 private:
  struct Block : Fiber {
    KernelEntry entry = nullptr;
    uint64_t number = 0;  // in the grid
    bool begun = false, ended = false;
    uint32_t first_thread = 0, active = 0;  // of the context, while it does not run
    GroupMemory::Place memory;              // its shared memory likewise
  };
  static void run_block(Fiber* fiber);
  void go_on(Context& context, Block& block);

  const ThreadHooks hooks_;
  Stacks stacks_;
  std::vector<Block> blocks_;
  GroupMemory memory_;
  Block* running_ = nullptr;
};

// Called by native code: other blocks of the grid run first, where the launch lets them wait for one another.
extern "C" void heddle_jit_give_way(Context*);

// Of this worker, with the run's own hooks.
Blocks& worker_blocks();

}  // namespace heddle::exec::jit
