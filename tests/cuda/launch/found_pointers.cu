// Host pointers that a kernel finds in memory, one step away: in a structure on the device, in a table, in a variable, among the constants.
// On an H200 each is an illegal address; with memory of the device there instead they are what they should be.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %t 2>/dev/null | FileCheck %s
// RUN: env HEDDLE_JIT_VECTORS=0 %t 2>/dev/null | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t 2>/dev/null | FileCheck %s
// CHECK: structure: cudaSuccess 2, cudaErrorIllegalAddress
// CHECK-NEXT: table: cudaSuccess 2, cudaErrorIllegalAddress
// CHECK-NEXT: variable: cudaSuccess 2, cudaErrorIllegalAddress
// CHECK-NEXT: constants: cudaSuccess 2, cudaErrorIllegalAddress
// CHECK-NEXT: not used: cudaSuccess 1, cudaSuccess
#include <cstdio>
#include <cstdlib>

struct Vector {
  int count;
  float* data;
};
__device__ float* variable;
__constant__ Vector constants;

__global__ void by_structure(Vector* v) {
  if (threadIdx.x < v->count) v->data[threadIdx.x] += 1;
}
__global__ void by_table(float** table) { table[threadIdx.x / 32][threadIdx.x % 32] += 1; }
__global__ void by_variable() { variable[threadIdx.x] += 1; }
__global__ void by_constants() { constants.data[threadIdx.x] += 1; }
__global__ void not_used(Vector* v, Vector* to) { *to = *v; }

static void ask(const char* what, int which) {
  std::printf("%s:", what);
  for (const bool host : {false, true}) {
    float first = 1, *data = nullptr;
    if (host)
      data = static_cast<float*>(std::calloc(64, 4));
    else
      cudaMalloc(&data, 256);
    if (!host) cudaMemcpy(data, &first, 4, cudaMemcpyHostToDevice);
    const Vector v{64, data};
    float* table[2] = {data, data};
    void *on_device, *other;
    cudaMalloc(&on_device, 64);
    cudaMalloc(&other, 64);
    // In the stream, so what a launch finds is what stands before it.
    if (which == 1)
      cudaMemcpyAsync(on_device, table, sizeof table, cudaMemcpyHostToDevice);
    else
      cudaMemcpyAsync(on_device, &v, sizeof v, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(variable, &data, sizeof data);
    cudaMemcpyToSymbol(constants, &v, sizeof v);
    if (which == 0) by_structure<<<1, 64>>>(static_cast<Vector*>(on_device));
    if (which == 1) by_table<<<1, 32>>>(static_cast<float**>(on_device));
    if (which == 2) by_variable<<<1, 64>>>();
    if (which == 3) by_constants<<<1, 64>>>();
    if (which == 4) not_used<<<1, 1>>>(static_cast<Vector*>(on_device), static_cast<Vector*>(other));
    std::printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    if (!host) {
      cudaMemcpy(&first, data, 4, cudaMemcpyDeviceToHost);
      std::printf(" %g,", first);
    }
  }
  std::printf("\n");
  cudaDeviceReset();
}

int main() {
  ask("structure", 0);
  ask("table", 1);
  ask("variable", 2);
  ask("constants", 3);
  ask("not used", 4);
}
