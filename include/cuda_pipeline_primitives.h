// The C form of asynchronous copies (CUDA C++ Programming Guide, "Pipeline Primitives Interface").
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/async_copy.h"

// Copies size - zfill bytes and fills the rest with zeros; size is 4, 8 or 16.
static __device__ __forceinline__ void __pipeline_memcpy_async(void* __restrict__ dst_shared,
                                                               const void* __restrict__ src_global,
                                                               size_t size_and_align, size_t zfill = 0) {
  if (zfill > size_and_align) __trap();
  const unsigned int bytes = (unsigned int)(size_and_align - zfill);
  switch (size_and_align) {
    case 4: heddle_async::copy_unit<4>(dst_shared, src_global, bytes); break;
    case 8: heddle_async::copy_unit<8>(dst_shared, src_global, bytes); break;
    case 16: heddle_async::copy_unit<16>(dst_shared, src_global, bytes); break;
    default: __trap();
  }
}
static __device__ __forceinline__ void __pipeline_commit() { heddle_async::commit(); }
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior) {
  heddle_async::wait_prior(prior);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#include "cuda_awbarrier_primitives.h"

// The barrier's phase waits for the thread's copies so far, besides its arrivals.
static __device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t* barrier) {
  heddle_async::arrive_on(barrier);
}
#endif

#endif

#endif
