// The C form of asynchronous barriers (CUDA C++ Programming Guide, "mbarrier Primitives Interface"): PTX's
// own from compute capability 8.0 on, counted in a word before it.
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "asynchronous barriers need compute capability 7.0: before it a thread that waits holds up its warp"
#endif

#include "crt/barrier_word.h"

#if defined(__CUDACC_RTC__)
typedef unsigned long long __mbarrier_t;
#else
typedef __UINT64_TYPE__ __mbarrier_t;  // uint64_t
#endif
typedef __mbarrier_t __mbarrier_token_t;

#define HEDDLE_MBARRIER_ static __device__ __forceinline__

namespace heddle_barrier {

HEDDLE_MBARRIER_ Word<true>& of(__mbarrier_t* barrier) { return *(Word<true>*)barrier; }

// Asks until the answer is yes or the time is over.
template <class Question>
HEDDLE_MBARRIER_ bool ask_for(unsigned int nanoseconds, Question passed) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    if (passed()) return true;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
  return false;
}

}  // namespace heddle_barrier

// As many as cuda_awbarrier.h has, whatever the device could count.
static __host__ __device__ inline unsigned int __mbarrier_maximum_count() { return (1u << 14) - 1; }

HEDDLE_MBARRIER_ void __mbarrier_init(__mbarrier_t* barrier, unsigned int expected_count) {
  heddle_barrier::of(barrier).init(expected_count);
}
HEDDLE_MBARRIER_ void __mbarrier_inval(__mbarrier_t* barrier) { heddle_barrier::of(barrier).invalidate(); }
HEDDLE_MBARRIER_ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return heddle_barrier::of(barrier).arrive(1);
}
HEDDLE_MBARRIER_ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return heddle_barrier::of(barrier).drop();
}
HEDDLE_MBARRIER_ unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return heddle_barrier::Word<true>::pending(token);
}
HEDDLE_MBARRIER_ bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return heddle_barrier::of(barrier).passed(token);
}
HEDDLE_MBARRIER_ bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool phase_parity) {
  return heddle_barrier::of(barrier).passed_phase(phase_parity);
}
// These may sleep so long before they say no.
HEDDLE_MBARRIER_ bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token,
                                          unsigned int max_sleep_nanosec) {
  return heddle_barrier::ask_for(max_sleep_nanosec,
                                 [=] { return heddle_barrier::of(barrier).passed(token); });
}
HEDDLE_MBARRIER_ bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool phase_parity,
                                                 unsigned int max_sleep_nanosec) {
  return heddle_barrier::ask_for(max_sleep_nanosec,
                                 [=] { return heddle_barrier::of(barrier).passed_phase(phase_parity); });
}
#undef HEDDLE_MBARRIER_

#endif

#endif
