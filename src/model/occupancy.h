// How many blocks of a kernel share a multiprocessor, and what keeps it from being more. Exact on every
// capability: OpenCL Programming Guide 2.1.2 and 3.2.3, CUDA C Best Practices Guide 4.1 to 4.4, and an H200's
// own answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "arch/device.h"

namespace heddle::model {

// No preference: as much shared memory as there can be.
inline constexpr uint32_t most_shared = ~0u;

struct BlockNeeds {
  uint32_t threads = 1;
  uint32_t registers = 0;     // of a thread
  uint64_t shared_bytes = 0;  // arch::shared_bytes(): static, dynamic, arguments where they count
  uint32_t barriers = 0;      // named barriers that the kernel uses
  uint32_t shared_configuration = most_shared;  // bytes of a multiprocessor that the program gave to it
};

// What a program says about the memory that L1 cache and shared memory divide: of the cache, as
// cudaFuncSetCacheConfig numbers it, where there are a few configurations; in per cent, where it is so
// divided (arch::Feature::shared_carveout). The other one is not looked at.
enum class CachePreference : uint8_t { none, shared, l1, equal };
struct SharedPreference {
  CachePreference cache = CachePreference::none;
  int carveout = -1;  // per cent of the most that shared memory can have; negative: no preference
};
// Bytes of a multiprocessor, for BlockNeeds::shared_configuration.
uint32_t shared_configuration(const arch::Architecture&, const SharedPreference&);

enum class Limiter : uint8_t { blocks, warps, registers, shared, barriers };
std::string_view name(Limiter);

struct Occupancy {
  uint32_t blocks = 0;  // resident on one multiprocessor; 0: such a block cannot run
  uint32_t warps = 0;
  uint32_t max_warps = 0;
  // The blocks that each resource alone would admit, none above the multiprocessor's own limit of blocks.
  uint32_t by_blocks = 0, by_warps = 0, by_registers = 0, by_shared = 0, by_barriers = 0;
  Limiter limiter = Limiter::blocks;  // the scarcest; of equally scarce ones the first in Limiter's order
  uint32_t registers_per_block = 0, shared_per_block = 0;  // what a block takes, rounded as the device does
  double fraction() const { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
};
Occupancy occupancy(const arch::Architecture&, const BlockNeeds&);

// The block size with the most resident threads, the largest among equals: a multiple of a warp up to
// `max_threads` (0: what the device allows). `shared_bytes` gives the shared memory of a block of a size; the
// rest of `needs` holds for all sizes.
struct BestBlock {
  uint32_t threads = 0;  // 0: no block size can run
  uint32_t blocks = 0;   // resident on one multiprocessor
};
BestBlock best_block(const arch::Architecture&, BlockNeeds needs, uint32_t max_threads,
                     const std::function<uint64_t(uint32_t threads)>& shared_bytes);

// The dynamic shared memory that a block may have so that `blocks` of them still share a multiprocessor;
// `needs.shared_bytes` counts the rest. 0 when even none fits.
uint32_t available_dynamic_shared(const arch::Architecture&, const BlockNeeds&, uint32_t blocks);

// The least change of one resource that lets one more block share the multiprocessor, all else being equal.
struct Gain {
  Limiter limiter = Limiter::registers;  // warps: threads of a block
  uint64_t most = 0;                     // what the resource may be at most: registers, bytes, threads
  uint32_t blocks = 0;                   // that are resident then
};
// In Limiter's order; empty where no resource alone is in the way.
std::vector<Gain> gains(const arch::Architecture&, const BlockNeeds&);

// Warps that keep a multiprocessor busy while each waits `latency` clocks after every `instructions`
// single-precision instructions (OpenCL guide 3.2.3).
uint32_t warps_to_hide(const arch::Architecture&, uint32_t latency, uint32_t instructions = 1);

}  // namespace heddle::model
