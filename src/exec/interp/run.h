// What the warps of one launch share: the launch itself, what was looked up once at its start, its counters
// and its first fault. It is one host thread's, so nothing here is atomic; several launches may run at once,
// and several threads one launch (team.h), each with its own Run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/residency.h"
#include "exec/fault.h"
#include "exec/grid_workspace.h"
#include "exec/interp/watch.h"
#include "exec/launch.h"
#include "exec/memory_map.h"
#include "exec/unstarted_clusters.h"
#include "module/image.h"
#include "observe/schedule.h"
#include "support/draw.h"

namespace heddle::exec::interp {

struct HostFunction;  // host_function.h

struct Run {
  // `sink`: of the observer, when there is one.
  explicit Run(const Launch& launch, observe::Sink* sink = nullptr, bool for_another_executor = false);

  const Launch& launch;
  const module::Image& image;
  const module::Function& entry;
  const WindowMap& windows;
  const bool independent;  // lanes of a warp make progress independently (from compute capability 7.0)
  const bool
      flushes_f32;  // f32 has no subnormals: on the device, or on the target the program is written for
  const bool truncates_mad;  // mad.f32 drops digits of the product before it adds

  // Single instructions for another executor (lanes.h): it keeps the warps' control flow and the memory, so
  // warps have no activations of their own, blocks no shared memory, and lanes wait for nobody.
  bool borrowed = false;

  std::vector<uint32_t> shared_offset;             // by symbol; module::none when the entry does not use it
  std::vector<const HostFunction*> host_function;  // by function; nullptr for the guest's own
  uint32_t shared_bytes = 0;                       // of one block, dynamic memory included

  // Shared memory that the system keeps for itself on some devices; cooperative groups use it. It lies at the
  // end of the block's part of the shared window, away from the program's own.
  uint32_t reserved_bytes = 0;
  uint32_t reserved_begin() const { return static_cast<uint32_t>(reserved_shared_end) - reserved_bytes; }
  std::optional<GridWorkspace> workspace;  // of a cooperative launch

  UnstartedClusters* unstarted = nullptr;   // while its blocks run; nullptr: all have begun
  const std::atomic<bool>* stop = nullptr;  // of a team: another thread has a fault

  analysis::WarpPlaces places;  // where its blocks are: %smid, %warpid

  Watch watch;

  // Somebody else's order (observe/schedule.h): which block is next, and how long a warp goes on.
  std::optional<observe::Schedule> schedule;
  std::optional<Draw> draw;  // of an interleaved one
  bool interleaved() const { return draw.has_value(); }

  bool memory_changed = false;  // by a store, or by an atomic operation that left another value (grid.cpp)

  uint64_t warp_instructions = 0, thread_instructions = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::optional<Fault> fault;
  Fault later_fault;  // what happened after the first one: nobody reads it

  // `cancelled` or `timeout` when the launch must end for the host's sake.
  std::optional<FaultKind> interruption() const;
};

}  // namespace heddle::exec::interp
