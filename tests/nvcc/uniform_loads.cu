// On devices of 2.x the compiler loads what it only reads, at an address that does not depend on the thread's number, by LDU (CUDA C
// Programming Guide 4.0, G.4.4; OpenCL Programming Guide, C.4.4).
// RUN: %nvcc -arch=sm_20 -ptx %s -o - | FileCheck %s --check-prefix=LDU
// RUN: %nvcc -arch=sm_21 -ptx %s -o - | FileCheck %s --check-prefix=LDU
// RUN: %nvcc -arch=sm_13 -ptx %s -o - | FileCheck %s --check-prefix=NONE
// RUN: %nvcc -arch=sm_30 -ptx %s -o - | FileCheck %s --check-prefix=NONE
// RUN: %nvcc -arch=sm_20 -G -ptx %s -o - | FileCheck %s --check-prefix=NONE
// RUN: %nvcc -arch=sm_20 %s -o %t
// RUN: env HEDDLE_DEVICE=gtx480 %t | FileCheck %s --check-prefix=RUNS
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_EXECUTOR=interp %t | FileCheck %s --check-prefix=RUNS
// LDU-LABEL: .entry same
// LDU: ldu.global.f32
// LDU-LABEL: .entry by_block
// LDU: ldu.global.u32
// LDU-LABEL: .entry wide
// LDU: ldu.global.v4.f32
// LDU-LABEL: .entry by_thread
// LDU-NOT: ldu
// LDU-LABEL: .entry written
// LDU-NOT: ldu
// LDU-LABEL: .entry aliased
// LDU-NOT: ldu
// NONE-LABEL: .entry same
// NONE-NOT: ldu
// RUNS: same 6 6 by_block 14 15 wide 10 10 by_thread 1 2 written 3 aliased 8
#include <cstdio>

extern "C" {
__global__ void same(const float* __restrict__ in, float* __restrict__ out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  out[threadIdx.x] = sum;
}
__global__ void by_block(const int* __restrict__ in, int* __restrict__ out) { out[threadIdx.x] = in[blockIdx.x] + threadIdx.x; }
__global__ void wide(const float4* __restrict__ in, float* __restrict__ out) {
  const float4 v = in[0];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void by_thread(const float* __restrict__ in, float* __restrict__ out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void written(float* __restrict__ in) {
  const float v = in[0];
  __syncthreads();
  in[0] = v + 2;
}
__global__ void aliased(const float* in, float* out) {
  out[0] = 8;
  out[1] = in[0];
}
}

int main() {
  float host[4] = {1, 2, 3, 4}, r[8];
  int whole[1] = {14}, w[2];
  float *in, *out;
  int *in_whole, *out_whole;
  cudaMalloc(&in, 64);
  cudaMalloc(&out, 64);
  cudaMalloc(&in_whole, 64);
  cudaMalloc(&out_whole, 64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(in_whole, whole, sizeof whole, cudaMemcpyHostToDevice);
  same<<<1, 2>>>(in, out, 3);
  cudaMemcpy(r, out, 8, cudaMemcpyDeviceToHost);
  std::printf("same %g %g ", r[0], r[1]);
  by_block<<<1, 2>>>(in_whole, out_whole);
  cudaMemcpy(w, out_whole, 8, cudaMemcpyDeviceToHost);
  std::printf("by_block %d %d ", w[0], w[1]);
  wide<<<1, 2>>>(reinterpret_cast<float4*>(in), out);
  cudaMemcpy(r, out, 8, cudaMemcpyDeviceToHost);
  std::printf("wide %g %g ", r[0], r[1]);
  by_thread<<<1, 2>>>(in, out);
  cudaMemcpy(r, out, 8, cudaMemcpyDeviceToHost);
  std::printf("by_thread %g %g ", r[0], r[1]);
  written<<<1, 1>>>(in);
  cudaMemcpy(r, in, 8, cudaMemcpyDeviceToHost);
  std::printf("written %g ", r[0]);
  aliased<<<1, 1>>>(out, out);
  cudaMemcpy(r, out, 8, cudaMemcpyDeviceToHost);
  std::printf("aliased %g\n", r[1]);
}
