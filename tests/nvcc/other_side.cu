// A function of both sides calls one of one side alone, as nvcc takes it: what the other side compiles of it ends the kernel, and only that
// is warned of.
// RUN: %nvcc -std=c++17 -arch=sm_80 %s -o %t 2> %t.warned && FileCheck --check-prefix=WARN --input-file=%t.warned %s
// RUN: %t | FileCheck %s
// RUN: %nvcc -G -std=c++17 -arch=sm_80 %s -o %t 2> %t.warned && FileCheck --check-prefix=WARN --input-file=%t.warned %s
// RUN: %t | FileCheck %s
// RUN: not %nvcc -std=c++17 -arch=sm_80 -DDIRECTLY %s -o %t 2>&1 | FileCheck --check-prefix=DIRECTLY %s
// CHECK: 7 11
// CHECK: 7 in device code, then an error
// WARN-NOT: warning
// WARN: warning: calling a __host__ function("live") from a __host__ __device__ function("choose") is not allowed: in device code the call ends the kernel
// WARN-NOT: warning
// DIRECTLY: call to __host__ function from __global__ function
#include <cstdio>
#include <string>

// Neither are the bodies of such functions compiled for the device, which has no exceptions and no streams.
struct Host {
  std::string text;
  Host(int n) : text(n, 'x') {}
  ~Host() { std::fprintf(stderr, "%s\n", text.c_str()); }
  static int never(int n) {
    thread_local int kept = n;
    if (kept == 12345) throw std::string("never");
    return kept;
  }
};
template <class T>
__global__ void of_host(T* out) {
  *out = 4;
}
template <class T>
T launch(T x) {
  T* out = nullptr;
  cudaMallocManaged(&out, sizeof(T));
  of_host<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  return x + *out;
}

int live(int x) { return x + 1; }
__device__ int device_only(int x) { return x * 2; }

template <class T>
__host__ __device__ T never(T x) {
  if (false) {
    Host host(x);
    return Host::never(x) + launch(x);
  }
#ifdef __CUDA_ARCH__
  return x;
#else
  if (false) return device_only(x);
  return launch(x);
#endif
}
__host__ __device__ int choose(int x) { return x > 100 ? live(x) : x; }

__global__ void kernel(int* out, int x) {
  out[0] = never(x);
  out[1] = choose(x);
#ifdef DIRECTLY
  out[2] = live(x);
#endif
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 2 * sizeof(int));
  std::printf("%d %d\n", choose(7), never(7));
  kernel<<<1, 1>>>(out, 7);
  cudaDeviceSynchronize();
  std::printf("%d in device code, then %s\n", out[1], (kernel<<<1, 1>>>(out, 101), cudaDeviceSynchronize()) == cudaSuccess ? "nothing" : "an error");
}
