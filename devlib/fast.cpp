// The fast intrinsics, as the CUDA C++ Programming Guide defines them ("Mathematical Functions Appendix",
// "Intrinsic Functions"):
// __expf(x) is ex2.approx of x log2(e), __powf(x, y) is ex2.approx of y lg2.approx(x), and so on.
#include "devlib.h"

extern "C" {

API float __nv_fast_sinf(float a) { return F32(sin_approx, a); }
API float __nv_fast_cosf(float a) { return F32(cos_approx, a); }
API void __nv_fast_sincosf(float a, float* s, float* c) {
  *s = __nv_fast_sinf(a);
  *c = __nv_fast_cosf(a);
}
API float __nv_fast_fdividef(float a, float b) { return F32(div_approx, a, b); }
API float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
API float __nv_fast_log2f(float a) { return F32(lg2_approx, a); }
API float __nv_fast_logf(float a) { return F32(mul_rn, F32(lg2_approx, a), 0.693147182f); }
API float __nv_fast_log10f(float a) { return F32(mul_rn, F32(lg2_approx, a), 0.301029996f); }
API float __nv_fast_expf(float a) { return F32(ex2_approx, F32(mul_rn, a, 1.44269502f)); }
API float __nv_fast_exp10f(float a) { return F32(ex2_approx, F32(mul_rn, a, 3.32192802f)); }
API float __nv_fast_powf(float a, float b) { return F32(ex2_approx, F32(mul_rn, b, F32(lg2_approx, a))); }
}
