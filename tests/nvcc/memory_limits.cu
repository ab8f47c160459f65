// Memory of which a kernel asks for too much is refused by ptxas: 64 KB of constants, and 16 KB of shared memory on
// 1.x, where the arguments lie in it (OpenCL Programming Guide for the CUDA Architecture, C.1 and 3.2.3).
// RUN: %nvcc -arch=sm_10 -DCONSTANTS=65536 -c %s -o %t.o
// RUN: %nvcc -arch=sm_90 -DCONSTANTS=65536 -c %s -o %t.o
// RUN: not %nvcc -arch=sm_10 -DCONSTANTS=65537 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CONSTANTS %s
// RUN: not %nvcc -arch=sm_90 -DCONSTANTS=65537 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CONSTANTS %s
// CONSTANTS: ptxas error   : File uses too much global constant data (0x10001 bytes, 0x10000 max)
// RUN: %nvcc -arch=sm_10 -DSHARED=16372 -Xptxas -v %s -o %t 2>&1 | FileCheck --check-prefix=FITS %s
// RUN: env HEDDLE_DEVICE=8800gtx %t | FileCheck --check-prefix=RUNS %s
// RUN: not %nvcc -arch=sm_10 -DSHARED=16373 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: not %nvcc -arch=sm_13 -DSHARED=16384 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MORE %s
// FITS: 16384 bytes smem
// FITS-NOT: cmem[0]
// RUNS: launch: no error
// SHARED: ptxas error   : Entry function '_Z6kernelPii' uses too much shared data (0x4001 bytes, 0x4000 max)
// MORE: uses too much shared data (0x400c bytes, 0x4000 max)
// And a thread's local memory, which is a matter of the launch: 16 KB on 1.x, to the byte.
// RUN: %nvcc -arch=sm_10 -DLOCAL=16384 %s -o %t && env HEDDLE_DEVICE=8800gtx %t | FileCheck --check-prefix=RUNS %s
// RUN: %nvcc -arch=sm_10 -DLOCAL=16385 %s -o %t && env HEDDLE_DEVICE=8800gtx %t | FileCheck --check-prefix=LOCAL %s
// LOCAL: launch: too many resources requested for launch
#include <cstdio>
#ifdef CONSTANTS
__constant__ char constants[CONSTANTS];
#endif
__global__ void kernel(int* o, int i) {
#ifdef CONSTANTS
  *o = constants[i];
#endif
#ifdef SHARED
  __shared__ char shared[SHARED];
  shared[i] = i;
  __syncthreads();
  *o = shared[i + 1];
#endif
#ifdef LOCAL
  char local[LOCAL];
  for (int j = 0; j < LOCAL; ++j) local[j] = j * i;
  *o = local[i];
#endif
}
int main() {
  int* o;
  cudaMalloc(&o, 4);
  kernel<<<1, 1>>>(o, 1);
  const cudaError_t launched = cudaGetLastError();
  std::printf("launch: %s\n", cudaGetErrorString(launched ? launched : cudaDeviceSynchronize()));
}
