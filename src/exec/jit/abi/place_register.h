// What native code must know of a launch to tell the place of a warp: in the last %envreg, which "the driver
// initializes" for its own use (PTX ISA 10.29), as two numbers of 16 bits.
#pragma once

#include <cstdint>

namespace heddle::exec::jit {

inline constexpr uint32_t place_register = 31;

// Blocks that a multiprocessor holds at once, and its schedulers. 0: not told.
constexpr uint32_t place_word(uint32_t resident, uint32_t schedulers) { return resident | schedulers << 16; }

}  // namespace heddle::exec::jit
