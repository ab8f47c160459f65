// Cooperative groups over two blocks of 64 threads; thread i has the value i.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_60 %s -o %t60.ptx
// RUN: %cuda_ptx --cuda-gpu-arch=sm_90 %s -o %t90.ptx
// RUN: %heddle ptx run %t60.ptx --kernel tiles --block 64 --arg a:out:s32*64 --arg b:out:s32*64 | FileCheck %s --check-prefix=TILES
// RUN: %heddle ptx run %t90.ptx --kernel tiles --block 64 --arg a:out:s32*64 --arg b:out:s32*64 | FileCheck %s --check-prefix=TILES
// RUN: %heddle ptx run %t90.ptx --kernel partitions --block 32 --arg a:out:s32*32 --arg b:out:s32*32 | FileCheck %s --check-prefix=PARTS
// RUN: %heddle ptx run %t60.ptx --kernel grid --grid 3 --block 64 --cooperative --arg sums:inout:s32=0,0,0,0 --arg o:out:s32*3 | FileCheck %s --check-prefix=GRID
// RUN: %heddle ptx run %t90.ptx --kernel cluster --grid 4 --cluster 2 --block 32 --arg a:out:s32*4 | FileCheck %s --check-prefix=CLUSTER
// RUN: %heddle ptx run %t60.ptx --kernel copies --block 64 --arg in:s32=0..255 --arg o:out:s32*2 | FileCheck %s --check-prefix=COPIES
// RUN: %heddle ptx run %t90.ptx --kernel copies --block 64 --arg in:s32=0..255 --arg o:out:s32*2 | FileCheck %s --check-prefix=COPIES
// libcu++ declares these two before the header does.
namespace cooperative_groups {
namespace __v1 {
class thread_block;
template <unsigned int Size, typename ParentT>
class thread_block_tile;
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__device__ int rank_of(const cg::thread_group& group) {
  group.sync();
  return (int)(group.thread_rank() + 100 * group.size());
}

extern "C" __global__ void tiles(int* a, int* b) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const cg::thread_block_tile<4> part = cg::tiled_partition<4>(tile);
  const int value = (int)block.thread_rank();
  a[value] = cg::reduce(tile, value, cg::plus<int>());                 // of 8 neighbours: 28, 92, ...
  if (value == 9) {
    b[0] = tile.meta_group_rank(), b[1] = tile.meta_group_size();      // 1 of 8
    b[2] = part.meta_group_rank(), b[3] = part.thread_rank();          // the first of the tile's two, second in it
  }
  const int scanned = cg::inclusive_scan(tile, value), before = cg::exclusive_scan(tile, value);
  const int largest = cg::reduce(tile, value ^ 5, cg::greater<int>());
  const unsigned odd = tile.ballot(value & 1);
  const double shuffled = tile.shfl(value * 0.5, 3);
  const int up = tile.shfl_up(value, 2), down = tile.shfl_down(value, 2), crossed = tile.shfl_xor(value, 1);
  if (value == 13) {
    b[4] = scanned, b[5] = before;     // 8 + .. + 13 = 63, 50
    b[6] = largest;                    // of 8..15: 15
    b[7] = odd;                        // 10101010b
    b[8] = (int)(shuffled * 2);        // 11
    b[9] = up, b[10] = down, b[11] = crossed;  // 11 15 12
  }
  // Threads that take the branch: 16 of each warp.
  if (value % 2) {
    const cg::coalesced_group together = cg::coalesced_threads();
    const int sum = cg::reduce(together, value, cg::plus<int>());      // of the odd numbers: 256, 768
    const int last = together.shfl(value, 15);
    const int rank = rank_of(together);                                // which waits for all of them
    if (value == 35) b[12] = sum, b[13] = last, b[14] = rank;          // 768 63 1601
  }
  const auto wide = cg::tiled_partition<64>(block);
  const int total = cg::reduce(wide, value, cg::plus<int>());          // 2016
  const int all = wide.all(value < 64), any = wide.any(value == 64);
  const int of_sixteen = rank_of(cg::tiled_partition(block, 16)), of_part = rank_of(part);
  if (value == 40) b[15] = total, b[16] = all * 10 + any, b[17] = of_sixteen;
  if (value == 41) b[18] = of_part;
}
// TILES: a: 28 28 28 28 28 28 28 28 92 92
// TILES: b: 1 8 0 1 63 50 15 170 11 11 15 12 768 63 1601 2016 10 1608 401

extern "C" __global__ void partitions(int* a, int* b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = warp.thread_rank();
  const cg::coalesced_group threes = cg::labeled_partition(warp, value % 3);  // 11, 11 and 10 threads
  a[value] = (int)threes.size();
  const cg::coalesced_group even = cg::binary_partition(warp, value % 2 == 0);
  b[value] = cg::reduce(even, value, cg::plus<int>()) + 1000 * (int)even.meta_group_rank();
#endif
}
// PARTS: a: 11 11 10 11 11 10
// PARTS: b: 1240 256 1240 256

extern "C" __global__ void grid(int* sums, int* out) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < 4; ++round) {
    atomicAdd(&sums[round], (int)grid.thread_rank() % 2 + 1);
    grid.sync();
    // All 192 threads have added: 96 times 1 and 96 times 2.
    if (sums[round] != 288) atomicAdd(&sums[round], 100000);
    grid.sync();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[3] + (int)grid.num_blocks();
}
// GRID: sums: 288 288 288 288
// GRID: o: 291 291 291

extern "C" __global__ void cluster(int* a) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const cg::cluster_group cluster = cg::this_cluster();
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 10 * (int)blockIdx.x + 1;
  cluster.sync();
  // The other block's number, out of its shared memory.
  if (threadIdx.x == 0) a[blockIdx.x] = *cluster.map_shared_rank(&mine, (int)cluster.block_rank() ^ 1);
  cluster.sync();
#endif
}
// CLUSTER: a: 11 1 31 21

extern "C" __global__ void copies(const int* in, int* out) {
  __shared__ int copy[256];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, copy, in, sizeof(int) * 128);
  cg::memcpy_async(block, copy + 128, 127, in + 128, 128);  // elements: the fewer of the two
  if (block.thread_rank() == 0) copy[255] = 7000;
  cg::wait(block);
  if (block.thread_rank() == 0) {
    int sum = 0;
    for (int i = 0; i < 256; ++i) sum += copy[i];
    out[0] = sum;  // 0 + .. + 254 + 7000
  }
}
// COPIES: o: 39385
