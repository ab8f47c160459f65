// What code calls for f64 arithmetic in a direction where the host has no instruction for it. The operation
// is an Arithmetic, the direction a Direction.
#pragma once

#include <cstdint>

namespace heddle::exec::jit {

extern "C" double heddle_jit_rounded(uint32_t operation, uint32_t direction, double a, double b, double c);

}  // namespace heddle::exec::jit
