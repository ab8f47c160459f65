// -keep leaves what the steps made, and what is left are files that the next step takes.
// RUN: rm -rf %t && mkdir %t && cd %t && %nvcc -keep -c -arch=sm_80 %s -o k.o && ls keep.ptx keep.sm_80.cubin keep.fatbin
// RUN: cd %t && %fatbinary --create=again.fatbin --image3=kind=elf,sm=80,file=keep.sm_80.cubin && %cuobjdump -ptx again.fatbin | FileCheck %s
// RUN: cd %t && %nvcc -cubin keep.ptx -arch=sm_80 -o from_ptx.cubin && %cuobjdump -ptx from_ptx.cubin | FileCheck %s
// RUN: cd %t && %nvcc -fatbin -arch=sm_80 %s -o f.fatbin && %cuobjdump -ptx f.fatbin | FileCheck %s
// RUN: cd %t && %nvcc -lib %s -o k.a && %cuobjdump k.a | FileCheck --check-prefix=ARCHIVE %s
// CHECK: .visible .entry kept(
// ARCHIVE: member {{.*}}k.a(keep.o):
extern "C" __global__ void kept(int* p) { *p = 1; }
