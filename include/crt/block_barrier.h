// cuda::barrier without libcu++.
#ifndef HEDDLE_CRT_BLOCK_BARRIER_H
#define HEDDLE_CRT_BLOCK_BARRIER_H

#include "async_copy.h"
#include "barrier_base.h"
#include "barrier_word.h"
#include "scoped_atomic.h"

namespace cuda {

inline namespace HEDDLE_CUDA_ABI_ {
struct __block_scope_barrier_base {};
}  // namespace HEDDLE_CUDA_ABI_

// A size in bytes that is a multiple of, and whose addresses are aligned to, Alignment.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t size) : value(size) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

namespace heddle_detail {
using ::heddle_barrier::Nothing;
template <bool in_a_block>
using BarrierWord = ::heddle_barrier::Word<in_a_block>;
template <class T, class U>
struct Same {
  static constexpr bool value = false;
};
template <class T>
struct Same<T, T> {
  static constexpr bool value = true;
};
// What a barrier derives from: a block's from what cuda_pipeline.h takes, each other from something of its
// own.
template <thread_scope Scope, class Completion>
struct BarrierBase {};
template <>
struct BarrierBase<thread_scope_block, Nothing> : __block_scope_barrier_base {};
}  // namespace heddle_detail

template <thread_scope Scope, class CompletionFunction = heddle_detail::Nothing>
class barrier : public heddle_detail::BarrierBase<Scope, CompletionFunction> {
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

using ::cuda::barrier_native_handle;

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

}  // namespace cuda

#endif
