// Threads that go their own ways: each thread of a block has a stack of its own and runs the scalar thread
// program until it must wait for others. For kernels whose threads wait for one another anywhere: locks that
// lanes of a warp want one after another, barriers under a divergent condition. Slower than vectors, but
// every thread makes progress (from compute capability 7.0 on).
//
// This is what the code of a thread (emit.h) and the scheduler (threads.h) share. A thread never calls the
// host's functions but to switch: it writes down what it wants and goes back to the scheduler, which runs on
// the worker's own stack. So a thread's stack holds machine code's frames alone and can be small.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/jit/abi/context.h"

namespace heddle::exec::jit {

// What a thread wants of the scheduler.
enum class Want : uint32_t {
  end,    // it has exited
  turn,   // others may go on: it waits for memory to change. what: 1: that alone, in a loop that waits
  fault,  // what: FaultKind
  step,   // one PTX instruction from the reference executor, for this lane
  step_together,  // the same for all lanes of the warp at once
  barrier,        // of the block; what: BarrierKind
  shuffle,        // this and the following: with the members of the warp. what: up, down, bfly, idx
  vote,           // what: all, any, uni
  ballot,
  match_any,
  match_all,
  warp_reduce,  // what: WarpReduction
  active_mask,
  warp_barrier,
  in_step,
};

struct Request {
  Want want = Want::end;
  uint32_t what = 0;
  uint32_t site = 0;
  uint32_t members = 0;  // of the warp
  uint32_t sync = 0;     // whether `members` are named, and waited for
  uint32_t place = 0;  // else: in the order of the program, who is at an earlier one may come to a later one
  uint64_t results[2] = {};
  // fault: address, bytes, write, space. barrier: id, count (0: all), predicate. shuffle: a, b, c. Others:
  // the value or predicate. step: where its values are, and its StepSlots.
  uint64_t arguments[4] = {};
};

// Of a step: the register slots of its results, then those of its sources. Values stand in the same order.
struct StepSlots {
  uint32_t results, sources;
  const uint32_t* slots() const { return reinterpret_cast<const uint32_t*>(this + 1); }
};

struct Fiber;

// Where threads go when they want something: a place on the stack of who runs them, and who decides there.
struct FiberHome {
  void* stack = nullptr;
  Fiber* (*next)(FiberHome*,
                 Fiber*) = nullptr;  // who goes on; nullptr: nobody, back to heddle_jit_enter's caller
};

// One thread. The code reads and writes it by its offsets. What a change of threads touches comes first, in
// two lines of the cache.
struct alignas(64) Fiber {
  Request request;
  void* stack = nullptr;   // its stack pointer, while it does not run
  void* caller = nullptr;  // what resumed it, while it runs
  FiberHome* home = nullptr;
  Context* context = nullptr;
  uint32_t thread = 0;  // of the block
  uint32_t lane = 0, warp = 0;
  int32_t patience = 0;         // how much it may still do before others have a turn
  std::byte* shared = nullptr;  // in a cluster of several: where address 0 of the window lies
  std::byte* local = nullptr;
  uint64_t local_bytes = 0;
  uint32_t shared_bytes = 0;
  uint32_t reserved_bytes = 0;  // at the end of shared memory's part of the window
  std::byte* reserved = nullptr;
  uint32_t tid[3] = {};
  uint32_t block[3] = {};
  std::byte* stack_end = nullptr;  // below it there is room for one more frame
  uint32_t came = 0;               // not 0: to a loop that waits, since its last turn
  uint32_t rank = 0;               // of its block in the cluster
};

// What a thread's program becomes. Ends by wanting `end`.
using ThreadEntry = void (*)(Fiber*);

extern "C" {
// One thread of the host's and another, in turn.
void heddle_jit_resume(Fiber*);  // to the thread; comes back when it wants something
void heddle_jit_yield(Fiber*);   // back to who resumed it; comes back when it has what it wanted
// Many that change among themselves. The first one goes on, and comes back when nobody does any more.
void heddle_jit_enter(FiberHome*, Fiber*);
void heddle_jit_want(Fiber*);  // asks its home who goes on; comes back when it has what it wanted
}

// Makes it call entry(fiber) when it goes on first, on this stack, which ends below `top`.
void start(Fiber& fiber, ThreadEntry entry, std::byte* top);

}  // namespace heddle::exec::jit
