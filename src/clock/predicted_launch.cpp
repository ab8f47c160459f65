#include "clock/predicted_launch.h"

#include <algorithm>

#include "model/occupancy.h"
#include "runtime/launch.h"

namespace heddle::clock {

PredictedLaunch::PredictedLaunch(const timing::Machine& machine, const runtime::LaunchFacts& facts)
    : machine_(machine), image_(facts.launch.module->image), blocks_(facts.launch.shape.grid.count()) {
  const arch::Architecture& arch = machine.device->arch;
  const auto threads = static_cast<uint32_t>(facts.launch.shape.block.count());
  model::BlockNeeds needs = runtime::block_needs(facts.kernel, threads, facts.launch.shape.dynamic_shared);
  if (threads > arch.launch.max_threads_per_block) {
    obstacle_ = std::to_string(threads) + " threads a block, it takes " +
                std::to_string(arch.launch.max_threads_per_block);
    return;
  }
  // Registers of another capability's assembler: as many as leave room for one block at least.
  resident_ = model::occupancy(arch, needs).blocks;
  if (resident_ == 0) {
    needs.registers = 0;
    resident_ = std::min(1U, model::occupancy(arch, needs).blocks);
  }
  if (resident_ == 0) {
    obstacle_ = std::to_string(needs.shared_bytes) + " bytes of shared memory a block, it has " +
                std::to_string(arch.shared.per_multiprocessor);
    return;
  }
  l1_bytes_ = timing::l1_bytes(arch, needs.shared_bytes, resident_);
  share_ = std::min(
      1.0, static_cast<double>(blocks_) / (static_cast<double>(machine.multiprocessors) * resident_));
  recorder_.emplace(machine, facts.launch.shape, resident_);
}

timing::Prediction PredictedLaunch::predict() const {
  return timing::predict(machine_, *image_, *recorder_, resident_, l1_bytes_, blocks_);
}

}  // namespace heddle::clock
