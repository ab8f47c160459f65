// Who a thread is: ranks, counts and masks that every group is made of.
#ifndef HEDDLE_CG_THREAD_H
#define HEDDLE_CG_THREAD_H

#define HEDDLE_CG static __device__ __forceinline__
#define HEDDLE_CG_MEMBER __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {
namespace details {

HEDDLE_CG unsigned int lane() {
  unsigned int id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
HEDDLE_CG unsigned int lanes_below() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

HEDDLE_CG unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_CG unsigned int rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_CG unsigned long long grid_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
HEDDLE_CG unsigned long long block_in_grid() {
  return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

// The bits of `bits` at the places where `mask` has ones, moved together: lanes become ranks.
HEDDLE_CG unsigned int pack(unsigned int bits, unsigned int mask) {
  if (mask == 0xffffffffu) return bits;
  unsigned int packed = 0;
  for (int rank = 0; mask; ++rank, mask &= mask - 1) packed |= (bits >> (__ffs((int)mask) - 1) & 1u) << rank;
  return packed;
}
// The lane of a rank: the place of the mask's rank-th one.
HEDDLE_CG unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  if (mask == 0xffffffffu) return rank;
  for (unsigned int i = 0; i < rank; ++i) mask &= mask - 1;
  return mask ? (unsigned int)__ffs((int)mask) - 1 : 32u;
}

}  // namespace details
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
