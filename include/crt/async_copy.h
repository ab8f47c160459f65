// Copies from global to shared memory that do not wait (PTX ISA, "cp.async"), from compute capability 8.0 on;
// before it, and wherever source, target or alignment do not suit, plain ones. Under cooperative_groups,
// cuda_pipeline.h and cuda::pipeline.
#ifndef HEDDLE_CRT_ASYNC_COPY_H
#define HEDDLE_CRT_ASYNC_COPY_H

namespace heddle_async {

#define HEDDLE_ASYNC_ static __device__ __forceinline__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 9999
#define HEDDLE_CP_ASYNC_ 1
#else
#define HEDDLE_CP_ASYNC_ 0
#endif

// Copies `bytes` less `zeros` and fills the rest with zeros; bytes is 4, 8 or 16, and both addresses are
// aligned to it.
template <int bytes>
HEDDLE_ASYNC_ void copy_unit(void* to, const void* from, unsigned int source_bytes) {
#if HEDDLE_CP_ASYNC_
  const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
  const size_t global = __cvta_generic_to_global(from);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared), "l"(global),
                 "r"(source_bytes), "n"(bytes)
                 : "memory");
#else
  for (int i = 0; i < bytes; ++i)
    ((char*)to)[i] = (unsigned int)i < source_bytes ? ((const char*)from)[i] : (char)0;
#endif
}
HEDDLE_ASYNC_ void commit() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <unsigned int newer>
HEDDLE_ASYNC_ void wait_prior() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.wait_group %0;" ::"n"(newer) : "memory");
#endif
}
HEDDLE_ASYNC_ void wait_all() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

template <int unit>
HEDDLE_ASYNC_ void copy_plain(char* to, const char* from, size_t bytes, size_t rank, size_t size) {
  struct __attribute__((aligned(unit), may_alias)) Unit {
    char part[unit];
  };
  for (size_t i = rank * unit; i + unit <= bytes; i += size * unit)
    *(Unit*)(to + i) = *(const Unit*)(from + i);
}

// The share of thread `rank` of `size` in a copy by all of them.
HEDDLE_ASYNC_ void copy(void* target, const void* source, size_t bytes, size_t rank, size_t size) {
  char* to = (char*)target;
  const char* from = (const char*)source;
  const size_t alignment = (size_t)to | (size_t)from | bytes;
#if HEDDLE_CP_ASYNC_
  if (__isShared(target) && __isGlobal(source) && (alignment & 3) == 0) {
    if ((alignment & 15) == 0)
      for (size_t i = rank * 16; i < bytes; i += size * 16) copy_unit<16>(to + i, from + i, 16);
    else
      for (size_t i = rank * 4; i < bytes; i += size * 4) copy_unit<4>(to + i, from + i, 4);
    return;
  }
#endif
  if ((alignment & 15) == 0)
    copy_plain<16>(to, from, bytes, rank, size);
  else if ((alignment & 3) == 0)
    copy_plain<4>(to, from, bytes, rank, size);
  else
    copy_plain<1>(to, from, bytes, rank, size);
}

#undef HEDDLE_CP_ASYNC_
#undef HEDDLE_ASYNC_

}  // namespace heddle_async

#endif
