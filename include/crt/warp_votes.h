// Votes of devices before compute capability 3.0 (CUDA C Programming Guide 4.0, B.12: __all() and __any()
// from 1.2 on, __ballot() from 2.0 on). Programs for devices without them do not find their names.
#ifndef HEDDLE_CRT_WARP_VOTES_H
#define HEDDLE_CRT_WARP_VOTES_H

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300

#if __CUDA_ARCH__ >= 120
static __inline__ __device__ int __all(int predicate) {
  int result;
  asm volatile(
      "{ .reg .pred %%mine, %%whole; setp.ne.s32 %%mine, %1, 0; vote.all.pred %%whole, %%mine; "
      "selp.s32 %0, 1, 0, %%whole; }"
      : "=r"(result)
      : "r"(predicate));
  return result;
}
static __inline__ __device__ int __any(int predicate) {
  int result;
  asm volatile(
      "{ .reg .pred %%mine, %%whole; setp.ne.s32 %%mine, %1, 0; vote.any.pred %%whole, %%mine; "
      "selp.s32 %0, 1, 0, %%whole; }"
      : "=r"(result)
      : "r"(predicate));
  return result;
}
#endif

#if __CUDA_ARCH__ >= 200
static __inline__ __device__ unsigned int __ballot(int predicate) {
  unsigned int result;
  asm volatile("{ .reg .pred %%mine; setp.ne.s32 %%mine, %1, 0; vote.ballot.b32 %0, %%mine; }"
               : "=r"(result)
               : "r"(predicate));
  return result;
}
#endif

#endif

#endif
