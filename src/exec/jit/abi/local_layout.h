// Where the local memory of a thread lies in that of its block.
#pragma once

#include <cstdint>

namespace heddle::exec::jit {

constexpr unsigned local_warp_lanes = 32;

// Bytes from a thread's frame to the next one's, of a kernel whose threads have `bytes`.
constexpr uint64_t local_stride_of(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

// Of a block: whole warps, whose lanes may lie side by side (transform/local_rows.h).
constexpr uint64_t local_bytes_of_block(uint64_t stride, uint64_t threads) {
  return stride * ((threads + local_warp_lanes - 1) / local_warp_lanes * local_warp_lanes);
}

struct LocalPlace {
  uint32_t thread = 0;
  uint64_t offset = 0;  // in its frame
};

// What lies at a place of a block's local memory. `granule`: of CompiledKernel.
constexpr LocalPlace local_place(uint64_t at, uint64_t stride, uint64_t granule) {
  if (granule == 0) return {static_cast<uint32_t>(at / stride), at % stride};
  const uint64_t row = local_warp_lanes * granule, warp = local_warp_lanes * stride;
  const uint64_t in_warp = at % warp;
  return {static_cast<uint32_t>(at / warp * local_warp_lanes + in_warp % row / granule),
          in_warp / row * granule + in_warp % granule};
}

}  // namespace heddle::exec::jit
