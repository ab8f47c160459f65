// The scheduler of threads that go their own ways. One a worker; its memory is kept from launch to launch. A
// fault may leave it by a long jump at any time: the next run begins anew.
//
// The order is the program's alone: threads run in order of their numbers, each until it waits or its
// patience ends. The threads of a warp go on so, again and again, while they only wait for each other; then
// it is the next warp's turn. Of several blocks that are there at once (turns.h) each has a round of its
// warps in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/barriers.h"
#include "exec/jit/fiber/clusters.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/group_memory.h"
#include "exec/jit/fiber/stacks.h"
#include "exec/jit/fiber/turns.h"

namespace heddle::exec::jit {

// What the scheduler needs of the run: normally heddle_jit_step, heddle_jit_fault, heddle_jit_matrix.
struct ThreadHooks {
  void (*step)(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
  void (*fault)(Context*, uint32_t site, uint32_t kind, uint32_t thread, uint64_t address, uint32_t bytes,
                uint32_t write, uint32_t space);  // does not return
  // Around the scheduler, which threads run inside of: heddle_jit_begin_host and heddle_jit_end_host.
  void (*begin_host)(Context*) = [](Context*) {};
  void (*end_host)(Context*) = [](Context*) {};
  OtherBlocks others{};
  void (*matrix)(Context*, uint32_t site, uint32_t warp, uint32_t lanes) = nullptr;
};

// What is known of a kernel when it is compiled; a constant in its machine code.
struct ThreadKernel {
  uint32_t block[3] = {1, 1, 1};
  uint32_t stack_bytes = 0;
  uint32_t looks = 0;  // at what others write, in some loop
};

class Threads final : Turns::Keeper {
 public:
  explicit Threads(const ThreadHooks& hooks) : hooks_(hooks), turns_(hooks.others) {}

  // Blocks [first, first + count) of the grid, one after another unless they wait for one another, or all at
  // once when the context says so.
  void run(Context& context, uint64_t first, uint64_t count, ThreadEntry entry, const ThreadKernel& kernel);

 private:
  // Lanes. Those of `alive` that are in no other one wait at a barrier of the block.
  struct Warp {
    uint32_t first = 0;  // of its fibers
    uint32_t alive = 0;
    uint32_t ready = 0;
    uint32_t gathering = 0;   // wait for the members that they name
    uint32_t loose = 0;       // wait for whoever comes to their place
    uint32_t last_first = 0;  // come from a place behind which the last one runs first (in_step.h)
    uint32_t alone = 0;       // so often in a row those at the earliest place went on without the others
  };
  // A block that is there.
  struct Group {
    uint32_t index[3] = {};
    GroupMemory own;            // of one that is not alone
    GroupMemory::Place memory;  // what it uses
    Cluster* cluster = nullptr;
    uint32_t number = 0, rank = 0;  // of the cluster, and in it
    Barriers barriers;
    Stacks stacks;
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    uint32_t living = 0;
    uint32_t turn = 0;  // the warp whose turn it is
    // Rounds of all warps in which nobody did more than look and give way; or, in loops that wait, look
    // again.
    unsigned idle = 0, quiet = 0;
  };

  bool make_room(Context& context, std::size_t place, bool alone) override;
  void begin(Context& context, std::size_t place, uint64_t block) override;
  Turn go_on(Context& context, std::size_t place) override;
  // Who goes on, now that this one wants something.
  Fiber* next(Fiber& fiber);
  Fiber* next_warp();
  bool end_of_round();
  void barrier(Fiber& fiber);
  void barrier_of_cluster(Fiber& fiber, bool arrives);
  void open_cluster();
  void open_barriers();
  void gather(Fiber& fiber);
  bool finish_gathering(const Fiber& like, bool anyone);
  void ended(Fiber& fiber);
  void step(const Fiber& first, uint32_t lanes);
  bool release_loose();
  void go_on_without_others(Warp& warp);
  [[noreturn]] void fault(const Fiber& fiber, FaultKind kind);
  [[noreturn]] void report(const Fiber& fiber, uint32_t kind, const uint64_t (&arguments)[4]);
  [[noreturn]] void stuck();
  Warp& warp_of(const Fiber& f) { return group_->warps[f.warp]; }
  Fiber& fiber_of(const Warp& warp, uint32_t lane) { return group_->fibers[warp.first + lane]; }
  Fiber* resumed(Fiber& fiber);
  Fiber* resumed(const Warp& warp);

  struct Home : FiberHome {
    Threads* threads = nullptr;
  };
  Home home_;
  const ThreadHooks hooks_;
  Turns turns_;
  std::vector<std::unique_ptr<Group>> groups_;
  Group* group_ = nullptr;  // whose turn it is
  ThreadEntry entry_ = nullptr;
  const ThreadKernel* kernel_ = nullptr;
  GroupMemory::Place workers_;  // the worker's own memory, for one block
  uint32_t blocks_of_cluster_ = 1;
  bool gave_way_ = false;  // a thread of the warp whose turn it is did
  // In this round of the block's warps:
  bool ran_ = false;       // somebody could run
  bool progress_ = false;  // somebody did more than look and give way
  bool moved_ = false;     // somebody did more than to wait in a loop that waits
  bool moved_in_turn_ = false;
  Turn turn_ = Turn::ended;  // what it came to
};

// The run's own.
ThreadHooks worker_hooks();
// Of this worker, with those.
Threads& worker_threads();

extern "C" void heddle_jit_run_threads(Context*, uint64_t first, uint64_t count, ThreadEntry entry,
                                       const ThreadKernel* kernel);

}  // namespace heddle::exec::jit
