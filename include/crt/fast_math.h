// -use_fast_math: functions of floats that mean their intrinsics (CUDA C++ Programming Guide, "Functions
// Affected by -use_fast_math"). clang's wrapper does so for sinf, cosf, sincosf, logf and log2f alone; for
// the others, what it calls of libdevice gets the intrinsic's name here. crt/fast_math_end.h takes the names
// back.
#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
#define __nv_expf __nv_fast_expf
#define __nv_exp10f __nv_fast_exp10f
#define __nv_log10f __nv_fast_log10f
#define __nv_powf __nv_fast_powf
#define __nv_tanf __nv_fast_tanf
#define __nv_tanhf __tanhf
#endif
