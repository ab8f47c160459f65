// Approximate f32 and f64 instructions (PTX ISA 9.7.3).
#include "exec/jit/lower/instructions/floats.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Type;
using llvm::Value;

void emit_approximation(Lowering& l, Approximation function, bool ftz, int count = 1) {
  if (is_demoted(l, l.type())) return l.step();
  llvm::SmallVector<Value*, 4> arguments{l.imm(static_cast<uint64_t>(function)), l.imm(ftz ? 1 : 0)};
  for (int i = 1; i <= count; ++i) arguments.push_back(l.get(i));
  l.set(0, l.op(Op::approximate, l.value_type(l.type()), arguments));
}

void emit_f32(Lowering& l, Approximation function, int count = 1) {
  emit_approximation(l, function, flushes(l), count);
}

}  // namespace

void lower_div_approx(Lowering& l) { emit_f32(l, Approximation::div, 2); }
void lower_div_full(Lowering& l) { emit_f32(l, Approximation::div_full, 2); }
void lower_rcp_approx(Lowering& l) { emit_f32(l, Approximation::rcp); }
void lower_sqrt_approx(Lowering& l) { emit_f32(l, Approximation::sqrt); }
void lower_rsqrt_approx(Lowering& l) { emit_f32(l, Approximation::rsqrt); }
void lower_sin_approx(Lowering& l) { emit_f32(l, Approximation::sin); }
void lower_cos_approx(Lowering& l) { emit_f32(l, Approximation::cos); }
void lower_lg2_approx(Lowering& l) { emit_f32(l, Approximation::lg2); }
void lower_ex2_approx(Lowering& l) { emit_f32(l, Approximation::ex2); }
void lower_tanh_approx(Lowering& l) { emit_approximation(l, Approximation::tanh, false); }
void lower_rcp_approx_f64(Lowering& l) { emit_approximation(l, Approximation::rcp_f64, true); }
void lower_rsqrt_approx_f64(Lowering& l) {
  emit_approximation(l, Approximation::rsqrt_f64, l.has(Slot::ftz));
}

}  // namespace heddle::exec::jit
