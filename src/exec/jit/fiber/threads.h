// The scheduler of threads that go their own ways. One a worker; its memory is kept from launch to launch. A
// fault may leave it by a long jump at any time: the next run begins anew.
//
// The order is the program's alone: threads run in order of their numbers, each until it waits or its
// patience ends. The threads of a warp go on so, again and again, while they only wait for each other; then
// it is the next warp's turn.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/barriers.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/group_memory.h"
#include "exec/jit/fiber/stacks.h"

namespace heddle::exec::jit {

// What the scheduler needs of the run: normally heddle_jit_step and heddle_jit_fault.
struct ThreadHooks {
  void (*step)(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
  void (*fault)(Context*, uint32_t site, uint32_t kind, uint32_t thread, uint64_t address, uint32_t bytes,
                uint32_t write, uint32_t space);  // does not return
  // Around the scheduler, which threads run inside of: heddle_jit_begin_host and heddle_jit_end_host.
  void (*begin_host)(Context*) = [](Context*) {};
  void (*end_host)(Context*) = [](Context*) {};
};

// What is known of a kernel when it is compiled; a constant in its machine code.
struct ThreadKernel {
  uint32_t block[3] = {1, 1, 1};
  uint32_t stack_bytes = 0;
};

class Threads {
 public:
  explicit Threads(const ThreadHooks& hooks) : hooks_(hooks) {}

  // Blocks [first, first + count) of the grid, one after another, or all at once when the context says so.
  void run(Context& context, uint64_t first, uint64_t count, ThreadEntry entry, const ThreadKernel& kernel);

  // Whether the address is where a thread's stack ended: for the worker's signal handler.
  bool is_stack_end(uintptr_t address) const { return stacks_.is_guard(address); }

 private:
  // A block that is there.
  struct Group {
    uint32_t first = 0;  // of its fibers
    uint32_t index[3] = {};
    GroupMemory::Place memory;
    Barriers barriers;
  };
  // Lanes. Those of `alive` that are in no other one wait at a barrier of the block.
  struct Warp {
    uint32_t first = 0;  // of its fibers
    uint32_t group = 0;
    uint32_t alive = 0;
    uint32_t ready = 0;
    uint32_t gathering = 0;   // wait for the members that they name
    uint32_t loose = 0;       // wait for whoever comes to their place
    uint32_t last_first = 0;  // come from a place behind which the last one runs first (in_step.h)
    uint32_t alone = 0;       // so often in a row those at the earliest place went on without the others
  };

  void make_room(const Context& context, uint64_t groups, uint32_t threads);
  void begin(Context& context, Group& group, uint64_t block, const ThreadKernel& kernel, ThreadEntry entry);
  // Who goes on, now that this one wants something.
  Fiber* next(Fiber& fiber);
  Fiber* next_warp();
  void end_of_round();
  void barrier(Fiber& fiber);
  void open_barriers(Group& group);
  void gather(Fiber& fiber);
  bool finish_gathering(const Fiber& like, bool anyone);
  void ended(Fiber& fiber);
  void step(const Fiber& first, uint32_t lanes);
  bool release_loose();
  void go_on_without_others(Warp& warp);
  [[noreturn]] void fault(const Fiber& fiber, FaultKind kind);
  [[noreturn]] void report(const Fiber& fiber, uint32_t kind, const uint64_t (&arguments)[4]);
  [[noreturn]] void stuck();
  Group& group_of(const Fiber& f) { return groups_[f.group]; }
  Warp& warp_of(const Fiber& f) { return warps_[f.group * warps_each_ + f.warp]; }
  Fiber& fiber_of(const Warp& warp, uint32_t lane) { return fibers_[warp.first + lane]; }
  Fiber* resumed(Fiber& fiber);
  Fiber* resumed(const Warp& warp);

  struct Home : FiberHome {
    Threads* threads = nullptr;
  };
  Home home_;
  const ThreadHooks hooks_;
  Stacks stacks_;
  std::vector<Group> groups_;
  std::vector<Fiber> fibers_;  // group after group
  std::vector<Warp> warps_;    // likewise
  uint32_t warps_each_ = 0;    // of a group
  GroupMemory memory_;         // when several are there at once
  uint32_t living_ = 0;
  uint32_t turn_ = 0;               // the warp whose turn it is
  const Group* current_ = nullptr;  // its group
  bool gave_way_ = false;           // one of its threads did, in this turn
  // In this round of all warps, and how many rounds it has not been so:
  bool ran_ = false;       // somebody could run
  bool progress_ = false;  // somebody did more than look and give way
  unsigned idle_ = 0;
};

// Of this worker, with the run's own hooks.
Threads& worker_threads();

extern "C" void heddle_jit_run_threads(Context*, uint64_t first, uint64_t count, ThreadEntry entry,
                                       const ThreadKernel* kernel);

}  // namespace heddle::exec::jit
