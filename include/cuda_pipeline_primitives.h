// The C form of asynchronous copies (CUDA C++ Programming Guide, "Pipeline Primitives Interface").
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/async_copy.h"

// Copies size - zfill bytes and fills the rest with zeros; size is 4, 8 or 16.
static __device__ __forceinline__ void __pipeline_memcpy_async(void* dst_shared, const void* src_global,
                                                               size_t size, size_t zfill = 0) {
  const unsigned int bytes = (unsigned int)(size - zfill);
  switch (size) {
    case 4: heddle_async::copy_unit<4>(dst_shared, src_global, bytes); break;
    case 8: heddle_async::copy_unit<8>(dst_shared, src_global, bytes); break;
    case 16: heddle_async::copy_unit<16>(dst_shared, src_global, bytes); break;
    default: __trap();
  }
}
static __device__ __forceinline__ void __pipeline_commit() { heddle_async::commit(); }
// A macro, because PTX wants a constant.
#define __pipeline_wait_prior(n) heddle_async::wait_prior<(n)>()

#endif

#endif
