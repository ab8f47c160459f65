// Barriers of a block and of a cluster, as state: who arrived, who waits. block.cpp and cluster.cpp move
// them.
//
// PTX ISA 9.7.13.1. Threads are counted, and a lane that has exited or never existed counts as arrived for a
// warp that takes part: a barrier with a count is a multiple of the warp size. Before independent thread
// scheduling an arrival stands for all lanes of its warp, active or not.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/interp/step.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

inline constexpr uint32_t barriers_per_block = 16;

struct Reduction {  // of the predicates that bar.red brings
  uint32_t popc = 0;
  bool and_ = true, or_ = false;
};

using FinishBarrier = void (*)(Step&, const Reduction&);  // writes the results of the lanes that waited

struct BarrierWait {
  Warp* warp;
  GroupId group;
  Mask lanes;
  Activation* activation;
  const module::Instruction* instruction;
  FinishBarrier finish;  // may be nullptr
};

struct Barrier {
  uint32_t count = 0;       // threads; 0: all of the block
  uint64_t arrived = 0;     // since it last opened
  std::vector<Mask> lanes;  // that arrived, by warp
  std::vector<BarrierWait> waits;
  Reduction reduction;
  std::string first_place;  // where the first arrival stood, for messages
  bool pending() const { return arrived != 0; }
};

struct BarrierArrival {
  uint32_t barrier = 0;
  uint32_t count = 0;  // 0: none was given
  bool waits = true;   // false: bar.arrive
  Mask predicate = 0;  // bar.red
  FinishBarrier finish = nullptr;
};

}  // namespace heddle::exec::interp
