// Rules for make, alone and beside a compilation.
// RUN: mkdir -p %t && cd %t && echo '#define X 1' > own.h
// RUN: cd %t && %nvcc -I. -M %s | FileCheck --check-prefixes=RULE,SYSTEM %s
// RUN: cd %t && %nvcc -I. -MM %s -MT 'a b.o' -o r.d && FileCheck --check-prefix=TARGET %s < r.d && not grep cuda_runtime.h r.d
// RUN: cd %t && %nvcc -I. -c -MD -MT t.o -MF deps %s -o x.o && FileCheck --check-prefixes=BESIDE,SYSTEM %s < deps && ls x.o
// RUN: cd %t && %nvcc -I. -c -MMD -MP %s -o y.o && FileCheck --check-prefix=PHONY %s < y.d
#include "own.h"
__global__ void k(int* p) { *p = X; }
// RULE: dependencies.o: {{.*}}dependencies.cu
// TARGET: a b.o: {{.*}}dependencies.cu
// BESIDE: t.o: {{.*}}dependencies.cu
// SYSTEM-DAG: {{.*}}cuda_runtime.h
// SYSTEM-DAG: {{.*}}own.h
// PHONY: y.o: {{.*}}dependencies.cu
// PHONY: {{own.h:$}}
