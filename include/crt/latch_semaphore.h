// cuda::latch and cuda::counting_semaphore without libcu++: words that threads of a scope count in and wait
// for (ISO C++20, [thread.latch] and [thread.sema]).
#ifndef HEDDLE_CRT_LATCH_SEMAPHORE_H
#define HEDDLE_CRT_LATCH_SEMAPHORE_H

#include "scoped_atomic.h"

namespace cuda {

// Opens once, when so many have arrived.
template <thread_scope Scope>
class latch {
 public:
  __host__ __device__ constexpr explicit latch(ptrdiff_t expected) : missing_(expected) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  static constexpr __host__ __device__ ptrdiff_t max() noexcept { return (ptrdiff_t)(~(size_t)0 >> 1); }
  __host__ __device__ void count_down(ptrdiff_t update = 1) {
    missing_.fetch_sub(update, memory_order_release);
  }
  __host__ __device__ bool try_wait() const noexcept { return missing_.load(memory_order_acquire) == 0; }
  __host__ __device__ void wait() const {
    while (!try_wait()) {
    }
  }
  __host__ __device__ void arrive_and_wait(ptrdiff_t update = 1) {
    count_down(update);
    wait();
  }

 private:
  atomic<ptrdiff_t, Scope> missing_;
};

template <thread_scope Scope, ptrdiff_t LeastMaximum = (ptrdiff_t)(~(size_t)0 >> 1)>
class counting_semaphore {
 public:
  __host__ __device__ constexpr explicit counting_semaphore(ptrdiff_t desired = 0) : count_(desired) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  static constexpr __host__ __device__ ptrdiff_t max() noexcept { return LeastMaximum; }
  __host__ __device__ void release(ptrdiff_t update = 1) { count_.fetch_add(update, memory_order_release); }
  __host__ __device__ bool try_acquire() noexcept {
    ptrdiff_t seen = count_.load(memory_order_relaxed);
    while (seen > 0)
      if (count_.compare_exchange_weak(seen, seen - 1, memory_order_acquire, memory_order_relaxed))
        return true;
    return false;
  }
  __host__ __device__ void acquire() {
    while (!try_acquire()) {
    }
  }

 private:
  atomic<ptrdiff_t, Scope> count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {
using latch = ::cuda::latch<thread_scope_system>;
template <ptrdiff_t LeastMaximum = (ptrdiff_t)(~(size_t)0 >> 1)>
using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, LeastMaximum>;
using binary_semaphore = ::cuda::binary_semaphore<thread_scope_system>;
}  // namespace std

}  // namespace cuda

#endif
