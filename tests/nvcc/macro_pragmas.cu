// A macro may stand for a directive, since nvcc reads what the preprocessor leaves; clang's parser would see a stray '#'.
// RUN: %nvcc -ptx %s -o - -Xcompiler -Wall 2>&1 | FileCheck %s
// RUN: %nvcc -c -DAGAIN -Xcompiler -Wall %s -o %t.o 2>&1 | FileCheck %s --check-prefix=AGAIN
#define PRAGMA_UNROLL #pragma unroll
#define PRAGMA_UNROLL #pragma unroll
#define KEPT #pragma unroll ONCE
#define ONCE 1
#define DO(text) _Pragma(#text)
#define UNROLL_BY(n) DO(unroll n)
#define PUSH _Pragma("nv_diagnostic push")
#define POP #pragma nv_diagnostic pop
#define HUSH #pragma nv_diag_suppress 177
#define UNCHECKED #pragma nv_exec_check_disable
// CHECK-NOT: warning
// CHECK: .entry unrolled(
// CHECK-NOT: bra
// CHECK: ret;
extern "C" __global__ void unrolled(int* p) {
  PRAGMA_UNROLL
  for (int i = 0; i < 4; ++i) p[i * i] = i;
}
// Pragmas go to the loop that follows, through one macro or two.
// CHECK: .entry looping(
// CHECK: bra
// CHECK: ret;
extern "C" __global__ void looping(int* p) {
  KEPT
  for (int i = 0; i < 4; ++i) p[i * i] = i;
}
// CHECK: .entry by_one(
// CHECK: bra
// CHECK: ret;
extern "C" __global__ void by_one(int* p) {
  UNROLL_BY(ONCE)
  for (int i = 0; i < 4; ++i) p[i * i] = i;
}
PUSH
HUSH
__global__ void hushed() { int unused; }
POP
#ifdef AGAIN
// AGAIN-NOT: warning
// AGAIN: macro_pragmas.cu:[[# @LINE + 2]]:31: warning: unused variable 'told'
// AGAIN-NOT: warning
__global__ void heard() { int told; }
#endif
UNCHECKED
template <class T>
__host__ __device__ void call(T call) {
  call();
}
DO(hd_warning_disable)
template <class T>
__host__ __device__ void call_too(T call) {
  call();
}
__host__ void on_the_host() {}
void calls() {
  call(on_the_host);
  call_too(on_the_host);
}
