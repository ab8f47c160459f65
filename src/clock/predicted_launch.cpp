#include "clock/predicted_launch.h"

#include <algorithm>

#include "analysis/clocks.h"
#include "model/occupancy.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/system.h"

namespace heddle::clock {

namespace {

// Where device and host share one memory, none of it is behind a bus.
timing::FindPiece pieces_of(const arch::Device& device, runtime::Context& context) {
  if (device.board.integrated) return {};
  return [&memory = context.system().memory()](uint64_t address) {
    const runtime::AllocationRef found = memory.find(address);
    if (found == nullptr) return timing::Piece{address, address + 1, false};
    const bool of_host =
        found->kind == runtime::MemoryKind::pinned || found->kind == runtime::MemoryKind::registered;
    return timing::Piece{found->address, found->address + found->bytes, of_host};
  };
}

}  // namespace

PredictedLaunch::PredictedLaunch(const timing::Machine& machine, Programs& programs,
                                 const runtime::LaunchFacts& facts, How how)
    : machine_(machine),
      programs_(programs),
      image_(facts.launch.module->image),
      entry_(facts.kernel.index()),
      blocks_(facts.launch.shape.grid.count()) {
  const arch::Architecture& arch = machine.device->arch;
  const auto threads = static_cast<uint32_t>(facts.launch.shape.block.count());
  warps_ = (threads + 31) / 32;
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
  program_ = programs.of(image_, entry_, machine);
  if (how == How::instant) {
    tally_.emplace(machine, *program_, facts.launch.shape, l1_bytes_ / resident_,
                   pieces_of(*machine.device, facts.context));
    return;
  }
  recorder_.emplace(machine, *program_, facts.launch.shape, resident_,
                    pieces_of(*machine.device, facts.context));
}

std::unique_ptr<LaunchClock> PredictedLaunch::make_clock(const runtime::LaunchFacts& facts, int64_t began,
                                                         uint64_t epoch) const {
  if (!obstacle_.empty() || !analysis::reads_clock(*image_, facts.launch.function)) return nullptr;
  return std::make_unique<LaunchClock>(machine_, facts.launch, resident_, l1_bytes_,
                                       pieces_of(*machine_.device, facts.context), began, epoch);
}

timing::Prediction PredictedLaunch::predict() const {
  if (tally_) return timing::estimate(machine_, *program_, tally_->tallied(), resident_, blocks_, warps_);
  return predict(machine_);
}

timing::Prediction PredictedLaunch::predict(const timing::Machine& other) const {
  return timing::predict(other, *programs_.of(image_, entry_, other), *recorder_, resident_, l1_bytes_,
                         blocks_);
}

}  // namespace heddle::clock
