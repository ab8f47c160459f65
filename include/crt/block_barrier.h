// cuda::barrier without libcu++: PTX's mbarrier from compute capability 8.0 on (PTX ISA, "Parallel
// Synchronization: mbarrier"), and before it the same counts in an ordinary word.
#ifndef HEDDLE_CRT_BLOCK_BARRIER_H
#define HEDDLE_CRT_BLOCK_BARRIER_H

#include "async_copy.h"
#include "scoped_atomic.h"

namespace cuda {

// A size in bytes that is a multiple of, and whose addresses are aligned to, Alignment.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t size) : value(size) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

namespace heddle_detail {
struct Nothing {
  __device__ void operator()() const {}
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 9999
#define HEDDLE_MBARRIER_ 1
#else
#define HEDDLE_MBARRIER_ 0
#endif

// The barrier's word; `expected` is kept beside it where there is no mbarrier.
struct BarrierWord {
  unsigned long long word;

#if HEDDLE_MBARRIER_
  __device__ unsigned int at() const { return (unsigned int)__cvta_generic_to_shared(this); }
  __device__ void init(unsigned int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"(count) : "memory");
  }
  __device__ unsigned long long arrive(unsigned int count) {
    unsigned long long token = 0;
    for (unsigned int i = 0; i < count; ++i)
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at()) : "memory");
    return token;
  }
  __device__ void drop() {
    asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.shared.b64 t, [%0]; }" ::"r"(at()) : "memory");
  }
  __device__ bool passed(unsigned long long token) const {
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at()), "l"(token)
                 : "memory");
    return done;
  }
  __device__ bool passed_phase(unsigned int parity) const {
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at()), "r"(parity)
                 : "memory");
    return done;
  }
#else
  // Bits 0-20: arrivals still missing; 21-41: how many each phase needs; 63: parity of the phase.
  static constexpr unsigned long long field = (1ull << 21) - 1, parity_bit = 1ull << 63;
  __device__ void init(unsigned int count) {
    word = (unsigned long long)count | (unsigned long long)count << 21;
  }
  __device__ unsigned long long change(unsigned int arrivals, unsigned int leaving) {
    unsigned long long seen = *(volatile unsigned long long*)&word, expected;
    __threadfence();
    do {
      expected = seen;
      const unsigned long long needed = (expected >> 21 & field) - leaving,
                               missing = (expected & field) - arrivals;
      const unsigned long long parity = expected & parity_bit;
      const unsigned long long next =
          missing == 0 ? needed | needed << 21 | (parity ^ parity_bit) : missing | needed << 21 | parity;
      seen = atomicCAS(&word, expected, next);
    } while (seen != expected);
    return expected & parity_bit;
  }
  __device__ unsigned long long arrive(unsigned int count) { return change(count, 0); }
  __device__ void drop() { change(1, 1); }
  __device__ bool passed(unsigned long long token) const {
    const bool is = (*(volatile const unsigned long long*)&word & parity_bit) != token;
    if (is) __threadfence();
    return is;
  }
  __device__ bool passed_phase(unsigned int parity) const { return passed(parity & 1 ? parity_bit : 0); }
#endif
};
}  // namespace heddle_detail

template <thread_scope Scope, class CompletionFunction = heddle_detail::Nothing>
class barrier {
 public:
  using arrival_token = unsigned long long;

  barrier() = default;
  __device__ barrier(ptrdiff_t expected) { word_.init((unsigned int)expected); }
  __device__ ~barrier() {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  __device__ friend inline void init(barrier* b, ptrdiff_t expected) {
    b->word_.init((unsigned int)expected);
  }
  __device__ friend inline void init(barrier* b, ptrdiff_t expected, CompletionFunction) {
    b->word_.init((unsigned int)expected);
  }
  static constexpr __host__ __device__ ptrdiff_t max() { return (1 << 20) - 1; }

  [[nodiscard]] __device__ arrival_token arrive(ptrdiff_t update = 1) {
    return word_.arrive((unsigned int)update);
  }
  __device__ void wait(arrival_token&& token) const {
    while (!word_.passed(token)) {
    }
  }
  __device__ void wait_parity(bool parity) const {
    while (!word_.passed_phase(parity)) {
    }
  }
  __device__ bool try_wait(arrival_token&& token) const { return word_.passed(token); }
  __device__ bool try_wait_parity(bool parity) const { return word_.passed_phase(parity); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() { word_.drop(); }

 private:
  mutable heddle_detail::BarrierWord word_;
};

// The barrier's machine form (CUDA C++ Programming Guide, "Asynchronous Barrier").
template <thread_scope Scope>
__device__ inline unsigned long long* barrier_native_handle(barrier<Scope>& b) {
  return reinterpret_cast<unsigned long long*>(&b);
}

// Copies that the barrier's phase waits for. The copy has happened when this returns, so whoever arrives
// after it brings it along.
template <class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(void* dst, const void* src, Size size, barrier<Scope, Completion>&) {
  heddle_async::copy(dst, src, (size_t)size, 0, 1);
  heddle_async::commit();
  heddle_async::wait_all();
}
template <class Group, class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(const Group& group, void* dst, const void* src, Size size,
                                    barrier<Scope, Completion>&) {
  heddle_async::copy(dst, src, (size_t)size, (size_t)group.thread_rank(), (size_t)group.size());
  heddle_async::commit();
  heddle_async::wait_all();
}

#undef HEDDLE_MBARRIER_

}  // namespace cuda

#endif
