// A device function that is nowhere, found when PTX is made whole, and left to the link with -rdc=true.
// RUN: not %nvcc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %nvcc -dc %s -o %t.o
// RUN: %cuobjdump -lptx %t.o | FileCheck --check-prefix=LIST %s
extern __device__ int elsewhere(int);
__global__ void k(int* p) { *p = elsewhere(1) + (int)sinf(2); }
// CHECK: ptxas fatal   : Unresolved extern function '_Z9elsewherei'
// LIST: PTX file    1: {{.*}}.1.sm_52.ptx
