// A child of a process that has used CUDA cannot use it: each call says so, as on a device, and nothing hangs. One that was made before is a
// process like others.
// RUN: %nvcc -std=c++17 %s -o %t -lcuda
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

__global__ void twice(int* p) { p[threadIdx.x] *= 2; }

static bool works() {
  int values[32], *p = nullptr;
  for (int i = 0; i < 32; ++i) values[i] = i;
  if (cudaMalloc(&p, sizeof values) != cudaSuccess) return false;
  cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(p);
  if (cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  for (int i = 0; i < 32; ++i)
    if (values[i] != 2 * i) return false;
  return true;
}

template <class Child>
static void in_child(const char* what, Child child) {
  std::fflush(stdout);
  if (const pid_t pid = fork(); pid != 0) {
    int how = 0;
    waitpid(pid, &how, 0);
    std::printf("%s: %s %d\n", what, WIFSIGNALED(how) ? "signal" : "exit", WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    return;
  }
  alarm(30);  // who hangs ends by a signal
  const int code = child();
  std::fflush(stdout);
  exit(code);  // with all that runs at the end of a process
}

int main() {
  in_child("before", [] { return works() ? 0 : 1; });
  // CHECK: before: exit 0
  std::printf("parent %d\n", works());
  // CHECK-NEXT: parent 1
  in_child("idle", [] {
    int *p = nullptr, count = -1;
    std::printf("%d", cudaMalloc(&p, 64));
    twice<<<1, 32>>>(p);
    std::printf(" %d", cudaGetLastError());
    std::printf(" %d %d", cudaDeviceSynchronize(), cudaGetDeviceCount(&count));
    std::printf(" %d %d %s\n", cuInit(0), cuCtxSynchronize(), cudaGetErrorName(cudaErrorInitializationError));
    return 0;
  });
  // CHECK-NEXT: 3 3 3 3 3 3 cudaErrorInitializationError
  // CHECK-NEXT: idle: exit 0
  // While others of the parent are at work in the library.
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  for (int i = 0; i < 50; ++i) twice<<<64, 32>>>(p);
  in_child("busy", [] { return static_cast<int>(cudaDeviceSynchronize()); });
  // CHECK-NEXT: busy: exit 3
  in_child("exec", [] { return execl("/bin/true", "true", nullptr); });
  // CHECK-NEXT: exec: exit 0
  std::printf("parent %d\n", works());
  // CHECK-NEXT: parent 1
}
