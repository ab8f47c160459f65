// nvcuda::experimental::awbarrier, CUDA 11's C++ form of asynchronous barriers: the interface before
// cuda::barrier.
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#if __cplusplus < 201103L
#error "cuda_awbarrier.h needs C++11"
#endif

namespace nvcuda {
namespace experimental {

class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    ~arrival_token() = default;
    // How many arrivals the phase still lacked before this one.
    __device__ unsigned int pending_count() const { return __mbarrier_token_pending_count(token_); }

   private:
    __device__ explicit arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
    friend class awbarrier;
  };

  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;
  ~awbarrier() = default;

  __device__ arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
  __device__ arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&barrier_)); }
  __device__ void wait(arrival_token token) {
    while (!__mbarrier_test_wait(&barrier_, token.token_)) {
    }
  }
  __device__ void arrive_and_wait() { wait(arrive()); }
  // Whether the phase ended within so many cycles.
  __device__ bool timed_wait(arrival_token token, unsigned int hint_cycles) {
    const long long start = clock64();
    do {
      if (__mbarrier_test_wait(&barrier_, token.token_)) return true;
    } while (clock64() - start < (long long)hint_cycles);
    return false;
  }
  __device__ bool timed_wait_parity(bool phase, unsigned int hint_cycles) {
    const long long start = clock64();
    do {
      if (__mbarrier_test_wait_parity(&barrier_, phase)) return true;
    } while (clock64() - start < (long long)hint_cycles);
    return false;
  }
  __device__ bool try_wait(arrival_token token, unsigned int maxSleepNanosec) {
    return __mbarrier_try_wait(&barrier_, token.token_, maxSleepNanosec);
  }
  __device__ bool try_wait_parity(bool phase, unsigned int maxSleepNanosec) {
    return __mbarrier_try_wait_parity(&barrier_, phase, maxSleepNanosec);
  }
  static __host__ __device__ constexpr unsigned int max() { return (1u << 14) - 1; }

 private:
  __mbarrier_t barrier_;
  friend __device__ inline void init(awbarrier* barrier, unsigned int expected_count);
  friend __device__ inline void inval(awbarrier* barrier);
  friend class pipeline;
};

__device__ inline void init(awbarrier* barrier, unsigned int expected_count) {
  __mbarrier_init(&barrier->barrier_, expected_count);
}
__device__ inline void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->barrier_); }

static_assert(sizeof(awbarrier) == 8 && alignof(awbarrier) == 8, "as PTX's own");

}  // namespace experimental
}  // namespace nvcuda

#endif

#endif
