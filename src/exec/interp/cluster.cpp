#include "exec/interp/cluster.h"

#include <bit>

#include "exec/interp/run.h"

namespace heddle::exec::interp {

Cluster::Cluster(Run& run, Dim3 first) {
  const Dim3 shape = run.launch.shape.cluster;
  uint32_t rank = 0;
  for (uint32_t z = 0; z < shape.z; ++z)
    for (uint32_t y = 0; y < shape.y; ++y)
      for (uint32_t x = 0; x < shape.x; ++x)
        blocks_.push_back(
            std::make_unique<Block>(run, *this, rank++, Dim3{first.x + x, first.y + y, first.z + z}));
  lanes_.resize(blocks_.size() * blocks_.front()->warps().size());
}

bool Cluster::finished() const {
  for (const auto& block : blocks_)
    if (!block->finished()) return false;
  return true;
}

Cluster::Lanes& Cluster::lanes_of(Warp& warp) {
  return lanes_[warp.block().rank() * warp.block().warps().size() + warp.index()];
}

void Cluster::arrive(Step& step) {
  Lanes& lanes = lanes_of(step.warp());
  if (const Mask twice = step.lanes() & (lanes.arrived | lanes.may_pass); twice != 0)
    return step.fault(FaultKind::illegal_barrier, std::countr_zero(twice),
                      "the thread arrives at the cluster's barrier twice without waiting for it");
  lanes.arrived |= step.lanes();
  open_if_complete();
}

void Cluster::wait(Step& step) {
  Lanes& lanes = lanes_of(step.warp());
  if (const Mask without = step.lanes() & ~(lanes.arrived | lanes.may_pass); without != 0)
    return step.fault(FaultKind::illegal_barrier, std::countr_zero(without),
                      "the thread waits for the cluster's barrier without having arrived");
  const Mask blocked = step.lanes() & lanes.arrived;
  lanes.may_pass &= ~step.lanes();
  if (blocked != 0)
    waits_.push_back({&step.warp(), step.warp().block_lanes(blocked, GroupState::barrier), blocked});
}

void Cluster::open_if_complete() {
  bool anyone = false;
  for (const auto& block : blocks_)
    for (const auto& warp : block->warps()) {
      const Mask arrived = lanes_of(*warp).arrived;
      if ((arrived | warp->absent()) != ~Mask{0}) return;
      anyone |= arrived != 0;
    }
  if (!anyone) return;
  for (Lanes& lanes : lanes_) {
    lanes.may_pass |= lanes.arrived;
    lanes.arrived = 0;
  }
  const std::vector<Wait> waits = std::move(waits_);
  waits_.clear();
  for (const Wait& wait : waits) {
    lanes_of(*wait.warp).may_pass &= ~wait.lanes;
    wait.warp->resume(wait.group);
  }
}

std::string Cluster::describe_waiting() const {
  std::string text;
  for (const auto& block : blocks_) {
    const std::string waiting = block->describe_waiting();
    if (waiting.empty()) continue;
    if (!text.empty()) text += "; ";
    if (blocks_.size() > 1) text += "block " + std::to_string(block->rank()) + " of the cluster: ";
    text += waiting;
  }
  if (!waits_.empty())
    text += (text.empty() ? "" : "; ") + std::string("the barrier of the cluster is not complete");
  return text;
}

}  // namespace heddle::exec::interp
