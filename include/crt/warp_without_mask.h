// Warp functions that name no lanes: __shfl() and the votes (CUDA C++ Programming Guide, "Warp Shuffle
// Functions", "Warp Vote Functions"). They are deprecated; from compute capability 7.0 on, whose lanes go
// apart as they like, there are no such shuffles. clang's wrapper defines them without a word, so they are
// declared here, before it does.
#ifndef HEDDLE_CRT_WARP_WITHOUT_MASK_H
#define HEDDLE_CRT_WARP_WITHOUT_MASK_H

#define HEDDLE_UNMASKED_(name) \
  inline __device__            \
      __attribute__((deprecated(#name "() does not say which lanes take part: use " #name "_sync()")))

// On the host side clang gives __CUDA_ARCH__ the value 9999 while it reads its wrapper.
#if __CUDA_ARCH__ < 700 || __CUDA_ARCH__ == 9999
#define HEDDLE_SHUFFLE_(name, type, lane) HEDDLE_UNMASKED_(name) type name(type, lane, int);
#define HEDDLE_SHUFFLES_(name, lane)              \
  HEDDLE_SHUFFLE_(name, int, lane)                \
  HEDDLE_SHUFFLE_(name, unsigned int, lane)       \
  HEDDLE_SHUFFLE_(name, long, lane)               \
  HEDDLE_SHUFFLE_(name, unsigned long, lane)      \
  HEDDLE_SHUFFLE_(name, long long, lane)          \
  HEDDLE_SHUFFLE_(name, unsigned long long, lane) \
  HEDDLE_SHUFFLE_(name, float, lane)              \
  HEDDLE_SHUFFLE_(name, double, lane)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
HEDDLE_SHUFFLES_(__shfl, int)
HEDDLE_SHUFFLES_(__shfl_up, unsigned int)
HEDDLE_SHUFFLES_(__shfl_down, unsigned int)
HEDDLE_SHUFFLES_(__shfl_xor, int)
#endif
#undef HEDDLE_SHUFFLES_
#undef HEDDLE_SHUFFLE_
#else
// Given back in crt/wrapper_end.h.
#define __shfl heddle_replaced__shfl
#define __shfl_up heddle_replaced__shfl_up
#define __shfl_down heddle_replaced__shfl_down
#define __shfl_xor heddle_replaced__shfl_xor
#endif

// LLVM has votes from compute capability 3.0 on. Those of earlier devices are in warp_votes.h, and clang's
// get other names, which are given back in crt/wrapper_end.h.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#define __all heddle_replaced__all
#define __any heddle_replaced__any
#define __ballot heddle_replaced__ballot
#else
static __device__
    __attribute__((deprecated("__all() does not say which lanes take part: use __all_sync()"))) int
    __all(int);
static __device__
    __attribute__((deprecated("__any() does not say which lanes take part: use __any_sync()"))) int
    __any(int);
static __device__ __attribute__((
    deprecated("__ballot() does not say which lanes take part: use __ballot_sync()"))) unsigned int
__ballot(int);
#endif

#undef HEDDLE_UNMASKED_

#endif
