// A program may end, in whatever way, while what it launched has not begun: nobody waits, and nobody is taken down
// with it. By hand, more of each: python3 Inputs/many_exits.py PROGRAM 36 (1,008 runs)
// RUN: %nvcc %s -o %t -ldl
// RUN: %nvcc -shared -Xcompiler -fPIC %s -o %t.so -ldl
// RUN: python3 %S/Inputs/many_exits.py %t 4
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x * 3; }

static bool destructor_calls = false;

extern "C" void launch_once(bool check) {
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

// A thread of which nobody knows when it comes to its first call.
static void* first_call(void*) {
  launch_once(false);
  return nullptr;
}

// A library with kernels of its own goes while what it launched has not begun.
static void launch_in_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return;
  }
  reinterpret_cast<void (*)(bool)>(dlsym(library, "launch_once"))(false);
  dlclose(library);
}

int main(int, char** argv) {
  const char* way = argv[1];
  if (std::strcmp(way, "detached") == 0) {
    pthread_t thread;
    pthread_create(&thread, nullptr, first_call, nullptr);
    pthread_detach(thread);
    usleep(static_cast<useconds_t>(std::atoi(argv[2])));
    return 0;
  }
  if (std::strcmp(way, "dlclose") == 0) {
    launch_in_library(std::string(argv[0]) + ".so");
    usleep(static_cast<useconds_t>(std::atoi(argv[2])));
    return 0;
  }
  destructor_calls = std::strcmp(way, "destructor") == 0;
  launch_once(false);
  // The moment at which the process ends lies anywhere in what the launch makes others do.
  usleep(static_cast<useconds_t>(std::atoi(argv[2])));
  if (std::strcmp(way, "exit") == 0) std::exit(0);
  if (std::strcmp(way, "quick_exit") == 0) std::quick_exit(0);
  if (std::strcmp(way, "_exit") == 0) _exit(0);
  return 0;
}
