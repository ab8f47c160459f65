// Rules for make, alone and beside a compilation.
// RUN: mkdir -p %t && cd %t && echo '#define X 1' > own.h
// RUN: cd %t && %nvcc -I. -M %s | FileCheck --check-prefixes=RULE,SYSTEM %s
// RUN: cd %t && %nvcc -I. -MM %s -MT 'a b.o' -o r.d && FileCheck --check-prefix=TARGET %s < r.d && not grep cuda_runtime.h r.d
// RUN: cd %t && %nvcc -I. -c -MD -MT t.o -MF deps %s -o x.o && FileCheck --check-prefixes=BESIDE,SYSTEM %s < deps && ls x.o
// RUN: cd %t && %nvcc -I. -c -MMD -MP %s -o y.o && FileCheck --check-prefix=PHONY %s < y.d
// Beside a link: of the program, where it has a name, else of what the objects would be called.
// RUN: cd %t && cp %s main.cu && sed 's/int main/int other/; s/void k(/void k2(/' main.cu > second.cu && %nvcc -I. -MMD main.cu && FileCheck --check-prefix=LINK %s < main.d
// RUN: cd %t && %nvcc -I. -MMD main.cu second.cu -o app && FileCheck --check-prefix=APP %s < app.d && ls app && not ls second.d
// LINK: main.o: {{.*}}main.cu
// APP: app: {{.*}}main.cu
// APP: app: {{.*}}second.cu
#include "own.h"
int main() { return 0; }
__global__ void k(int* p) { *p = X; }
// RULE: dependencies.o: {{.*}}dependencies.cu
// TARGET: a b.o: {{.*}}dependencies.cu
// BESIDE: t.o: {{.*}}dependencies.cu
// SYSTEM-DAG: {{.*}}cuda_runtime.h
// SYSTEM-DAG: {{.*}}own.h
// PHONY: y.o: {{.*}}dependencies.cu
// PHONY: {{own.h:$}}
