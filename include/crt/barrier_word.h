// The word of a barrier in memory: PTX's mbarrier from compute capability 8.0 on (PTX ISA, "Parallel
// Synchronization: mbarrier"), and before it the same counts in an ordinary word. Under cuda::barrier and
// cuda_awbarrier.h, which may meet libcu++'s cuda::barrier: nothing here is in namespace cuda.
#ifndef HEDDLE_CRT_BARRIER_WORD_H
#define HEDDLE_CRT_BARRIER_WORD_H

namespace heddle_barrier {

// What is called at a phase's end where nothing is.
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
  // Gives the word as it was before. Who brings the last arrival does `completion` before anybody passes:
  // with all that arrived before it, and nobody else may arrive until the phase has ended.
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
    return expected;
  }
  __device__ bool passed(unsigned long long token) const {
    const bool is = ((*(volatile const unsigned long long*)&word ^ token) & parity_bit) != 0;
    if (is) __threadfence();
    return is;
  }
  __device__ bool passed_phase(unsigned int parity) const { return passed(parity & 1 ? parity_bit : 0); }
};

// A word that is PTX's own barrier where there is such a thing and it lies in shared memory.
template <bool in_a_block>
struct Word : CountedWord {
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
  __device__ unsigned long long drop(Completion& completion) {
    if (!native()) return this->change(1, 1, completion);
    unsigned long long token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(at()) : "memory");
    return token;
  }
  __device__ void invalidate() {
    if (native()) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at()) : "memory");
  }
  // How many arrivals were missing before the one that gave the token.
  __device__ static unsigned int pending(unsigned long long token) {
    unsigned int count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
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
  __device__ unsigned long long drop(Completion& completion) {
    return this->change(1, 1, completion);
  }
  __device__ void invalidate() {}
  __device__ static unsigned int pending(unsigned long long token) {
    return (unsigned int)(token & CountedWord::field);
  }
#endif
  __device__ unsigned long long arrive(unsigned int count) {
    Nothing nothing;
    return arrive(count, nothing);
  }
  __device__ unsigned long long drop() {
    Nothing nothing;
    return drop(nothing);
  }
};

#undef HEDDLE_MBARRIER_

}  // namespace heddle_barrier

#endif
