// The end of what crt/fast_math.h began, and the one intrinsic that clang's wrapper lacks.
#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
#undef __nv_expf
#undef __nv_exp10f
#undef __nv_log10f
#undef __nv_powf
#undef __nv_tanf
#undef __nv_tanhf
#endif

// CUDA Math API, "Single Precision Intrinsics". Devices have an instruction for it from compute
// capability 7.5 on.
extern "C" __device__ float __nv_tanhf(float);
extern "C" __device__ inline __attribute__((always_inline)) float __tanhf(float a) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return __nv_tanhf(a);
#endif
}
