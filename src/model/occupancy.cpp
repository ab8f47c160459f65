#include "model/occupancy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "arch/allocation.h"

namespace heddle::model {

namespace {

using arch::Architecture;
using arch::Feature;

constexpr uint32_t unlimited = ~0u;

// The smallest configuration that holds so many bytes.
uint32_t configuration_of(const Architecture& a, uint64_t bytes) {
  for (const uint32_t size : a.shared.configurations) {
    if (size >= bytes) return size;
  }
  return a.shared.per_multiprocessor;
}

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

// Shared memory of a multiprocessor whose blocks take `taken` bytes. Where a block needs more than the
// program gave to shared memory, the smallest configuration that holds it is taken, or on devices without a
// carve-out the largest.
uint32_t shared_of_multiprocessor(const Architecture& a, uint32_t given, uint32_t taken) {
  if (given == most_shared) return a.shared.per_multiprocessor;
  if (taken <= given) return given;
  if (a.has(Feature::shared_carveout)) return configuration_of(a, taken);
  return a.shared.per_multiprocessor;
}

uint32_t blocks_by_shared(const Architecture& a, const BlockNeeds& needs) {
  if (needs.shared_bytes > a.shared.per_block_opt_in) return 0;
  const uint32_t taken = arch::shared_per_block(a, static_cast<uint32_t>(needs.shared_bytes));
  if (taken == 0) return unlimited;
  return shared_of_multiprocessor(a, needs.shared_configuration, taken) / taken;
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
  result.registers_per_block = arch::registers_per_block(a, needs.threads, needs.registers);
  result.shared_per_block = static_cast<uint32_t>(
      std::min<uint64_t>(needs.shared_bytes, a.shared.per_multiprocessor));  // more is none that runs
  result.shared_per_block = arch::shared_per_block(a, result.shared_per_block);
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
  const uint32_t static_bytes = static_cast<uint32_t>(needs.shared_bytes);  // fits: a block of it runs
  uint32_t best = 0;
  // A block that is too large for what the program gave to shared memory may get all there is.
  for (const uint32_t size :
       {std::min(needs.shared_configuration, a.shared.per_multiprocessor), a.shared.per_multiprocessor}) {
    const uint32_t whole = size / blocks / a.shared.allocation_unit * a.shared.allocation_unit;
    const uint32_t other = a.shared.reserved_per_block + static_bytes;
    if (whole <= other) continue;
    const uint32_t dynamic = std::min(whole - other, a.shared.per_block_opt_in - static_bytes);
    BlockNeeds filled = needs;
    filled.shared_bytes += dynamic;
    if (occupancy(a, filled).blocks >= blocks) best = std::max(best, dynamic);
  }
  return best;
}

uint32_t shared_configuration(const Architecture& a, const SharedPreference& preference) {
  const auto& sizes = a.shared.configurations;
  if (sizes.size() <= 1) return most_shared;
  if (a.has(Feature::shared_carveout)) {
    if (preference.carveout < 0) return most_shared;
    const uint64_t asked =
        uint64_t{a.shared.per_multiprocessor} * static_cast<uint32_t>(preference.carveout) / 100;
    return configuration_of(a, asked);
  }
  switch (preference.cache) {
    case CachePreference::l1: return sizes.front();
    case CachePreference::equal: return sizes.size() > 2 ? sizes[sizes.size() / 2] : most_shared;
    case CachePreference::none:
    case CachePreference::shared: break;
  }
  return most_shared;
}

namespace {

// The largest value from 0 to `current` with at least so many blocks; they do not grow with the value.
template <class Blocks>
std::optional<uint64_t> most_with(uint64_t current, uint32_t wanted, Blocks&& blocks) {
  uint64_t low = 0, high = current;
  if (blocks(low) < wanted) return std::nullopt;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (blocks(middle) >= wanted)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

std::vector<Gain> gains(const Architecture& a, const BlockNeeds& needs) {
  const uint32_t wanted = occupancy(a, needs).blocks + 1;
  std::vector<Gain> result;
  const auto add = [&](Limiter limiter, std::optional<uint64_t> most, auto&& with) {
    if (most && *most != 0) result.push_back({limiter, *most, occupancy(a, with(*most)).blocks});
  };
  const auto threads = [&](uint64_t value) {
    BlockNeeds changed = needs;
    changed.threads = static_cast<uint32_t>(value);
    return changed;
  };
  const auto registers = [&](uint64_t value) {
    BlockNeeds changed = needs;
    changed.registers = static_cast<uint32_t>(value);
    return changed;
  };
  const auto shared = [&](uint64_t value) {
    BlockNeeds changed = needs;
    changed.shared_bytes = value;
    return changed;
  };
  // A block of no threads is none: one warp is the least.
  const auto by_threads = most_with(needs.threads, wanted, [&](uint64_t value) {
    return occupancy(a, threads(std::max<uint64_t>(value, 1))).blocks;
  });
  add(Limiter::warps, by_threads, threads);
  if (needs.registers != 0) {
    const auto most = most_with(needs.registers, wanted,
                                [&](uint64_t value) { return occupancy(a, registers(value)).blocks; });
    add(Limiter::registers, most, registers);
  }
  if (needs.shared_bytes != 0) {
    const auto most = most_with(needs.shared_bytes, wanted,
                                [&](uint64_t value) { return occupancy(a, shared(value)).blocks; });
    // Without any shared memory is an answer too.
    if (most) result.push_back({Limiter::shared, *most, occupancy(a, shared(*most)).blocks});
  }
  return result;
}

uint32_t warps_to_hide(const Architecture& a, uint32_t latency, uint32_t instructions) {
  if (instructions == 0) return 0;
  const uint64_t needed = uint64_t{latency} * a.multiprocessor.hiding_rate.numerator;
  const uint64_t per_warp = uint64_t{instructions} * a.multiprocessor.hiding_rate.denominator;
  return static_cast<uint32_t>((needed + per_warp - 1) / per_warp);
}

}  // namespace heddle::model
