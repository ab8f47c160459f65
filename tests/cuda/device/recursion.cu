// With the usual limit of the stack a program recurses here as deep as on an H200, which ends this one at 64; deeper is an error that names
// what the calls need.
// RUN: %nvcc %s -o %t
// RUN: %t 2>%t.told | FileCheck %s
// RUN: FileCheck %s --check-prefix=TOLD --input-file %t.told
// RUN: env HEDDLE_EXECUTOR=interp %t 2>%t.told | FileCheck %s
// RUN: FileCheck %s --check-prefix=TOLD --input-file %t.told
#include <cstdio>

struct Shape {
  __device__ virtual int sum(int x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Scaled : Shape {
  int factor;
  __device__ Scaled(int f) : factor(f) {}
  __device__ int sum(int x) const override { return x * factor; }
};
struct Summed : Shape {
  __device__ int sum(int x) const override { return x != 0 ? sum(x - 1) + x : 0; }
};

// Each second thread reads and writes memory before the other ones go too deep.
__global__ void sums(int* out, int depth) {
  Shape* shape = threadIdx.x % 2 != 0 ? static_cast<Shape*>(new Scaled(threadIdx.x)) : new Summed;
  out[threadIdx.x] = shape->sum(depth);
  delete shape;
}

int main() {
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitStackSize);
  int *out = nullptr, values[64];
  cudaMalloc(&out, sizeof values);
  int wrong = 0;
  for (int depth = 8; depth < 64; depth += 5) {
    sums<<<1, 64>>>(out, depth);
    if (cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) break;
    for (int i = 0; i < 64; ++i) wrong += values[i] != (i % 2 != 0 ? depth * i : depth * (depth + 1) / 2);
  }
  std::printf("limit %zu, %s, %d wrong\n", limit, cudaGetErrorName(cudaGetLastError()), wrong);
  // CHECK: limit 1024, cudaSuccess, 0 wrong
  sums<<<1, 64>>>(out, 100000);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  // CHECK-NEXT: cudaErrorHardwareStackError
  // TOLD: recursion.cu:[[#]]:{{.*}}: stack overflow: {{the calls of the thread need more than its stack of|the frame of}}
  // TOLD-NOT: read of
}
