// Addresses of one memory space and generic ones (CUDA C++ Programming Guide, "Address Space Conversion Functions").
// The predicates __isGlobal() and so on are clang's.
#ifndef HEDDLE_SM_20_INTRINSICS_HPP
#define HEDDLE_SM_20_INTRINSICS_HPP

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#define HEDDLE_SPACE_(name, number)                                                                 \
  static __device__ __forceinline__ size_t __cvta_generic_to_##name(const void* p) {                \
    return (size_t)(void __attribute__((address_space(number)))*)p;                                 \
  }                                                                                                 \
  static __device__ __forceinline__ void* __cvta_##name##_to_generic(size_t p) {                    \
    return (void*)(void __attribute__((address_space(number)))*)p;                                  \
  }
HEDDLE_SPACE_(global, 1)
HEDDLE_SPACE_(shared, 3)
HEDDLE_SPACE_(constant, 4)
HEDDLE_SPACE_(local, 5)
#undef HEDDLE_SPACE_

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
static __device__ __forceinline__ unsigned int __isGridConstant(const void* p) {
  unsigned int is;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
  return is;
}
static __device__ __forceinline__ size_t __cvta_generic_to_grid_constant(const void* p) {
  size_t address;
  asm("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
static __device__ __forceinline__ void* __cvta_grid_constant_to_generic(size_t p) {
  void* address;
  asm("cvta.param.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
#endif

#endif

#endif
