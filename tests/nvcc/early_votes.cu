// Votes of devices before compute capability 3.0: __any() and __all() from 1.2 on, __ballot() from 2.0 on, __shfl()
// not at all (CUDA C Programming Guide 4.2, B.12 and B.13). Devices that lack one do not find its name.
// RUN: %nvcc -w -arch=sm_12 %s -o %t && env HEDDLE_DEVICE=gt240 %t | FileCheck %s
// RUN: env HEDDLE_DEVICE=gt240 HEDDLE_EXECUTOR=interp %t | FileCheck %s
// RUN: %nvcc -w -arch=sm_20 -DBALLOT %s -o %t && env HEDDLE_DEVICE=gtx480 %t | FileCheck --check-prefixes=CHECK,BALLOT %s
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefixes=CHECK,BALLOT %s
// RUN: not %nvcc -w -arch=sm_11 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NO-VOTE %s
// RUN: not %nvcc -w -arch=sm_13 -DBALLOT -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NO-BALLOT %s
// RUN: not %nvcc -w -arch=sm_20 -DSHUFFLE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NO-SHUFFLE %s
// CHECK: any 0x1 all 0x2
// BALLOT: even lanes 55555555, of a part 15555
// NO-VOTE: error: use of undeclared identifier '__any'
// NO-VOTE: error: use of undeclared identifier '__all'
// NO-BALLOT: error: use of undeclared identifier '__ballot'
// NO-SHUFFLE: error: use of undeclared identifier '__shfl'
#include <cstdio>
__global__ void kernel(unsigned* p) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  // Warp 0 has a lane for which it holds, warp 1 only such lanes.
  const int any = __any(lane == 7 && warp == 0), all = __all(lane < 20 || warp == 1);
  if (lane == 0) p[warp] = any | all << 1;
#ifdef BALLOT
  if (threadIdx.x == 0) p[2] = 0;
  const unsigned even = __ballot((lane & 1) == 0);
  if (lane == 0) p[2] = even;
  if (lane < 18) {
    const unsigned part = __ballot((lane & 1) == 0);
    if (lane == 0) p[3] = part;
  }
#endif
#ifdef SHUFFLE
  p[4] = __shfl(lane, 3);
#endif
}
int main() {
  unsigned h[5], *p;
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 64>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("any 0x%x all 0x%x\n", h[0], h[1]);
  std::printf("even lanes %x, of a part %x\n", h[2], h[3]);
}
