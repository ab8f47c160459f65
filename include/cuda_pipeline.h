// nvcuda::experimental::pipeline, CUDA 11's C++ form of asynchronous copies: the interface before
// cuda::pipeline. From compute capability 8.0 on the copies are PTX's cp.async, before it they have happened
// when the call returns.
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#if __cplusplus < 201103L
#error "cuda_pipeline.h needs C++11"
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#include "crt/barrier_base.h"
#include "cuda_awbarrier.h"
#endif

namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __device__ pipeline() {}
  pipeline(const pipeline&) = delete;
  pipeline(pipeline&&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  pipeline& operator=(pipeline&&) = delete;

  // Makes a batch of the copies since the last one, and gives its number.
  __device__ size_t commit() {
    __pipeline_commit();
    return committed_++;
  }
  __device__ void commit_and_wait() {
    commit();
    wait_prior<0>();
  }
  // For a batch and all before it.
  __device__ void wait(size_t batch) {
    __pipeline_wait_prior(batch < committed_ ? committed_ - 1 - batch : 0);
  }
  // For all batches but the N newest.
  template <unsigned N>
  __device__ void wait_prior() {
    heddle_async::wait_prior<N>();
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  // The barrier's phase waits for the copies so far.
  __device__ void arrive_on(awbarrier& barrier) { __pipeline_arrive_on(&barrier.barrier_); }
  __device__ void arrive_on(::cuda::__block_scope_barrier_base& barrier) {
    __pipeline_arrive_on(reinterpret_cast<__mbarrier_t*>(&barrier));
  }
#endif

 private:
  size_t committed_ = 0;
};

// An object of any size. What is not trivially copyable is assigned, and so is what does not go from global
// to shared memory.
template <class T>
__device__ inline void memcpy_async(T& dst, const T& src, pipeline&) {
  heddle_async::copy_object(dst, src, heddle_async::Truth<__is_trivially_copyable(T)>());
}

// SrcN elements, and zeros behind them up to DstN.
template <class T, size_t DstN, size_t SrcN>
__device__ inline void memcpy_async(T (*dst)[DstN], const T (*src)[SrcN], pipeline&) {
  static_assert(sizeof(*dst) == 4 || sizeof(*dst) == 8 || sizeof(*dst) == 16,
                "an array that is copied asynchronously has 4, 8 or 16 bytes");
  static_assert(SrcN <= DstN, "an asynchronous copy's source is no larger than its target");
  heddle_async::copy_array(*dst, *src, heddle_async::Truth<__is_trivially_copyable(T)>());
}

}  // namespace experimental
}  // namespace nvcuda

#endif

#endif
