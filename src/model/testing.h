// Accesses of a warp for tests, written as a function of the lane.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "arch/device.h"
#include "model/warp_access.h"

namespace heddle::model {

inline const arch::Architecture& arch_of(std::string_view id) { return *arch::find_architecture(id); }

struct Addresses {
  std::array<uint64_t, 32> of{};
  LaneMask lanes = 0;
  uint32_t bytes = 4;
  AccessKind kind = AccessKind::load;
  operator WarpAccess() const { return {kind, lanes, bytes, of.data()}; }
};

inline constexpr LaneMask half_warp = 0xffff, warp = ~0U;

// The array of words begins at a multiple of every segment, and in bank 0.
inline Addresses words(LaneMask lanes, uint32_t bytes, const std::function<uint64_t(unsigned lane)>& index,
                       AccessKind kind = AccessKind::load) {
  constexpr uint64_t base = 0x10000;
  Addresses a;
  a.lanes = lanes;
  a.bytes = bytes;
  a.kind = kind;
  for (unsigned lane = 0; lane < 32; ++lane) a.of[lane] = base + index(lane) * bytes;
  return a;
}

}  // namespace heddle::model
