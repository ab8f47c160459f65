#include "model/occupancy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "arch/allocation.h"

namespace heddle::model {

namespace {

using arch::Architecture;
using arch::Feature;

constexpr uint32_t unlimited = ~0u;

uint32_t blocks_by_registers(const Architecture& a, const BlockNeeds& needs) {
  if (needs.registers == 0) return unlimited;
  if (needs.registers > a.registers.per_thread) return 0;
  const uint32_t checked = arch::registers_checked_per_block(a, needs.threads, needs.registers);
  if (checked > a.registers.per_block) return 0;
  if (!a.has(Feature::registers_by_warp)) {
    return a.registers.per_multiprocessor / arch::registers_per_block(a, needs.threads, needs.registers);
  }
  // The register file has parts; a warp's registers lie in one of them.
  const uint32_t parts = a.registers.warp_granularity;
  const uint32_t warps_of_a_part =
      a.registers.per_multiprocessor / parts / arch::registers_per_warp(a, needs.registers);
  return warps_of_a_part * parts / arch::warps_per_block(a, needs.threads);
}

// The smallest configuration that holds what the program asked for.
uint32_t shared_of_multiprocessor(const Architecture& a, uint32_t asked) {
  if (asked == 0) return a.shared.per_multiprocessor;
  for (const uint32_t bytes : a.shared.configurations) {
    if (bytes >= asked) return bytes;
  }
  return a.shared.per_multiprocessor;
}

uint32_t blocks_by_shared(const Architecture& a, const BlockNeeds& needs) {
  if (needs.shared_bytes > a.shared.per_block_opt_in) return 0;
  const uint32_t taken = arch::shared_per_block(a, static_cast<uint32_t>(needs.shared_bytes));
  if (taken == 0) return unlimited;
  // A block that needs more than the chosen configuration gets the next that holds it.
  const uint32_t wanted = std::max(needs.shared_configuration, taken);
  return shared_of_multiprocessor(a, needs.shared_configuration == 0 ? 0 : wanted) / taken;
}

}  // namespace

std::string_view name(Limiter limiter) {
  constexpr std::array<std::string_view, 5> names{"blocks", "warps", "registers", "shared memory",
                                                  "barriers"};
  return names[static_cast<std::size_t>(limiter)];
}

Occupancy occupancy(const Architecture& a, const BlockNeeds& needs) {
  Occupancy result;
  result.max_warps = a.multiprocessor.max_warps;
  if (needs.threads == 0 || needs.threads > a.launch.max_threads_per_block) return result;
  const uint32_t most = a.multiprocessor.max_blocks;
  const uint32_t warps = arch::warps_per_block(a, needs.threads);
  result.by_blocks = most;
  result.by_warps = std::min(most, a.multiprocessor.max_warps / warps);
  result.by_registers = std::min(most, blocks_by_registers(a, needs));
  result.by_shared = std::min(most, blocks_by_shared(a, needs));
  const bool barriers_limit = needs.barriers != 0 && a.multiprocessor.barriers != 0;
  result.by_barriers = barriers_limit ? std::min(most, a.multiprocessor.barriers / needs.barriers) : most;
  result.blocks = unlimited;
  for (const auto& [limiter, blocks] :
       {std::pair{Limiter::blocks, result.by_blocks}, std::pair{Limiter::warps, result.by_warps},
        std::pair{Limiter::registers, result.by_registers}, std::pair{Limiter::shared, result.by_shared},
        std::pair{Limiter::barriers, result.by_barriers}}) {
    if (blocks >= result.blocks) continue;
    result.blocks = blocks;
    result.limiter = limiter;
  }
  result.warps = result.blocks * warps;
  return result;
}

BestBlock best_block(const Architecture& a, BlockNeeds needs, uint32_t max_threads,
                     const std::function<uint64_t(uint32_t threads)>& shared_bytes) {
  const uint32_t allowed = a.launch.max_threads_per_block;
  const uint32_t limit = max_threads == 0 ? allowed : std::min(max_threads, allowed);
  BestBlock best;
  uint32_t most_threads = 0;
  for (uint32_t size = arch::round_up(limit, a.launch.warp_size); size > 0; size -= a.launch.warp_size) {
    needs.threads = std::min(size, limit);
    needs.shared_bytes = shared_bytes(needs.threads);
    const uint32_t blocks = occupancy(a, needs).blocks;
    if (blocks * needs.threads > most_threads) {
      most_threads = blocks * needs.threads;
      best = {needs.threads, blocks};
    }
  }
  return best;
}

uint32_t available_dynamic_shared(const Architecture& a, const BlockNeeds& needs, uint32_t blocks) {
  if (blocks == 0 || occupancy(a, needs).blocks < blocks) return 0;
  const uint32_t share = shared_of_multiprocessor(a, needs.shared_configuration) / blocks;
  const uint32_t whole = share / a.shared.allocation_unit * a.shared.allocation_unit;
  const uint32_t static_bytes = static_cast<uint32_t>(needs.shared_bytes);  // fits: a block of it runs
  const uint32_t other = a.shared.reserved_per_block + static_bytes;
  if (whole <= other) return 0;
  return std::min(whole - other, a.shared.per_block_opt_in - static_bytes);
}

uint32_t warps_to_hide(const Architecture& a, uint32_t latency, uint32_t instructions) {
  if (instructions == 0) return 0;
  const uint64_t needed = uint64_t{latency} * a.multiprocessor.hiding_rate.numerator;
  const uint64_t per_warp = uint64_t{instructions} * a.multiprocessor.hiding_rate.denominator;
  return static_cast<uint32_t>((needed + per_warp - 1) / per_warp);
}

}  // namespace heddle::model
