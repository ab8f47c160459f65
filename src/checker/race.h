// A race that was found: two instructions, and what would have to stand between them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/place_facts.h"
#include "exec/launch.h"
#include "observe/observer.h"

namespace heddle::checker {

// What is missing. In the order in which one that explains more replaces one that explains less.
enum class Missing : uint8_t {
  warp_barrier,     // lanes of a warp: __syncwarp
  block_barrier,    // threads of a block: __syncthreads
  cluster_barrier,  // threads of different blocks of a cluster: cluster.sync()
  grid_order,       // threads of different blocks: nothing orders them
  launch_order,     // kernels of streams that do not wait for each other
  family_order,     // a kernel and one that launched it: behind the launch, and before its end was waited for
  acquire_fence,    // behind the access that read the flag
  lock_acquire,     // a fence of that scope behind taking the lock
  lock_release,     // a fence of that scope before giving the lock back
  atomic_scope,     // atomic operations of a scope that does not have both threads
  copy_wait,        // an asynchronous copy that nobody has waited for
  atomicity,        // one side is atomic or volatile, the other is not
};

enum class Severity : uint8_t { warning, error };

struct RaceSide {
  PlaceId place = 0;
  uint32_t call = 0;  // a copy or a fill that this call asked for (RaceDetector::call); 0: a thread
  bool writes = false, reads = false;
  std::array<uint32_t, 3> block{};
  uint32_t thread = 0;  // of the block, linear
  exec::Dim3 shape{};   // of the block
  uint64_t launch = 0;  // grid id
};

struct Race {
  RaceSide first, second;  // as they came
  Missing missing{};
  Severity severity{};
  observe::Space space{};
  uint64_t address = 0;   // the first one
  uint64_t hazards = 0;   // bytes and times
  bool same_warp = true;  // of all hazards
};

}  // namespace heddle::checker
