// One launch while it runs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "exec/fault.h"
#include "exec/grid_workspace.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/launch/handout.h"
#include "exec/jit/launch/started_blocks.h"
#include "exec/launch.h"
#include "exec/reference_lanes.h"
#include "exec/unstarted_clusters.h"
#include "observe/schedule.h"

namespace heddle::exec::jit {

enum class Stop : uint8_t { none, fault, timeout, cancelled };

struct Job final : UnstartedClusters {
  // `n`: where better code of the kernel appears, which lives as long as the launch.
  Job(const Launch& l, const CompiledKernel& k, const std::atomic<const CompiledKernel*>* n = nullptr)
      : launch(l),
        kernel(k),
        newest(n),
        deadline(l.deadline),
        together(l.shape.cooperative),
        in_cluster(l.shape.cluster.count()),
        handout(l.shape.grid.count() / in_cluster) {
    if (l.shape.cooperative && l.memory != nullptr && l.environment.empty()) workspace.emplace(*l.memory);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const Launch& launch;
  const CompiledKernel& kernel;  // what it begins with; blocks that nobody has begun take the newest
  const std::atomic<const CompiledKernel*>* const newest;
  std::optional<std::chrono::steady_clock::time_point>
      deadline;  // later than the launch's by what compiling took
  // One worker runs all blocks at once: they may wait for one another. Whoever launches so means to.
  const bool together;
  // Blocks of a cluster begin together: they are handed out as one.
  const uint64_t in_cluster;
  // Blocks may take others away, but none that a thread has taken: threads take one at a time.
  bool one_by_one = false;
  const std::byte* parameters = nullptr;
  const uint64_t* symbols = nullptr;
  std::optional<GridWorkspace> workspace;  // of a cooperative launch
  ReferenceLanesFactory* lanes = nullptr;

  // Of a kernel that asks where it runs: what its code must know (place_register.h), and how far blocks may
  // be apart.
  uint32_t place = 0;
  std::optional<StartedBlocks> started;

  // Of a kernel whose blocks may wait for others: what the device holds at once, asked for when they do; the
  // workers in the midst of blocks; those all of whose blocks wait; and blocks beside the first of each
  // worker.
  std::function<uint64_t()> find_most_at_once;
  std::atomic<uint64_t> most_at_once{0};  // 0: nobody has asked
  std::atomic<uint64_t> at_work{0}, waiting{0}, others{0};

  Handout handout;
  // Somebody else's order: single blocks, by one thread. Blocks that run together have their own.
  std::optional<observe::BlockOrder> order;
  std::optional<Dim3> cancel() override {
    const Handout::Blocks taken = handout.take_any();
    if (taken.count == 0) return std::nullopt;
    const uint64_t cluster = order ? (*order)[taken.first] : taken.first;
    const Dim3 &grid = launch.shape.grid, &size = launch.shape.cluster;
    const uint64_t row = grid.x / size.x, column = grid.y / size.y;
    return Dim3{static_cast<uint32_t>(cluster % row * size.x),
                static_cast<uint32_t>(cluster / row % column * size.y),
                static_cast<uint32_t>(cluster / row / column * size.z)};
  }
  // Ticks (host_state.h) that a block takes; 0: not known. Given from earlier launches, corrected by this
  // one.
  std::atomic<float> block_ticks{0};
  std::atomic<uint64_t> total_ticks{0};  // of all threads
  // Called once, when the total passes this: better code would be worth its time.
  uint64_t patience = ~uint64_t{0};
  std::function<void()> impatient;

  // Not Stop::none: every thread ends as soon as it can. Landing looks at it as a number.
  std::atomic<uint8_t> stop{0};
  std::atomic<uint64_t> clock_start{0};  // nanoseconds of the steady clock; 0: no block has asked yet

  // The first fault counts; of those that come at about the same time, that of the lowest block.
  void fail(uint64_t block, Fault fault_of_block) {
    const std::lock_guard lock(fault_mutex);
    if (fault && fault_block <= block) return;
    fault = std::move(fault_of_block);
    fault_block = block;
    request(Stop::fault);
  }
  void request(Stop why) {
    uint8_t none = 0;
    stop.compare_exchange_strong(none, static_cast<uint8_t>(why));
  }
  std::mutex fault_mutex;
  std::optional<Fault> fault;
  uint64_t fault_block = 0;

  // By whoever sees first that others shall come: only who launched shares the grid out before.
  std::atomic<bool> summoned{false};

  // The pool's, under its lock.
  bool seen = false;  // by who looks after launches
  Job *before = nullptr, *behind = nullptr;
  pid_t caller = 0;
  bool caller_interrupted = false;
  unsigned wanted = 0;               // helpers
  std::atomic<unsigned> helpers{0};  // written under the lock
  bool starved = false;              // a helper had no memory for it: no more come
};

}  // namespace heddle::exec::jit
