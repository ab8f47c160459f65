// A cluster of blocks: one another's shared memory, and the barrier that they share. A launch without
// clusters has clusters of one block.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/interp/block.h"

namespace heddle::exec::interp {

class Cluster {
 public:
  // `first` is the block of the lowest coordinates.
  Cluster(Run& run, Dim3 first);
  std::span<const std::unique_ptr<Block>> blocks() const { return blocks_; }
  bool finished() const;

  // barrier.cluster (PTX ISA 9.7.13.4): every thread of the cluster arrives and then waits, in turn; exited
  // threads count as arrived.
  void arrive(Step& step);
  void wait(Step& step);
  void lanes_exited() { open_if_complete(); }
  std::string describe_waiting() const;

 private:
  struct Lanes {        // of one warp
    Mask arrived = 0;   // in the phase that is not complete
    Mask may_pass = 0;  // arrived in the one before, and have not waited yet
  };
  struct Wait {
    Warp* warp;
    GroupId group;
    Mask lanes;
  };
  Lanes& lanes_of(Warp& warp);
  void open_if_complete();

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Lanes> lanes_;  // by rank and warp
  std::vector<Wait> waits_;
};

}  // namespace heddle::exec::interp
