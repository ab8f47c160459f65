// Approximate f32 and f64 instructions (PTX ISA 9.7.3): the bits come from approx/.
#include "approx/approx.h"
#include "exec/interp/eval/floating.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

template <class F>
void unary(Step& s, F&& f) {
  const bool ftz = flushes_f32(s);
  s.each([&](int lane) { s.set<uint32_t>(0, lane, f(s.get<uint32_t>(1, lane), ftz)); });
}

template <class F>
void binary(Step& s, F&& f) {
  const bool ftz = flushes_f32(s);
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane, f(s.get<uint32_t>(1, lane), s.get<uint32_t>(2, lane), ftz));
  });
}

// f64, or f32 where the program's doubles are demoted.
template <class Double, class Single>
void unary_f64(Step& s, Double&& f, Single&& demoted_f) {
  const bool single = demoted(s, s.type());
  s.each([&](int lane) {
    if (single)
      s.set<uint64_t>(0, lane, demoted_f(std::bit_cast<uint32_t>(s.get<float>(1, lane))));
    else
      s.set<uint64_t>(0, lane, f(s.get<uint64_t>(1, lane)));
  });
}

}  // namespace

void eval_div_approx(Step& s) { binary(s, approx::div_approx_f32); }
void eval_div_full(Step& s) { binary(s, approx::div_full_f32); }
void eval_rcp_approx(Step& s) { unary(s, approx::rcp_f32); }
void eval_sqrt_approx(Step& s) { unary(s, approx::sqrt_f32); }
void eval_rsqrt_approx(Step& s) { unary(s, approx::rsqrt_f32); }
void eval_sin_approx(Step& s) { unary(s, approx::sin_f32); }
void eval_cos_approx(Step& s) { unary(s, approx::cos_f32); }
void eval_lg2_approx(Step& s) { unary(s, approx::lg2_f32); }
void eval_ex2_approx(Step& s) { unary(s, approx::ex2_f32); }
void eval_tanh_approx(Step& s) {
  unary(s, [](uint32_t a, bool) { return approx::tanh_f32(a); });
}

void eval_rcp_approx_f64(Step& s) {
  unary_f64(s, approx::rcp_ftz_f64, [](uint32_t a) { return approx::rcp_f32(a, true); });
}
void eval_rsqrt_approx_f64(Step& s) {
  const bool ftz = s.has(isa::Slot::ftz);
  unary_f64(
      s, [&](uint64_t a) { return approx::rsqrt_f64(a, ftz); },
      [](uint32_t a) { return approx::rsqrt_f32(a, true); });
}

}  // namespace heddle::exec::interp
