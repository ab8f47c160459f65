#include "exec/interp/block.h"

#include <bit>

#include "exec/interp/cluster.h"
#include "exec/interp/fault_site.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

Block::Block(Run& run, Cluster& cluster, uint32_t rank, Dim3 index)
    : run_(run),
      cluster_(cluster),
      rank_(rank),
      index_(index),
      own_shared_(run.borrowed ? 0 : run.shared_bytes),
      reserved_(run.reserved_bytes),
      shared_(own_shared_) {
  const uint64_t threads = run.launch.shape.block.count();
  const uint64_t count = (threads + warp_size - 1) / warp_size;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t lanes = std::min<uint64_t>(threads - i * warp_size, warp_size);
    const Mask mask = lanes == warp_size ? ~Mask{0} : (Mask{1} << lanes) - 1;
    warps_.push_back(std::make_unique<Warp>(run, *this, static_cast<uint32_t>(i), mask));
  }
  for (Barrier& barrier : barriers_) barrier.lanes.resize(warps_.size());
}

Dim3 Block::thread(uint64_t linear) const {
  const Dim3 shape = run_.launch.shape.block;
  if (linear < shape.x) return {static_cast<uint32_t>(linear), 0, 0};
  return {static_cast<uint32_t>(linear % shape.x), static_cast<uint32_t>(linear / shape.x % shape.y),
          static_cast<uint32_t>(linear / shape.x / shape.y)};
}

bool Block::finished() const {
  for (const auto& warp : warps_)
    if (!warp->finished()) return false;
  return true;
}

uint64_t Block::expected(const Barrier& barrier) const {
  return barrier.count != 0 ? barrier.count : warps_.size() * warp_size;
}

uint64_t Block::counted(const Barrier& barrier) const {
  uint64_t total = barrier.arrived;
  for (std::size_t i = 0; i < warps_.size(); ++i)
    if (barrier.count == 0 || barrier.lanes[i] != 0)
      total += static_cast<uint64_t>(std::popcount(warps_[i]->absent() & ~barrier.lanes[i]));
  return total;
}

void Block::arrive(Step& step, Mask lanes, const BarrierArrival& arrival) {
  const int lane = std::countr_zero(lanes);
  auto illegal = [&](std::string detail) { step.fault(FaultKind::illegal_barrier, lane, std::move(detail)); };
  if (arrival.barrier >= barriers_per_block)
    return illegal("barrier " + std::to_string(arrival.barrier) + " does not exist, the last one is 15");
  const uint64_t most = warps_.size() * warp_size;
  if (arrival.count % warp_size != 0)
    return illegal("a count of " + std::to_string(arrival.count) +
                   " threads is no multiple of the warp size");
  if (arrival.count > most)
    return illegal("a count of " + std::to_string(arrival.count) +
                   " threads can never be reached, the block has " +
                   std::to_string(run_.launch.shape.block.count()));
  Barrier& barrier = barriers_[arrival.barrier];
  Warp& warp = step.warp();
  const auto index = static_cast<uint32_t>(&step.instruction() - step.function().code.data());
  if (!barrier.pending()) {
    barrier.count = arrival.count;
    barrier.reduction = {};
    barrier.first_place = place_text(run_.image, step.function(), index);
  } else if (expected(barrier) != (arrival.count != 0 ? arrival.count : most)) {
    return illegal("barrier " + std::to_string(arrival.barrier) + " already waits for " +
                   std::to_string(expected(barrier)) + " threads (" + barrier.first_place + "), not for " +
                   std::to_string(arrival.count != 0 ? arrival.count : most));
  }
  const Mask counted_lanes = run_.independent ? lanes : warp.alive();
  barrier.arrived += static_cast<uint64_t>(std::popcount(counted_lanes));
  barrier.lanes[warp.index()] |= counted_lanes;
  barrier.reduction.popc += static_cast<uint32_t>(std::popcount(arrival.predicate & lanes));
  barrier.reduction.and_ &= (lanes & ~arrival.predicate) == 0;
  barrier.reduction.or_ |= (lanes & arrival.predicate) != 0;
  if (arrival.waits) {
    // Earlier devices: the whole warp stands still, so a guard need not split it.
    const Mask blocked = run_.independent ? lanes : warp.current().lanes;
    const GroupId group = warp.block_lanes(blocked, GroupState::barrier);
    barrier.waits.push_back({&warp, group, lanes, &step.activation(), &step.instruction(), arrival.finish});
  }
  if (counted(barrier) > expected(barrier))
    return illegal(std::to_string(counted(barrier)) + " threads arrived at barrier " +
                   std::to_string(arrival.barrier) + ", which waits for " +
                   std::to_string(expected(barrier)));
  open_if_complete(arrival.barrier);
}

void Block::open_if_complete(uint32_t id) {
  Barrier& barrier = barriers_[id];
  if (!barrier.pending() || counted(barrier) != expected(barrier)) return;
  const std::vector<BarrierWait> waits = std::move(barrier.waits);
  const Reduction reduction = barrier.reduction;
  barrier.waits.clear();
  barrier.arrived = 0;
  for (Mask& lanes : barrier.lanes) lanes = 0;
  for (const BarrierWait& wait : waits) {
    wait.warp->resume(wait.group);
    wait.warp->set_out();
    if (wait.finish == nullptr) continue;
    Step step(*wait.warp, *wait.activation, *wait.instruction, wait.lanes);
    wait.finish(step, reduction);
  }
}

void Block::lanes_exited() {
  for (uint32_t id = 0; id < barriers_per_block; ++id) open_if_complete(id);
  cluster_.lanes_exited();
}

std::string Block::describe_waiting() const {
  std::string text;
  auto add = [&](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  for (uint32_t id = 0; id < barriers_per_block; ++id) {
    const Barrier& barrier = barriers_[id];
    if (!barrier.pending()) continue;
    add("barrier " + std::to_string(id) + " (" + barrier.first_place + ") waits for " +
        std::to_string(expected(barrier)) + " threads, " + std::to_string(counted(barrier)) + " are there");
  }
  constexpr int most_groups = 4;  // enough to see what is wrong
  int described = 0;
  for (const auto& warp : warps_)
    for (const Group& group : warp->groups()) {
      if (group.state != GroupState::barrier && group.state != GroupState::collective) continue;
      if (++described > most_groups) continue;
      const module::Function& function = *group.activation->function;
      const module::Instruction& instruction = function.code[group.blocked_at];
      add("warp " + std::to_string(warp->index()) + " at '" +
          run_.image.mnemonics[instruction.mnemonic].text + "' (" +
          place_text(run_.image, function, group.blocked_at) + ")");
    }
  if (described > most_groups) add(std::to_string(described - most_groups) + " more");
  return text;
}

}  // namespace heddle::exec::interp
