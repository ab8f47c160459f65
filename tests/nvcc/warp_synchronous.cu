// Before 7.0 the lanes of a warp go in step, and programs of 2009 exchange values through shared memory without a barrier and without
// volatile (white paper "OpenCL Programming for the CUDA Architecture", listing 7): compilers of the time kept the order of accesses.
// For compute_1x so does nvcc; for later ones where it is asked to.
// RUN: %nvcc -arch=sm_13 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck %s
// RUN: env HEDDLE_DEVICE=gtx285 HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// RUN: env HEDDLE_DEVICE=gtx285 HEDDLE_EXECUTOR=interp %t | FileCheck %s
// RUN: %nvcc -arch=sm_20 -warp-synchronous=true %s -o %t && env HEDDLE_DEVICE=gtx580 %t | FileCheck %s
// CHECK: pointer 0 wrong, array 0 wrong, loop 0 wrong
// Each of the six steps stores what the next one of another lane loads; without, the last sums of both branches alone are stored.
// RUN: %nvcc -arch=sm_13 -ptx %s -o - | FileCheck --check-prefix=KEPT %s
// RUN: %nvcc -arch=sm_20 -ptx -warp-synchronous=true %s -o - | FileCheck --check-prefix=KEPT %s
// KEPT-LABEL: .entry array(
// KEPT-COUNT-7: st.shared.u32
// KEPT: ret;
// RUN: %nvcc -arch=sm_20 -ptx %s -o - | FileCheck --check-prefix=MERGED %s
// RUN: %nvcc -arch=sm_13 -ptx -warp-synchronous=false %s -o - | FileCheck --check-prefix=MERGED %s
// MERGED-LABEL: .entry array(
// MERGED-COUNT-3: st.shared.u32
// MERGED-NOT: st.shared.u32
// MERGED: ret;
// RUN: not %nvcc -arch=sm_20 -ptx -warp-synchronous=maybe %s -o - 2>&1 | FileCheck --check-prefix=BAD %s
// BAD: warp-synchronous
#include <cstdio>

constexpr int threads = 128, blocks = 4, warps = threads / 32;

// As listing 7 has it: 64 parts a warp.
extern "C" __global__ void pointer(const unsigned* a, unsigned* out) {
  __shared__ unsigned part[2 * threads];
  const unsigned t = threadIdx.x, lane = t & 31;
  part[t] = a[2 * threads * blockIdx.x + t];
  part[t + threads] = a[2 * threads * blockIdx.x + t + threads];
  __syncthreads();
  if (t < threads) {
    unsigned* p = part + 2 * t - lane;
    p[0] = p[0] + p[32];
    if (lane < 16) {
      p[0] = p[0] + p[16];
      p[0] = p[0] + p[8];
      p[0] = p[0] + p[4];
      p[0] = p[0] + p[2];
      p[0] = p[0] + p[1];
    }
  }
  const unsigned sum = part[2 * t - lane];
  if (lane == 0) out[blockIdx.x * warps + t / 32] = sum;
}

extern "C" __global__ void array(const unsigned* a, unsigned* out) {
  __shared__ unsigned part[threads];
  const unsigned t = threadIdx.x;
  part[t] = a[threads * blockIdx.x + t] + a[threads * (blockIdx.x + blocks) + t];
  __syncthreads();
  if (t < 32) {
    part[t] += part[t + 64] + part[t + 32] + part[t + 96];
    if (t < 16) {
      part[t] += part[t + 16];
      part[t] += part[t + 8];
      part[t] += part[t + 4];
      part[t] += part[t + 2];
      part[t] += part[t + 1];
    }
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Sums of all lanes up to one (Hillis and Steele): what a lane reads, another one has just written.
extern "C" __global__ void loop(const unsigned* a, unsigned* out) {
  __shared__ unsigned part[threads];
  const unsigned t = threadIdx.x, lane = t & 31, i = threads * blockIdx.x + t;
  part[t] = a[i];
  for (unsigned distance = 1; distance < 32; distance *= 2)
    if (lane >= distance) part[t] = part[t] + part[t - distance];
  out[i] = part[t];
}

#ifndef __CUDA_ARCH__
int main() {
  constexpr int n = 2 * threads * blocks;
  static unsigned a[n], sums[n];
  for (int i = 0; i < n; ++i) a[i] = 2654435761u * i >> 7;
  unsigned *in, *out;
  cudaMalloc(&in, sizeof a);
  cudaMalloc(&out, sizeof a);
  cudaMemcpy(in, a, sizeof a, cudaMemcpyHostToDevice);
  int wrong[3] = {};
  pointer<<<blocks, threads>>>(in, out);
  cudaMemcpy(sums, out, sizeof a, cudaMemcpyDeviceToHost);
  for (int w = 0; w < blocks * warps; ++w) {
    unsigned right = 0;
    for (int i = 0; i < 64; ++i) right += a[64 * w + i];
    wrong[0] += sums[w] != right;
  }
  array<<<blocks, threads>>>(in, out);
  cudaMemcpy(sums, out, sizeof a, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b) {
    unsigned right = 0;
    for (int i = 0; i < threads; ++i) right += a[threads * b + i] + a[threads * (b + blocks) + i];
    wrong[1] += sums[b] != right;
  }
  loop<<<blocks, threads>>>(in, out);
  cudaMemcpy(sums, out, sizeof a, cudaMemcpyDeviceToHost);
  unsigned right = 0;
  for (int i = 0; i < threads * blocks; ++i) {
    right = (i % 32 == 0 ? 0 : right) + a[i];
    wrong[2] += sums[i] != right;
  }
  std::printf("pointer %d wrong, array %d wrong, loop %d wrong\n", wrong[0], wrong[1], wrong[2]);
}
#endif
