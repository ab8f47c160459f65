// -keep leaves what the steps made, and what is left are files that the next step takes.
// RUN: rm -rf %t && mkdir %t && cd %t && %nvcc -keep -c -arch=sm_80 %s -o k.o && ls keep.ptx keep.sm_80.cubin keep.fatbin
// RUN: cd %t && %fatbinary --create=again.fatbin --image3=kind=elf,sm=80,file=keep.sm_80.cubin && %cuobjdump -ptx again.fatbin | FileCheck %s
// RUN: cd %t && %nvcc -cubin keep.ptx -arch=sm_80 -o from_ptx.cubin && %cuobjdump -ptx from_ptx.cubin | FileCheck %s
// RUN: cd %t && %nvcc -fatbin -arch=sm_80 %s -o f.fatbin && %cuobjdump -ptx f.fatbin | FileCheck %s
// RUN: cd %t && %nvcc -lib %s -o k.a && %cuobjdump k.a | FileCheck --check-prefix=ARCHIVE %s
// -clean-targets removes what the same command made.
// RUN: rm -rf %t.clean && mkdir -p %t.clean/kept && cd %t.clean && cp %s k.cu && %nvcc -c -keep -keep-dir kept -arch=sm_80 k.cu && ls k.o kept/k.ptx && %nvcc -c -keep -keep-dir kept -arch=sm_80 k.cu -clean-targets && ls . kept | FileCheck --check-prefix=CLEAN %s
// RUN: cd %t.clean && echo 'int main() {}' >> k.cu && %nvcc -keep k.cu -o app && ls app k.o k.ptx && %nvcc -keep k.cu -o app -clean-targets && ls | FileCheck --check-prefix=CLEAN %s
// CLEAN-NOT: {{k\.[^c]|app$}}
// CLEAN: k.cu
// CLEAN-NOT: {{k\.[^c]|app$}}
// CHECK: .visible .entry kept(
// ARCHIVE: member {{.*}}k.a(keep.o):
extern "C" __global__ void kept(int* p) { *p = 1; }
