// A program that does a little of everything and tells whether it was right, run by Inputs/environments.py where something
// is missing or limited: each environment has the outcomes that are allowed there, and no other ends a run.
// RUN: %nvcc %s -o %t
// RUN: gcc -shared -fPIC -O1 %S/Inputs/unwilling.c -o %t.unwilling.so -ldl
// RUN: python3 %S/Inputs/environments.py %t %t.unwilling.so
#include <cstdio>

__global__ void add(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] += a[i];
}

// 0: right. 1: an error was told. 7: wrong without a word.
int main() {
  constexpr int n = 100'000;
  static float values[n];
  float *a = nullptr, *b = nullptr;
  const auto failed = [](cudaError_t error) {
    if (error != cudaSuccess) std::fprintf(stderr, "told: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
  };
  if (failed(cudaMalloc(&a, sizeof values)) || failed(cudaMalloc(&b, sizeof values))) return 1;
  for (int i = 0; i < n; ++i) values[i] = i;
  if (failed(cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice)) || failed(cudaMemset(b, 0, sizeof values)))
    return 1;
  for (int i = 0; i < 3; ++i) {
    add<<<(n + 255) / 256, 256>>>(a, b, n);
    if (failed(cudaGetLastError())) return 1;
  }
  if (failed(cudaMemcpy(values, b, sizeof values, cudaMemcpyDeviceToHost))) return 1;
  for (int i = 0; i < n; ++i)
    if (values[i] != 3.0f * i) return 7;
  return 0;
}
