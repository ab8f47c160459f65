// A program's own handlers of SIGSEGV, set before and after the first launch: they get the program's faults, and kernels' faults stay
// errors of the launch.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %t before | FileCheck %s
// RUN: env HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// CHECK: good: cudaSuccess
// CHECK-COUNT-3: bad: cudaErrorIllegalAddress, own: 1
// CHECK-NEXT: ignored: cudaErrorIllegalAddress
// CHECK-NEXT: default again: cudaErrorIllegalAddress
// CHECK-NEXT: queued before: cudaErrorIllegalAddress
#include <csetjmp>
#include <csignal>
#include <cstdio>

__global__ void set(int* p, long long at) { p[at] = 1; }

static sigjmp_buf back;
static int own;
static void handler(int) {
  ++own;
  siglongjmp(back, 1);
}
static void own_fault() {
  own = 0;
  if (sigsetjmp(back, 1) == 0) *static_cast<volatile int*>(nullptr) = 1;
}
static const char* run(long long at) {
  int* p;
  cudaDeviceReset();
  cudaMalloc(&p, 4);
  set<<<1, 1>>>(p, at);
  return cudaGetErrorName(cudaDeviceSynchronize());
}

int main(int count, char**) {
  constexpr long long far = 1LL << 36;
  if (count > 1) std::signal(SIGSEGV, handler);
  std::printf("good: %s\n", run(0));
  for (int i = 0; i < 3; ++i) {
    std::signal(SIGSEGV, handler);
    std::printf("bad: %s", run(far));
    own_fault();
    std::printf(", own: %d\n", own);
  }
  std::signal(SIGSEGV, SIG_IGN);
  std::printf("ignored: %s\n", run(far));
  std::signal(SIGSEGV, SIG_DFL);
  std::printf("default again: %s\n", run(far));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* p;
  cudaMalloc(&p, 4);
  cudaLaunchHostFunc(stream, [](void*) { std::signal(SIGSEGV, handler); }, nullptr);
  set<<<1, 1, 0, stream>>>(p, far);
  std::printf("queued before: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
