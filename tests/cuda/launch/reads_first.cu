// Block reductions and broadcasts one after another without a barrier behind their reads: a race, which comes
// out right on a device, where all warps have read before one of them stores there again. Here too.
// RUN: %nvcc %s -o %t
// RUN: %t
// RUN: env HEDDLE_EXECUTOR=interp %t
// RUN: env HEDDLE_JIT_VECTORS=0 %t
// Whoever watches sees the same numbers, and is told of the race.
// RUN: %heddle profile %t
// RUN: not %heddle check --tool racecheck %t > %t.check
// RUN: FileCheck %s < %t.check
// CHECK-NOT: , not
// CHECK: missing (block barrier)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 256, rows = 5;

__global__ void sum_rows(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ int of_warps[32];
  if (warp.meta_group_rank() == 0) of_warps[warp.thread_rank()] = 0;
  for (int r = 0; r < rows; ++r) {
    const int value = in[r * threads + block.thread_rank()];
    of_warps[warp.meta_group_rank()] = cg::reduce(warp, value, cg::plus<int>{});
    block.sync();
    const int all = cg::reduce(warp, of_warps[warp.thread_rank()], cg::plus<int>{});
    out[r * threads + block.thread_rank()] = all - value;
  }
}

__global__ void tell_all(const int* in, int* out) {
  __shared__ int told;
  for (int r = 0; r < rows; ++r) {
    if (threadIdx.x == 0) told = in[r * threads];
    __syncthreads();
    out[r * threads + threadIdx.x] = told;
  }
}

// As many do, with a read by some lanes and no barrier at its end.
__device__ int sum_of_block(int value) {
  __shared__ int of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int distance = 16; distance != 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  value = lane < warps ? of_warps[lane] : 0;
  for (int distance = 16; distance != 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
__global__ void sums_by_function(const int* in, int* out) {
  for (int r = 0; r < rows; ++r) {
    const int value = in[r * threads + threadIdx.x];
    out[r * threads + threadIdx.x] = sum_of_block(value) - sum_of_block(2 * value) + 2 * value;
  }
}

// The block's rows are warps; its columns are read by all of them.
__global__ void columns(const int* in, int* out) {
  __shared__ int row[32];
  for (int r = 0; r < rows; ++r) {
    if (threadIdx.y == r) row[threadIdx.x] = in[r * threads + threadIdx.x];
    __syncthreads();
    out[r * threads + threadIdx.y * 32 + threadIdx.x] = row[threadIdx.x];
  }
}

int main() {
  std::vector<int> in(threads * rows), out(threads * rows);
  for (int i = 0; i < threads * rows; ++i) in[i] = (i * 7919) % 1000;
  int *device_in, *device_out;
  const std::size_t bytes = in.size() * sizeof(int);
  if (cudaMalloc(&device_in, bytes) != cudaSuccess || cudaMalloc(&device_out, bytes) != cudaSuccess) return 1;
  cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice);
  int wrong = 0;
  const auto check = [&](const char* name, auto expected) {
    cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; ++r) {
      for (int t = 0; t < threads; ++t) {
        if (out[r * threads + t] == expected(r, t)) continue;
        if (wrong++ < 5)
          std::printf("%s: row %d, thread %d: %d, not %d\n", name, r, t, out[r * threads + t], expected(r, t));
      }
    }
  };
  for (int turn = 0; turn < 2; ++turn) {
    sum_rows<<<1, threads>>>(device_in, device_out);
    check("sum_rows", [&](int r, int t) {
      int all = 0;
      for (int i = 0; i < threads; ++i) all += in[r * threads + i];
      return all - in[r * threads + t];
    });
    tell_all<<<1, threads>>>(device_in, device_out);
    check("tell_all", [&](int r, int) { return in[r * threads]; });
    sums_by_function<<<1, threads>>>(device_in, device_out);
    check("sums_by_function", [&](int r, int t) {
      int all = 0;
      for (int i = 0; i < threads; ++i) all += in[r * threads + i];
      return 2 * in[r * threads + t] - all;
    });
    columns<<<1, dim3(32, 8)>>>(device_in, device_out);
    check("columns", [&](int r, int t) { return in[r * threads + t % 32]; });
  }
  if (cudaGetLastError() != cudaSuccess) ++wrong;
  return wrong == 0 ? 0 : 1;
}
