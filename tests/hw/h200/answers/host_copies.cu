// What copies and fills answer for bad host pointers, and where a byte too many is seen. One process a
// question: some may end it.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
__global__ void set(int* p, long at) { p[at] = 1; }
template <class F>
void ask(const char* what, F f) {
  fflush(stdout);
  pid_t c = fork();
  if (c == 0) {
    int r = f();
    printf("%s: %d %s\n", what, r, cudaGetErrorName((cudaError_t)r));
    fflush(stdout);
    _exit(0);
  }
  int s;
  waitpid(c, &s, 0);
  if (WIFSIGNALED(s)) printf("%s: ended by signal %d\n", what, WTERMSIG(s));
}
int main() {
  auto pages = [](int prot) {
    char* p = (char*)mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (prot < 0)
      munmap(p, 3 * 4096);
    else
      mprotect(p, 3 * 4096, prot);
    return p;
  };
  auto dev = [](size_t n) {
    void* d;
    cudaMalloc(&d, n);
    return (char*)d;
  };
  for (size_t n : {size_t(64), size_t(8192)}) {
    printf("-- %zu bytes\n", n);
    ask("H2D unmapped", [&] {
      char* p = pages(-1);
      return cudaMemcpy(dev(n), p, n, cudaMemcpyHostToDevice);
    });
    ask("H2D no access", [&] {
      char* p = pages(PROT_NONE);
      return cudaMemcpy(dev(n), p, n, cudaMemcpyHostToDevice);
    });
    ask("D2H unmapped", [&] {
      char* p = pages(-1);
      return cudaMemcpy(p, dev(n), n, cudaMemcpyDeviceToHost);
    });
    ask("D2H read-only", [&] {
      char* p = pages(PROT_READ);
      return cudaMemcpy(p, dev(n), n, cudaMemcpyDeviceToHost);
    });
    ask("H2D async unmapped, call", [&] {
      char* p = pages(-1);
      return cudaMemcpyAsync(dev(n), p, n, cudaMemcpyHostToDevice);
    });
    ask("H2D async unmapped, wait", [&] {
      char* p = pages(-1);
      cudaMemcpyAsync(dev(n), p, n, cudaMemcpyHostToDevice);
      return cudaDeviceSynchronize();
    });
    ask("H2D 2D unmapped", [&] {
      char* p = pages(-1);
      return cudaMemcpy2D(dev(n), 16, p, 16, 16, n / 16, cudaMemcpyHostToDevice);
    });
    ask("cuMemcpyHtoD unmapped", [&] {
      char* p = pages(-1);
      char* d = dev(n);
      return (int)cuMemcpyHtoD((CUdeviceptr)d, p, n);
    });
    ask("memset of malloc", [&] {
      dev(1);
      return cudaMemset(malloc(n), 0, n);
    });
    ask("memset unmapped", [&] {
      dev(1);
      return cudaMemset(pages(-1), 0, n);
    });
    ask("cuMemsetD8 of malloc", [&] {
      dev(1);
      return (int)cuMemsetD8((CUdeviceptr)malloc(n), 0, n);
    });
  }
  ask("launch blocking: kernel with host array, launch", [&] {
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    int* h = (int*)malloc(4);
    set<<<1, 1>>>(h, 0);
    return cudaGetLastError();
  });
  ask("another context's memory", [&] {
    CUcontext a, b;
    CUdevice d;
    cuInit(0);
    cuDeviceGet(&d, 0);
    cuDevicePrimaryCtxRetain(&a, d);
    CUdeviceptr p;
    cuCtxSetCurrent(a);
    cuMemAlloc(&p, 64);
#if CUDA_VERSION >= 13000
    cuCtxCreate(&b, nullptr, 0, d);
#else
    cuCtxCreate(&b, 0, d);
#endif
    cuMemAlloc(&p, 64);
    cuCtxSetCurrent(a);
    set<<<1, 1>>>((int*)p, 0);
    return cudaDeviceSynchronize();
  });
}
