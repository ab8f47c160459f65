// A block (CTA): its warps, its shared memory, its barriers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/interp/barrier.h"
#include "exec/interp/matrix/tensor_memory.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

class Cluster;

class Block {
 public:
  Block(Run& run, Cluster& cluster, uint32_t rank, Dim3 index);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Run& run() { return run_; }
  Cluster& cluster() { return cluster_; }
  uint32_t rank() const { return rank_; }  // in the cluster
  Dim3 index() const { return index_; }    // %ctaid
  Dim3 thread(uint64_t linear) const;      // %tid of a thread
  // Run::borrowed: which block this is, and where its shared memory lies.
  void stand_for(Dim3 index, std::span<std::byte> shared) {
    index_ = index;
    shared_ = shared;
  }
  std::span<std::byte> shared() { return shared_; }
  TensorMemory& tensor_memory() { return tensor_memory_; }
  std::span<std::byte> reserved() { return reserved_; }  // Run::reserved_bytes
  std::span<const std::unique_ptr<Warp>> warps() const { return warps_; }
  bool finished() const;

  // The lanes of `step`, all of one group, come to a barrier. Raises illegal_barrier for a count that cannot
  // be or that others contradict.
  void arrive(Step& step, Mask lanes, const BarrierArrival& arrival);
  void lanes_exited();
  const std::array<Barrier, barriers_per_block>& barriers() const { return barriers_; }
  // Who waits for what, for a block in which nothing can go on.
  std::string describe_waiting() const;

 private:
  void open_if_complete(uint32_t barrier);
  uint64_t counted(const Barrier& barrier) const;
  uint64_t expected(const Barrier& barrier) const;

  Run& run_;
  Cluster& cluster_;
  const uint32_t rank_;
  Dim3 index_;
  std::vector<std::byte> own_shared_, reserved_;
  std::span<std::byte> shared_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<Barrier, barriers_per_block> barriers_;
  TensorMemory tensor_memory_;
};

}  // namespace heddle::exec::interp
