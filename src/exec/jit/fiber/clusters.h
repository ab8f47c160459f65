// The clusters of one worker that are there at once: the memory of their blocks, and the barrier that each
// has. A launch without clusters has clusters of one block, which use the worker's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/cluster_memory.h"

namespace heddle::exec::jit {

// barrier.cluster (PTX ISA 9.7.13.4): every thread of the cluster arrives and then waits, in turn; exited
// threads count as arrived.
class ClusterBarrier {
 public:
  void reset(uint32_t blocks, uint32_t threads_of_block);
  // Lanes of a warp of the block with this rank. Why it cannot be, or nullptr.
  const char* arrive(uint32_t rank, uint32_t warp, uint32_t lanes);
  // `waits`: some of them must, until open() names `thread` of the block.
  const char* wait(uint32_t rank, uint32_t warp, uint32_t lanes, uint32_t thread, bool& waits);
  void exit(uint32_t rank, uint32_t warp, uint32_t lanes);

  struct Waiter {
    uint32_t rank, thread;
  };
  // Those who go on, now that the barrier is complete, if it is.
  const std::vector<Waiter>& open();

 private:
  struct Warp {
    uint32_t alive = 0;     // have not exited
    uint32_t arrived = 0;   // in the phase that is not complete
    uint32_t may_pass = 0;  // arrived in the one before, and have not waited yet
  };
  struct Wait {
    Waiter who;
    uint32_t warp, lanes;
  };
  Warp& warp_of(uint32_t rank, uint32_t warp) { return warps_[rank * warps_of_block_ + warp]; }

  std::vector<Warp> warps_;
  uint32_t warps_of_block_ = 0;
  uint64_t missing_ = 0;  // threads that have not exited and not arrived
  bool anyone_ = false;   // has arrived
  std::vector<Wait> waits_;
  std::vector<Waiter> opened_;
};

struct Cluster {
  ClusterMemory memory;
  ClusterBarrier barrier;
  uint32_t living = 0;      // blocks
  uint32_t idle_turns = 0;  // of those in which nobody could go on, one after another

  void begin(uint32_t blocks, uint32_t threads_of_block) {
    barrier.reset(blocks, threads_of_block);
    living = blocks;
    idle_turns = 0;
  }
  // After a turn of one of them in which nobody could: whether somebody of another one may.
  bool others_may_go_on() { return ++idle_turns < living; }
};

class Clusters {
 public:
  // The cluster with this number, with memory for its blocks, of which rank 0 asks first. nullptr: the host
  // has none.
  Cluster* make_room(const Context& context, std::size_t number, uint32_t rank);
  Cluster& operator[](std::size_t number) { return *all_[number]; }
  // ClusterMemory::address_of of any of them.
  std::optional<uint64_t> address_of(uintptr_t host) const;

 private:
  std::vector<std::unique_ptr<Cluster>> all_;
};

// The context as a block of a cluster of several has it.
void enter_cluster(Context& context, const ClusterMemory& memory, uint32_t rank);

// Of this worker.
Clusters& worker_clusters();

}  // namespace heddle::exec::jit
