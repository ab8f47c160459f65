// Collectives of a warp of which the block has 10 lanes: those that are not there are in no mask. An H200 answers
// __match_all_sync with 3ff.
// RUN: %nvcc -arch=sm_70 %s -o %t && %t | FileCheck %s
// RUN: env HEDDLE_JIT_TIER=best %t | FileCheck %s
// RUN: env HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: all 3ff 1, not alike 0 0, any 155, ballot 3ff, active 3ff
#include <cstdio>

__global__ void collect(unsigned* out) {
  int is_all = 0, is_none = 0;
  const unsigned all = __match_all_sync(~0u, 7, &is_all);
  const unsigned none = __match_all_sync(~0u, threadIdx.x, &is_none);
  const unsigned any = __match_any_sync(~0u, threadIdx.x % 2);
  const unsigned ballot = __ballot_sync(~0u, 1), active = __activemask();
  if (threadIdx.x != 0) return;
  out[0] = all;
  out[1] = is_all;
  out[2] = none;
  out[3] = is_none;
  out[4] = any;
  out[5] = ballot;
  out[6] = active;
}

int main() {
  unsigned *out, host[7];
  cudaMalloc(&out, sizeof host);
  collect<<<1, 10>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("all %x %u, not alike %x %u, any %x, ballot %x, active %x\n", host[0], host[1], host[2], host[3],
              host[4], host[5], host[6]);
}
