// PTX's approximate instructions as pure functions: bits in, bits out, no state, no host floating point.
//
// They compute what an NVIDIA H200 computes. docs/reference/approximate.md, a generated page, says which of
// them agree with the device over all inputs; every one keeps the error bound of its page in the PTX ISA
// (9.7.3 for f32 and f64, 9.7.4 for f16 and bf16).
#pragma once

#include <cstdint>

namespace heddle::approx {

// `ftz` is the modifier of that name: subnormal inputs and results become zero of the same sign.
uint32_t rcp_f32(uint32_t a, bool ftz);
uint32_t rsqrt_f32(uint32_t a, bool ftz);
uint32_t sqrt_f32(uint32_t a, bool ftz);
uint32_t sin_f32(uint32_t a, bool ftz);
uint32_t cos_f32(uint32_t a, bool ftz);
uint32_t lg2_f32(uint32_t a, bool ftz);
uint32_t ex2_f32(uint32_t a, bool ftz);
uint32_t tanh_f32(uint32_t a);

// div.approx fails for divisors above 2^126, div.full scales them first (PTX ISA 9.7.3, div).
uint32_t div_approx_f32(uint32_t a, uint32_t b, bool ftz);
uint32_t div_full_f32(uint32_t a, uint32_t b, bool ftz);

// The low word of the argument of rcp_ftz_f64 and of rsqrt_f64 with ftz does not matter; that of the result
// is 0.
uint64_t rcp_ftz_f64(uint64_t a);
uint64_t rsqrt_f64(uint64_t a, bool ftz);

uint16_t ex2_f16(uint16_t a);
uint16_t ex2_ftz_bf16(uint16_t a);
uint16_t tanh_f16(uint16_t a);
uint16_t tanh_bf16(uint16_t a);

// The packed forms are two scalar ones.
uint32_t ex2_f16x2(uint32_t a);
uint32_t ex2_ftz_bf16x2(uint32_t a);
uint32_t tanh_f16x2(uint32_t a);
uint32_t tanh_bf16x2(uint32_t a);

}  // namespace heddle::approx
