// Instructions on bits that came with compute capability 2.0, in those of 1.x; results behind pointers without generic addresses.
// RUN: %nvcc -arch=sm_13 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck %s
// RUN: env HEDDLE_DEVICE=gtx285 HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: ones 15 26, zeros 3 35, reversed 0x1e6a2c6e 0x1e6a2c491e6a2c49, bytes 0x34347878 0x80805678
// CHECK: 12.5 is 0.78125 by two to the 4, 10.25 is 10 and 0.25, quotient 5, rest 0.5
#include <cstdio>
extern "C" __global__ void kernel(unsigned* u, unsigned long long* l, float* f, unsigned x, unsigned long long y) {
  u[0] = __popc(x | 0x80800000), u[1] = __popcll(y), u[2] = __clz(x), u[3] = __clzll(y >> 32);
  u[4] = __brev(x | 0x64000000), l[0] = __brevll(y | 0x8000000080000000);
  u[5] = __byte_perm(x, y, 0x2345 ^ 0x0505), u[6] = __byte_perm(x, 0x80, 0xcc10);
  int e, q;
  float whole, rest;
  f[0] = frexpf(f[4], &e), u[7] = e;
  f[1] = modff(f[5], &whole), f[2] = whole;
  rest = remquof(f[6], f[7], &q), f[3] = rest, u[8] = q;
}
int main() {
  unsigned *u, words[9];
  unsigned long long *l, wide;
  float *f, floats[8] = {0, 0, 0, 0, 12.5f, 10.25f, 15.5f, 3};
  cudaMalloc(&u, sizeof words);
  cudaMalloc(&l, sizeof wide);
  cudaMalloc(&f, sizeof floats);
  cudaMemcpy(f, floats, sizeof floats, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(u, l, f, 0x12345678, 0x1234567812345678);
  cudaMemcpy(words, u, sizeof words, cudaMemcpyDeviceToHost);
  cudaMemcpy(&wide, l, sizeof wide, cudaMemcpyDeviceToHost);
  cudaMemcpy(floats, f, sizeof floats, cudaMemcpyDeviceToHost);
  std::printf("ones %u %u, zeros %u %u, reversed 0x%08x 0x%016llx, bytes 0x%08x 0x%08x\n", words[0], words[1], words[2], words[3],
              words[4], wide, words[5], words[6]);
  std::printf("12.5 is %g by two to the %u, 10.25 is %g and %g, quotient %u, rest %g\n", floats[0], words[7], floats[2], floats[1],
              words[8], floats[3]);
}
