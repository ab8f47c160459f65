// Barriers of parts of a block, and of a whole grid.
#ifndef HEDDLE_CG_BARRIER_H
#define HEDDLE_CG_BARRIER_H

namespace cooperative_groups {
namespace __v1 {
namespace details {

HEDDLE_CG void warp_sync(unsigned int mask) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
  __syncwarp(mask);
#endif
}
HEDDLE_CG void named_sync(unsigned int barrier, unsigned int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
HEDDLE_CG unsigned int named_count(unsigned int barrier, unsigned int threads, bool predicate) {
  unsigned int count;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; bar.red.popc.u32 %0, %1, %2, p; }"
               : "=r"(count)
               : "r"(barrier), "r"(threads), "r"((unsigned int)predicate)
               : "memory");
  return count;
}

// What a cooperative launch lends its grid: %envreg1 and %envreg2 hold the address of two words, their size
// and the barrier. A launch that is not cooperative has none.
struct GridWorkspace {
  unsigned int size;
  unsigned int barrier;
};
HEDDLE_CG GridWorkspace* grid_workspace() {
  unsigned int high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (GridWorkspace*)((unsigned long long)high << 32 | low);
}

// Every block adds one, but the first adds as much as makes the sum 2^31 when all are there: the top bit
// flips exactly then, and nothing has to be reset. Returns the value before, of which only that bit counts.
HEDDLE_CG unsigned int grid_arrive(unsigned int* barrier, unsigned long long blocks, bool first) {
  __syncthreads();
  unsigned int before = 0;
  if (rank_in_block() == 0) {
    const unsigned int share = first ? 0x80000000u - ((unsigned int)blocks - 1) : 1u;
    __threadfence();
    before = atomicAdd(barrier, share);
  }
  return before;
}
HEDDLE_CG void grid_wait(unsigned int* barrier, unsigned int before) {
  if (rank_in_block() == 0) {
    volatile unsigned int* current = barrier;
    while (((before ^ *current) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

}  // namespace details
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
