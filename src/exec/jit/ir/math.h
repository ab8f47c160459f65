// Arithmetic that LLVM has no instruction for: the immediates of the operations `approximate` and `rounded`.
#pragma once

#include <cstdint>

namespace heddle::exec::jit {

// approx/approx.h has the meaning; f16 and bf16 ones on an i32 are on both halves.
enum class Approximation : uint8_t {
  rcp,
  rsqrt,
  sqrt,
  sin,
  cos,
  lg2,
  ex2,
  tanh,
  div,
  div_full,
  rcp_f64,
  rsqrt_f64,
  ex2_f16,
  ex2_bf16,
  tanh_f16,
  tanh_bf16,
};

enum class Arithmetic : uint8_t { add, mul, fma, div, sqrt };

enum class Direction : uint8_t { zero, down, up };

}  // namespace heddle::exec::jit
