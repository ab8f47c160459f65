#include "profiler/stalls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/occupancy.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/system.h"
#include "timing/predict.h"

namespace heddle::profiler {

namespace {

// By timing::Stall.
constexpr std::array<Counter, timing::stall_count> counters{
    Counter::stall_selected,         Counter::stall_wait,
    Counter::stall_long_scoreboard,  Counter::stall_short_scoreboard,
    Counter::stall_barrier,          Counter::stall_math_pipe_throttle,
    Counter::stall_mio_throttle,     Counter::stall_lg_throttle,
    Counter::stall_tex_throttle,     Counter::stall_not_selected,
    Counter::stall_branch_resolving, Counter::stall_sleeping};

}  // namespace

Stalls::Stalls(const runtime::LaunchFacts& facts) : machine_(timing::make_machine(*facts.launch.device)) {
  if (!machine_) return;
  machine_->device = facts.launch.device;
  const arch::Architecture& arch = facts.launch.device->arch;
  const model::BlockNeeds needs =
      runtime::block_needs(facts.kernel, static_cast<uint32_t>(facts.launch.shape.block.count()),
                           facts.launch.shape.dynamic_shared);
  resident_ = std::max(1U, model::occupancy(arch, needs).blocks);
  l1_bytes_ = timing::l1_bytes(arch, needs.shared_bytes, resident_);
  timing::FindPiece find;
  if (!facts.launch.device->board.integrated)
    find = [&memory = facts.context.system().memory()](uint64_t address) {
      const runtime::AllocationRef found = memory.find(address);
      if (found == nullptr) return timing::Piece{address, address + 1, false};
      const bool of_host =
          found->kind == runtime::MemoryKind::pinned || found->kind == runtime::MemoryKind::registered;
      return timing::Piece{found->address, found->address + found->bytes, of_host};
    };
  program_ = timing::issue_program(*facts.launch.module->image, facts.launch.function, *machine_);
  recorder_.emplace(*machine_, program_, facts.launch.shape, resident_, std::move(find));
}

void Stalls::each(const std::function<void(observe::Place, const Counts&)>& f) const {
  if (!recorder_) return;
  const timing::StallTable table = timing::stalls_of(*machine_, program_, *recorder_, resident_, l1_bytes_);
  for (uint32_t function = 0; function < table.functions().size(); ++function)
    for (uint32_t i = 0; i < table.functions()[function].size(); ++i) {
      Counts counts{};
      bool any = false;
      for (std::size_t stall = 0; stall < timing::stall_count; ++stall) {
        const uint64_t clocks = table.functions()[function][i][stall] / timing::ticks_per_clock;
        at(counts, counters[stall]) = clocks;
        if (stall != 0) at(counts, Counter::stall_clocks) += clocks;
        any = any || clocks != 0;
      }
      if (any) f({function, i}, counts);
    }
}

}  // namespace heddle::profiler
