// Floating-point sources of an instruction, and the manner in which the launch computes with them.
#pragma once

#include <cstdint>

#include "exec/interp/number/arithmetic.h"
#include "exec/interp/run.h"
#include "exec/interp/step.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

// Whether f32 sources and results lose their subnormals: .ftz, or a device or target that has none.
inline bool flushes_f32(Step& s) { return s.has(isa::Slot::ftz) || s.warp().run().flushes_f32; }

inline Manner manner_of(Step& s) {
  return {rounding_of(s.word(isa::Slot::rnd)), flushes_f32(s), s.has(isa::Slot::sat)};
}

// `.target map_f64_to_f32` (PTX ISA 11.1.2): f64 instructions compute in f32, and a register keeps that f32
// in its lower half.
inline bool demoted(Step& s, isa::Type type) { return type == isa::Type::f64 && s.image().map_f64_to_f32; }

// f(float{}) or f(double{}): what the instruction computes in.
template <class F>
void with_floating(Step& s, isa::Type type, F&& f) {
  if (type == isa::Type::f64 && !demoted(s, type)) return f(double{});
  return f(float{});
}

}  // namespace heddle::exec::interp
