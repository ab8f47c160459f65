// Warp functions that name no lanes are deprecated, and since compute capability 7.0 there are no such shuffles (CUDA C++ Programming
// Guide, "Warp Shuffle Functions").
// RUN: %nvcc -arch=sm_60 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OLD %s
// RUN: %nvcc -arch=sm_60 -Wno-deprecated-declarations -Werror all-warnings -c %s -o %t.o
// RUN: not %nvcc -arch=sm_60 -Werror deprecated-declarations -c %s -o %t.o
// RUN: not %nvcc -arch=sm_80 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NEW %s
// RUN: not %nvcc -arch=sm_80 -DVOTE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=VOTE %s
// OLD: warning: '__shfl_down' is deprecated: {{.*}}__shfl_down_sync()
// OLD: warning: '__ballot' is deprecated: {{.*}}__ballot_sync()
// NEW: error: use of undeclared identifier '__shfl_down'
// VOTE: warning: '__ballot' is deprecated
// VOTE: ptxas fatal
__global__ void kernel(unsigned* p) {
#ifndef VOTE
  p[0] = __shfl_down(p[1], 1);
#endif
  p[2] = __ballot(p[3]);
}
