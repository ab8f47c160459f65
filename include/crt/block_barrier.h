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

// Counted in an ordinary word, wherever it lies. Bits 0-20: arrivals still missing; 21-41: how many each
// phase needs; 63: parity of the phase.
struct CountedWord {
  static constexpr unsigned long long field = (1ull << 21) - 1, parity_bit = 1ull << 63;
  unsigned long long word;

  __device__ void init(unsigned int count) {
    word = (unsigned long long)count | (unsigned long long)count << 21;
  }
  // Who brings the last arrival does `completion` before anybody passes: with all that arrived before it, and
  // nobody else may arrive until the phase has ended.
  template <class Completion>
  __device__ unsigned long long change(unsigned int arrivals, unsigned int leaving, Completion& completion) {
    unsigned long long seen = *(volatile unsigned long long*)&word, expected, missing, needed;
    __threadfence();
    do {
      expected = seen;
      needed = (expected >> 21 & field) - leaving;
      missing = (expected & field) - arrivals;
      seen = atomicCAS(&word, expected, missing | needed << 21 | (expected & parity_bit));
    } while (seen != expected);
    if (missing == 0) {
      __threadfence();
      completion();
      __threadfence();
      atomicExch(&word, needed | needed << 21 | ((expected & parity_bit) ^ parity_bit));
    }
    return expected & parity_bit;
  }
  __device__ bool passed(unsigned long long token) const {
    const bool is = (*(volatile const unsigned long long*)&word & parity_bit) != token;
    if (is) __threadfence();
    return is;
  }
  __device__ bool passed_phase(unsigned int parity) const { return passed(parity & 1 ? parity_bit : 0); }
};

// A word that is PTX's own barrier where there is such a thing and it lies in shared memory.
template <bool in_a_block>
struct BarrierWord : CountedWord {
#if HEDDLE_MBARRIER_
  __device__ bool native() const { return in_a_block && __isShared(this); }
  __device__ unsigned int at() const { return (unsigned int)__cvta_generic_to_shared(this); }
  __device__ void init(unsigned int count) {
    if (!native()) return CountedWord::init(count);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"(count) : "memory");
  }
  template <class Completion>
  __device__ unsigned long long arrive(unsigned int count, Completion& completion) {
    if (!native()) return this->change(count, 0, completion);
    unsigned long long token = 0;
    for (unsigned int i = 0; i < count; ++i)
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at()) : "memory");
    return token;
  }
  template <class Completion>
  __device__ void drop(Completion& completion) {
    if (!native()) return (void)this->change(1, 1, completion);
    asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.shared.b64 t, [%0]; }" ::"r"(at()) : "memory");
  }
  __device__ bool passed(unsigned long long token) const {
    if (!native()) return CountedWord::passed(token);
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at()), "l"(token)
                 : "memory");
    return done;
  }
  __device__ bool passed_phase(unsigned int parity) const {
    if (!native()) return CountedWord::passed_phase(parity);
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at()), "r"(parity)
                 : "memory");
    return done;
  }
#else
  template <class Completion>
  __device__ unsigned long long arrive(unsigned int count, Completion& completion) {
    return this->change(count, 0, completion);
  }
  template <class Completion>
  __device__ void drop(Completion& completion) {
    this->change(1, 1, completion);
  }
#endif
  __device__ unsigned long long arrive(unsigned int count) {
    Nothing nothing;
    return arrive(count, nothing);
  }
  __device__ void drop() {
    Nothing nothing;
    drop(nothing);
  }
};
template <class T, class U>
struct Same {
  static constexpr bool value = false;
};
template <class T>
struct Same<T, T> {
  static constexpr bool value = true;
};
}  // namespace heddle_detail

template <thread_scope Scope, class CompletionFunction = heddle_detail::Nothing>
class barrier {
 public:
  using arrival_token = unsigned long long;

  barrier() = default;
  __device__ barrier(ptrdiff_t expected, CompletionFunction completion = CompletionFunction())
      : completion_(static_cast<CompletionFunction&&>(completion)) {
    word_.init((unsigned int)expected);
  }
  __device__ ~barrier() {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  __device__ friend inline void init(barrier* b, ptrdiff_t expected) { new (b) barrier(expected); }
  __device__ friend inline void init(barrier* b, ptrdiff_t expected, CompletionFunction completion) {
    new (b) barrier(expected, static_cast<CompletionFunction&&>(completion));
  }
  static constexpr __host__ __device__ ptrdiff_t max() { return (1 << 20) - 1; }

  [[nodiscard]] __device__ arrival_token arrive(ptrdiff_t update = 1) {
    return word_.arrive((unsigned int)update, completion_);
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
  __device__ void arrive_and_drop() { word_.drop(completion_); }

 private:
  // PTX's barriers are a block's, and know nothing of functions.
  static constexpr bool native = (Scope == thread_scope_block || Scope == thread_scope_thread) &&
                                 heddle_detail::Same<CompletionFunction, heddle_detail::Nothing>::value;
  mutable heddle_detail::BarrierWord<native> word_;
  [[no_unique_address]] CompletionFunction completion_;
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

// Bytes that a phase waits for besides arrivals (libcu++, "Extended API", memory access properties of compute
// capability 9.0): announced here, and counted by the copies themselves.
namespace device {

__device__ inline void barrier_expect_tx(barrier<thread_scope_block>& b, ptrdiff_t transaction_count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ != 9999
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   (unsigned int)__cvta_generic_to_shared(barrier_native_handle(b))),
               "r"((unsigned int)transaction_count)
               : "memory");
#else
  (void)b, (void)transaction_count;
  __builtin_trap();
#endif
}

[[nodiscard]] __device__ inline barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block>& b, ptrdiff_t arrive_count, ptrdiff_t transaction_count) {
  barrier_expect_tx(b, transaction_count);
  return b.arrive(arrive_count);
}

// From global to shared memory, both aligned to 16 bytes; whoever waits for the barrier has announced as many
// bytes.
template <class T, size_t Alignment>
__device__ inline void memcpy_async_tx(T* destination, const T* source, aligned_size_t<Alignment> size,
                                       barrier<thread_scope_block>& b) {
  static_assert(Alignment >= 16, "bulk copies are of 16 bytes and multiples");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ != 9999
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          (unsigned int)__cvta_generic_to_shared(destination)),
      "l"(__cvta_generic_to_global(source)), "r"((unsigned int)size.value),
      "r"((unsigned int)__cvta_generic_to_shared(barrier_native_handle(b)))
      : "memory");
#else
  (void)destination, (void)source, (void)size, (void)b;
  __builtin_trap();
#endif
}

}  // namespace device

#undef HEDDLE_MBARRIER_

}  // namespace cuda

#endif
