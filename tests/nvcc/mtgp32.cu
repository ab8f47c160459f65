// MTGP32 in device code, with the parameters that the headers bring: blocks draw what the host's API gives of their streams (which an H200's
// numbers hold: tests/hw/h200/curand).
// RUN: %nvcc -arch=sm_70 -o %t.exe %s -lcurand && %t.exe | FileCheck %s
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

constexpr int blocks = 192, threads = 256, rounds = 3;

__global__ void whole(curandStateMtgp32* states, unsigned* to) {
  for (int r = 0; r < rounds; ++r) to[(r * blocks + blockIdx.x) * threads + threadIdx.x] = curand(&states[blockIdx.x]);
}
__global__ void shapes(curandStateMtgp32* states, float* uniform, double* wide, float* normal) {
  uniform[threadIdx.x] = curand_uniform(states);
  wide[threadIdx.x] = curand_uniform_double(states);
  normal[threadIdx.x] = curand_normal(states);
  normal[threads + threadIdx.x] = logf(curand_log_normal(states, 1, 2));
}
// Three quarters of the block have ended.
__global__ void some(curandStateMtgp32* states, unsigned* to, float* single) {
  if (threadIdx.x % 4 != 3) return;
  const unsigned index = threadIdx.x / 4;
  to[index] = curand_mtgp32_specific(states, index, 64);
  single[index] = curand_mtgp32_single_specific(states, index, 64);
}

template <class T>
struct Buffer {
  T* on_device = nullptr;
  std::vector<T> host;
  explicit Buffer(size_t n) : host(n) { cudaMalloc(&on_device, n * sizeof(T)); }
  std::vector<T>& get() {
    cudaMemcpy(host.data(), on_device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
};

int main() {
  Buffer<mtgp32_kernel_params> parameters(1);
  Buffer<curandStateMtgp32> states(200);
  const auto seed = [&](int n) { return (int)curandMakeMTGP32KernelState(states.on_device, mtgp32dc_params_fast_11213, parameters.on_device, n, 1234); };
  printf("made %d %d, too many %d\n", (int)curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters.on_device), seed(200), seed(201));
  // CHECK: made 0 0, too many 104

  const size_t n = blocks * threads * rounds;
  std::vector<unsigned> expected(n);
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MTGP32);
  curandSetPseudoRandomGeneratorSeed(generator, 1234);
  curandGenerate(generator, expected.data(), n);
  Buffer<unsigned> drawn(n);
  whole<<<blocks, threads>>>(states.on_device, drawn.on_device);
  printf("same %d\n", drawn.get() == expected);
  // CHECK: same 1

  // The first stream alone: what it gives in its turns.
  std::vector<unsigned> stream;
  for (int r = 0; r < rounds; ++r) stream.insert(stream.end(), &expected[r * blocks * threads], &expected[r * blocks * threads] + threads);
  seed(1);
  Buffer<float> uniform(threads), normal(2 * threads);
  Buffer<double> wide(threads);
  shapes<<<1, threads>>>(states.on_device, uniform.on_device, wide.on_device, normal.on_device);
  int wrong = 0;
  for (int i = 0; i < threads; ++i) {
    wrong += uniform.get()[i] != stream[i] * 0x1p-32f + 0x1p-33f;
    wrong += wide.get()[i] != stream[threads + i] * 0x1p-32 + 0x1p-32;
    const double p = normcdf((double)normal.get()[i]);
    wrong += !(fabs(p - stream[2 * threads + i] * 0x1p-32) < 1e-6);
  }
  double sum = 0;
  for (int i = 0; i < threads; ++i) sum += normal.get()[threads + i];
  printf("wrong %d, mean near 1: %d\n", wrong, fabs(sum / threads - 1) < 0.5);
  // CHECK: wrong 0, mean near 1: 1

  seed(1);
  Buffer<float> single(threads);
  some<<<1, threads>>>(states.on_device, drawn.on_device, single.on_device);
  wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += drawn.get()[i] != stream[i];
  for (int i = 0; i < 64; ++i) wrong += single.get()[i] != 1 + (float)(stream[64 + i] >> 9) * 0x1p-23f;
  printf("of some: wrong %d, %d\n", wrong, (int)cudaDeviceSynchronize());
  // CHECK: of some: wrong 0, 0
}
