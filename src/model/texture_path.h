// Global memory of capability 5.x and 6.x, whose L1 cache is the texture unit's: what nvprof counts there as
// transactions. No document says it. The rules are what counters of a GTX 950 (5.2) and a GTX 1080 Ti (6.1)
// say of public programs (tests/hw/nvprof).
#pragma once

#include <cstdint>

#include "arch/device.h"
#include "model/warp_access.h"

namespace heddle::model {

bool reads_by_texture_unit(const arch::Architecture&);

// A load is made in parts of eight lanes for words of up to 4 bytes (of a half-warp lanes 0 to 3 with 8 to
// 11, and 4 to 7 with 12 to 15), of four lanes for 8 bytes and of two for 16. Each part looks up the sectors
// of 32 bytes that its lanes name: a warp that reads 32 words side by side looks up each of four sectors
// twice.
struct TextureLoad {
  uint32_t parts = 0;    // with active lanes
  uint32_t lookups = 0;  // of sectors, in all parts together
  uint32_t sectors = 0;  // different ones
  uint32_t bytes = 0;    // different ones that lanes ask for
};
TextureLoad texture_load(const WarpAccess&);

// Sectors that a store sends to L2: different ones of the warp if it names few lines of 128 bytes, otherwise
// of each part of a load.
uint32_t texture_store(const WarpAccess&);

}  // namespace heddle::model
