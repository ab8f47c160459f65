// A program may end, in whatever way, while what it launched has not begun: nobody waits, and nobody is taken down
// with it. By hand, more of each: python3 Inputs/many_exits.py PROGRAM 50 (1,000 runs)
// RUN: %nvcc %s -o %t
// RUN: python3 %S/Inputs/many_exits.py %t 4
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x * 3; }

static bool destructor_calls = false;

static void launch_once(bool check) {
  int *p = nullptr, values[32] = {};
  cudaMalloc(&p, 4096);
  k<<<1, 32>>>(p);
  // Kernels may have been unregistered before a destructor runs: that is an error, told as such.
  if (!check || cudaGetLastError() != cudaSuccess) return;
  if (cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess || values[31] != 93) {
    std::printf("wrong\n");
    std::fflush(stdout);
    _exit(7);
  }
}

struct Static {
  ~Static() {
    if (destructor_calls) launch_once(true);
  }
};
static Static object;

int main(int, char** argv) {
  const char* way = argv[1];
  destructor_calls = std::strcmp(way, "destructor") == 0;
  launch_once(false);
  // The moment at which the process ends lies anywhere in what the launch makes others do.
  usleep(static_cast<useconds_t>(std::atoi(argv[2])));
  if (std::strcmp(way, "exit") == 0) std::exit(0);
  if (std::strcmp(way, "quick_exit") == 0) std::quick_exit(0);
  if (std::strcmp(way, "_exit") == 0) _exit(0);
  return 0;
}
