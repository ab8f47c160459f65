// Errors have the user's path and line, come once though the file is compiled twice, and are counted.
// RUN: rm -f %t.o
// RUN: not %nvcc -c -arch=all-major %s -o %t.o 2> %t.log
// RUN: FileCheck %s < %t.log
// RUN: count 7 < %t.log
// RUN: not ls %t.o
// RUN: %nvcc -c -arch=all-major -DGOOD %s -o %t.o 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: %nvcc -c -w -DGOOD %s -o %t.o 2>&1 | count 0
// RUN: not %nvcc -c -Werror all-warnings -DGOOD %s -o %t.o
#ifdef GOOD
__global__ void k(int* p) { int left; }
#else
__global__ void k(int* p) {
  *p = nowhere_declared;
}
int main() { return also_nowhere; }
#endif
// CHECK: {{.*}}errors.cu:[[#@LINE-4]]:8: error: use of undeclared identifier 'nowhere_declared'
// CHECK-NEXT: |   *p = nowhere_declared;
// CHECK: {{.*}}errors.cu:[[#@LINE-4]]:21: error: use of undeclared identifier 'also_nowhere'
// CHECK: 2 errors detected in the compilation of "{{.*}}errors.cu".
// WARNING: {{.*}}errors.cu:11:33: warning: unused variable 'left'
// WARNING-NOT: unused variable
