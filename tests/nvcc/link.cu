// Relocatable device code: what objects leave to the link is defined by it, of archives as well, and so it is when nvcc -dlink
// and the host compiler share the work.
// RUN: rm -rf %t && split-file %s %t && cd %t && %nvcc -dc a.cu -o a.o && %nvcc -dc b.cu -o b.o && %nvcc -lib b.o -o libb.a
// RUN: cd %t && %nvcc a.o b.o -o whole && llvm-nm whole | FileCheck %s
// RUN: cd %t && %nvcc a.o -L. -lb -o archive && llvm-nm archive | FileCheck %s
// RUN: cd %t && %nvcc -dlink a.o b.o -o d.o && c++ a.o b.o d.o -o host -L%toolkit/lib64 -lcudart_static -ldl -lpthread -lrt && llvm-nm host | FileCheck %s
// RUN: cd %t && %nvcc -rdc=true a.cu b.cu -o source && llvm-nm source | FileCheck %s
// CHECK-COUNT-2: t __cudaRegisterLinkedBinary__nv_
#--- a.cu
extern __device__ int twice(int);
__global__ void k(int* p) { *p = twice(*p); }
int main() { return 0; }
#--- b.cu
__device__ int twice(int x) { return 2 * x; }
