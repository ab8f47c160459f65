#include "profiler/launch_facts.h"

#include <algorithm>
#include <cmath>

#include "model/occupancy.h"
#include "runtime/launch.h"

namespace heddle::profiler {

namespace {

// The least configuration that holds what the resident blocks need: drivers choose so (CUDA C++ Programming
// Guide, shared memory of capability 7.x and on), but for a wish of the program.
uint64_t configuration(const arch::Architecture& arch, uint64_t bytes) {
  uint64_t chosen = arch.shared.per_multiprocessor;
  for (const uint32_t size : arch.shared.configurations)
    if (size >= bytes && size < chosen) chosen = size;
  return chosen;
}

// With fewer registers no kernel runs, whatever its code uses: counted on an H200 (tests/hw/h200/profiler),
// where the assembler tells of 8.
uint32_t least_registers(const arch::Architecture& arch) { return arch.capability.major >= 7 ? 16 : 1; }

}  // namespace

Facts launch_facts(const runtime::Kernel& kernel, const exec::Launch& launch) {
  const arch::Device& device = *launch.device;
  const arch::Architecture& arch = device.arch;
  const auto threads = static_cast<uint32_t>(launch.shape.block.count());
  model::BlockNeeds needs = runtime::block_needs(kernel, threads, launch.shape.dynamic_shared);
  needs.registers =
      std::clamp<uint32_t>(kernel.registers(), least_registers(arch), arch.registers.per_thread);
  const model::Occupancy occupancy = model::occupancy(arch, needs);
  Facts facts{};
  at(facts, Fact::blocks) = static_cast<double>(launch.shape.grid.count());
  at(facts, Fact::threads_per_block) = threads;
  at(facts, Fact::warps_per_block) = (threads + arch.launch.warp_size - 1) / arch.launch.warp_size;
  at(facts, Fact::registers) = needs.registers;
  at(facts, Fact::static_shared) = kernel.needs().static_shared;
  at(facts, Fact::dynamic_shared) = launch.shape.dynamic_shared;
  at(facts, Fact::driver_shared) = arch.shared.reserved_per_block;
  at(facts, Fact::shared_configuration) = static_cast<double>(
      configuration(arch, occupancy.blocks * (needs.shared_bytes + arch.shared.reserved_per_block)));
  at(facts, Fact::local_bytes) = static_cast<double>(kernel.local_bytes());
  at(facts, Fact::limit_blocks) = occupancy.by_blocks;
  // What warps allow is told as if there were no limit of blocks, as an H200's profiler does.
  at(facts, Fact::limit_warps) = std::floor(occupancy.max_warps / at(facts, Fact::warps_per_block));
  at(facts, Fact::limit_registers) = occupancy.by_registers;
  at(facts, Fact::limit_shared) = occupancy.by_shared;
  at(facts, Fact::limit_barriers) = occupancy.by_barriers;
  at(facts, Fact::resident_blocks) = occupancy.blocks;
  at(facts, Fact::resident_warps) = occupancy.warps;
  at(facts, Fact::max_warps) = occupancy.max_warps;
  at(facts, Fact::multiprocessors) = device.board.multiprocessors;
  at(facts, Fact::bank_bytes) = arch.shared.bank_bytes.empty() ? 4 : arch.shared.bank_bytes[0];
  for (const module::Parameter& parameter : kernel.function().signature.params)
    at(facts, Fact::argument_bytes) =
        std::max(at(facts, Fact::argument_bytes), static_cast<double>(parameter.offset + parameter.size));
  const auto own = kernel.cache_preference.load(std::memory_order_relaxed);
  const auto of_context = kernel.module().context().cache_preference.load(std::memory_order_relaxed);
  at(facts, Fact::cache_requested) =
      static_cast<double>(own == model::CachePreference::none ? of_context : own);
  at(facts, Fact::cache_executed) = arch.shared.configurations.empty() ? 0 : at(facts, Fact::cache_requested);
  return facts;
}

}  // namespace heddle::profiler
