// The C form of asynchronous barriers (CUDA C++ Programming Guide, "mbarrier Primitives Interface"), from
// compute capability 8.0 on.
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/block_barrier.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

#define HEDDLE_MBARRIER_ static __device__ __forceinline__
HEDDLE_MBARRIER_ unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
HEDDLE_MBARRIER_ void __mbarrier_init(__mbarrier_t* b, unsigned int expected) {
  ((cuda::heddle_detail::BarrierWord<true>*)b)->init(expected);
}
HEDDLE_MBARRIER_ void __mbarrier_inval(__mbarrier_t*) {}
HEDDLE_MBARRIER_ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* b) {
  return ((cuda::heddle_detail::BarrierWord<true>*)b)->arrive(1);
}
HEDDLE_MBARRIER_ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* b) {
  ((cuda::heddle_detail::BarrierWord<true>*)b)->drop();
  return 0;
}
HEDDLE_MBARRIER_ bool __mbarrier_test_wait(__mbarrier_t* b, __mbarrier_token_t token) {
  return ((cuda::heddle_detail::BarrierWord<true>*)b)->passed(token);
}
HEDDLE_MBARRIER_ bool __mbarrier_test_wait_parity(__mbarrier_t* b, bool parity) {
  return ((cuda::heddle_detail::BarrierWord<true>*)b)->passed_phase(parity);
}
#undef HEDDLE_MBARRIER_

#endif

#endif
