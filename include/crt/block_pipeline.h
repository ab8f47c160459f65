// cuda::pipeline without libcu++ (CUDA C++ Programming Guide, "Asynchronous Data Copies using
// cuda::pipeline"). A thread's own pipeline counts its groups of copies; a block's has a pair of barriers a
// stage: full, and empty again.
#ifndef HEDDLE_CRT_BLOCK_PIPELINE_H
#define HEDDLE_CRT_BLOCK_PIPELINE_H

#include "block_barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char stages_count>
struct pipeline_shared_state {
  struct Stage {
    heddle_detail::BarrierWord<true> full, empty;
  };
  Stage stages[stages_count];
  unsigned int producers, consumers;
};

template <thread_scope Scope>
class pipeline {
 public:
  __device__ void producer_acquire() {
    // The first time round every stage is empty.
    if (round(head_) > 0) wait(stage(head_).empty, (unsigned int)(round(head_) - 1) & 1);
  }
  __device__ void producer_commit() {
    heddle_async::commit();
    heddle_async::wait_all();
    stage(head_).full.arrive(1);
    ++head_;
  }
  __device__ void consumer_wait() { wait(stage(tail_).full, (unsigned int)round(tail_) & 1); }
  __device__ void consumer_release() {
    stage(tail_).empty.arrive(1);
    ++tail_;
  }
  __device__ bool quit() { return false; }

  using Stage = typename pipeline_shared_state<Scope, 1>::Stage;
  __device__ pipeline(void* stages, unsigned int count) : stages_(stages), count_(count) {}

 private:
  struct Pair {
    heddle_detail::BarrierWord<true> full, empty;
  };
  __device__ Pair& stage(unsigned long long i) { return ((Pair*)stages_)[i % count_]; }
  __device__ unsigned long long round(unsigned long long i) const { return i / count_; }
  static __device__ void wait(heddle_detail::BarrierWord<true>& barrier, unsigned int parity) {
    while (!barrier.passed_phase(parity)) {
    }
  }
  void* stages_;
  unsigned int count_;
  unsigned long long head_ = 0, tail_ = 0;
};

// A thread's own: nobody else has to be waited for.
template <>
class pipeline<thread_scope_thread> {
 public:
  __device__ void producer_acquire() {}
  __device__ void producer_commit() {
    heddle_async::commit();
    ++open_;
  }
  __device__ void consumer_wait() {
    // The oldest group; how many are newer must be a constant for PTX.
    switch (open_ ? --open_ : 0) {
      case 0: heddle_async::wait_prior<0>(); break;
      case 1: heddle_async::wait_prior<1>(); break;
      case 2: heddle_async::wait_prior<2>(); break;
      case 3: heddle_async::wait_prior<3>(); break;
      case 4: heddle_async::wait_prior<4>(); break;
      case 5: heddle_async::wait_prior<5>(); break;
      case 6: heddle_async::wait_prior<6>(); break;
      case 7: heddle_async::wait_prior<7>(); break;
      default: heddle_async::wait_prior<8>(); break;
    }
  }
  __device__ void consumer_release() {}
  __device__ bool quit() { return false; }

 private:
  unsigned int open_ = 0;
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

template <unsigned char prior>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  heddle_async::wait_prior<prior>();
}
template <thread_scope Scope>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>& b) {
  heddle_async::commit();
  heddle_async::wait_all();
  (void)b.arrive();
}

namespace heddle_detail {
template <class Group, class State>
__device__ inline pipeline<thread_scope_block> make(const Group& group, State* state, int stages,
                                                    unsigned int producers, unsigned int consumers) {
  if (group.thread_rank() == 0)
    for (int i = 0; i < stages; ++i) {
      state->stages[i].full.init(producers);
      state->stages[i].empty.init(consumers);
    }
  group.sync();
  return pipeline<thread_scope_block>(state->stages, (unsigned int)stages);
}
}  // namespace heddle_detail

// Every thread produces and consumes.
template <class Group, thread_scope Scope, unsigned char stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group,
                                                pipeline_shared_state<Scope, stages>* state) {
  return heddle_detail::make(group, state, stages, (unsigned int)group.size(), (unsigned int)group.size());
}
template <class Group, thread_scope Scope, unsigned char stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group,
                                                pipeline_shared_state<Scope, stages>* state,
                                                size_t producers) {
  return heddle_detail::make(group, state, stages, (unsigned int)producers,
                             (unsigned int)(group.size() - producers));
}
template <class Group, thread_scope Scope, unsigned char stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group,
                                                pipeline_shared_state<Scope, stages>* state,
                                                pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = state->consumers = 0;
  group.sync();
  atomicAdd(role == pipeline_role::producer ? &state->producers : &state->consumers, 1u);
  group.sync();
  return heddle_detail::make(group, state, stages, state->producers, state->consumers);
}

template <class Size, thread_scope Scope>
__device__ inline void memcpy_async(void* dst, const void* src, Size size, pipeline<Scope>&) {
  heddle_async::copy(dst, src, (size_t)size, 0, 1);
}
template <class Group, class Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, void* dst, const void* src, Size size,
                                    pipeline<Scope>&) {
  heddle_async::copy(dst, src, (size_t)size, (size_t)group.thread_rank(), (size_t)group.size());
}

}  // namespace cuda

#endif
