// What native code and the run around it share: the arguments of a kernel's machine code. The emitter reads
// the fields by their offsets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "observe/observer.h"

namespace heddle::exec::jit {

// Who else runs blocks of the launch, for a worker all of whose blocks wait: somebody works, all wait too, or
// nobody does.
enum class Company : uint8_t { works, waits, none };

// One a thread of the pool; filled at a launch, but for what native code writes.
struct Context {
  const std::byte* parameters = nullptr;
  std::byte* shared = nullptr;  // of the block that runs: native code zeroes its static and dynamic bytes;
                                // in a cluster of several: where address 0 of the window lies
  std::byte* local = nullptr;   // of thread 0 of the block
  uint64_t local_stride = 0;    // bytes from a thread's local memory to the next one's
  const uint64_t* symbols = nullptr;   // by symbol index: address or handle
  std::byte* slots = nullptr;          // what lives across barriers, CompiledKernel::slot_bytes
  uint64_t* step_registers = nullptr;  // [slot][lane of a warp] for helper steps
  std::byte* matrix_frame = nullptr;   // registers of a warp for a matrix instruction, as its form says
  uint64_t grid_id = 0;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t environment[32] = {};  // %envreg0 and on
  uint32_t shared_bytes = 0;      // static and dynamic
  uint32_t dynamic_shared_bytes = 0;
  // What the system keeps of that block's shared memory: at the end of its part of the window for the
  // program.
  uint32_t reserved_shared_bytes = 0;
  std::byte* reserved_shared = nullptr;
  // The cluster of the block that runs, its number among those that are there at once (fiber/clusters.h), the
  // block's rank, and where its memory begins in the window. Of one block: zeros.
  uint32_t cluster[3] = {1, 1, 1};
  uint32_t cluster_blocks = 1, cluster_number = 0, cluster_rank = 0, shared_begin = 0;
  std::byte* shared_of_cluster = nullptr;  // where address 0 lies for who reaches all blocks' memory
  uint32_t together = 0;     // not 0: blocks wait for one another, all of a call run at once (fiber/)
  uint32_t takes_turns = 0;  // not 0: blocks have stacks of their own and may give way (fiber/blocks.h)
  // Written by native code, read after a fault.
  uint32_t block[3] = {0, 0, 0};  // that runs
  uint32_t first_thread = 0;      // of the group or warp that runs
  uint32_t lane = 0;              // from first_thread on: of an access whose column is 0x4000
  uint32_t active = 0;            // lanes of the warp, for columns that ask for them
  uint32_t gone = 0;              // lanes of a warp on its own (fiber/warps.h) that have exited
  uint32_t parted = 0;            // not 0: other lanes of that warp run apart from these
  // Of the lanes of a vector, for an access of several places at once; of all lanes of a group for runs.
  // Whole vectors are stored for every such access: none should be in two cache lines.
  alignas(64) uint64_t addresses[1024] = {};
  observe::Count* counts = nullptr;    // by site, of code that counts
  observe::Window* windows = nullptr;  // by site, of code that looks at them
  uint32_t* told_warps = nullptr;      // observe/choice.h: a bit for each warp, of code that tells visits
  uint32_t site = ~0u;                 // of the last request of a thread with a stack of its own (fiber/)
  void* worker = nullptr;              // the run's own
};

// Runs blocks [first, first + count) of the grid, in order of x, y, z; in clusters, in order of their
// clusters and then of their ranks (find_block).
using KernelEntry = void (*)(Context*, uint64_t first, uint64_t count);

// What native code may call, by name. Each is `extern "C"` in launch/helpers.cpp and bound by the machine.
extern "C" {
// One PTX instruction for the lanes of a warp, on Context::step_registers; does not return after a fault.
void heddle_jit_step(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
// One matrix instruction for the lanes of a warp, on Context::matrix_frame; does not return after a fault.
void heddle_jit_matrix(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
// Ends the launch with a fault. `thread`: of the block.
[[noreturn]] void heddle_jit_fault(Context*, uint32_t site, uint32_t kind, uint32_t thread, uint64_t address,
                                   uint32_t bytes, uint32_t write, uint32_t space);
// The host's place of a generic address of any window, for one thread.
std::byte* heddle_jit_resolve(Context*, uint64_t generic, uint32_t thread, uint32_t bytes, uint32_t write,
                              uint32_t site);
uint64_t heddle_jit_clock(Context*, uint32_t which);
// Tells the observer of an access of these lanes of a warp, by an address for each of 32, which it may
// change.
void heddle_jit_observe(Context*, uint32_t site, uint32_t bytes, uint32_t space, uint32_t kind, uint32_t warp,
                        uint32_t lanes, uint64_t* addresses);
// Tells the observer that these lanes of a warp came here.
void heddle_jit_observe_visit(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
// Tells the observer of what orders these lanes of a warp, by values a and b of 32 lanes.
void heddle_jit_observe_sync(Context*, uint32_t site, uint32_t kind, uint32_t warp, uint32_t lanes,
                             const uint32_t* a, const uint32_t* b);
// Tells the observer of the numbers that these lanes of a warp have at the site, in Context::addresses: 32 of
// one behind 32 of another.
void heddle_jit_observe_value(Context*, uint32_t site, uint32_t warp, uint32_t lanes);
// A slow part of the kernel that runs (vectorize/slow_part.h): does it, and says where the kernel goes on.
uint32_t heddle_jit_slow(Context*, uint32_t part, void* frame);
// C++ code that native code calls, and that takes locks or memory, stands between these two: a signal that
// ends the launch waits meanwhile. They nest. The second one does not return when the launch has to end.
void heddle_jit_begin_host(Context*);
void heddle_jit_end_host(Context*);
// Of blocks that wait for others (fiber/turns.h): one more begins on this worker, one more of those has
// ended, all of the worker's wait.
uint64_t heddle_jit_begin_another(Context*, uint64_t own);
void heddle_jit_another_ended(Context*);
Company heddle_jit_all_wait(Context*, bool waits);
}

}  // namespace heddle::exec::jit
