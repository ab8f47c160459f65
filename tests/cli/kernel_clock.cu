// What kernels read from their clocks when these are the device's, against what an H200 read (tests/hw/h200/clocks/clocks.csv).
// RUN: %nvcc -O2 -arch=sm_90 %s -o %t
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=jit %t > %t.jit
// RUN: FileCheck %s < %t.jit
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=interp %t > %t.interp
// RUN: FileCheck %s < %t.interp
//
// Nothing changes between two runs.
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=jit HEDDLE_THREADS=3 %t > %t.again
// RUN: diff %t.jit %t.again
//
// CHECK:      two looks: 2
// CHECK-NEXT: 256 fma.f32, 1 warp: within
// CHECK-NEXT: 256 fma.f32, 32 warps: within
// CHECK-NEXT: 128 fma.f64, 1 warp: within
// CHECK-NEXT: 64 shared loads of 32 passes, 8 warps: within
// CHECK-NEXT: 64 shared loads of 32 passes, 32 warps: within
// CHECK-NEXT: loads that the L2 cache has: within
// CHECK-NEXT: loads that the memory has: within
// CHECK-NEXT: a reduction, mean of 64 blocks: within
// CHECK-NEXT: a million clocks by %globaltimer: within
// CHECK-NEXT: by %clock: within
// CHECK-NEXT: by events: within
// CHECK-NEXT: the next launch is later: 1
#include <cstdio>
#include <vector>

__device__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
__device__ unsigned short_now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ unsigned long long timer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__global__ void two_looks(long long* out) {
  const long long a = now(), b = now();
  out[0] = b - a;
  out[1] = b;
}

template <int N, class T>
__global__ void chain(long long* out, T x, T* results) {
  T y = x;
  const long long a = now();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if constexpr (sizeof(T) == 8)
      asm volatile("fma.rn.f64 %0, %0, %0, %1;" : "+d"(y) : "d"(x));
    else
      asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(y) : "f"(x));
  }
  const long long b = now();
  results[threadIdx.x] = y;
  if (threadIdx.x == 0) out[0] = b - a;
}

__global__ void conflicts(long long* out, int* results) {
  __shared__ int words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
  __syncthreads();
  int at = threadIdx.x % 32 * 32;
  const long long a = now();
#pragma unroll
  for (int i = 0; i < 64; ++i) at += ((volatile int*)words)[at];
  const long long b = now();
  results[threadIdx.x] = at;
  if (threadIdx.x == 0) out[0] = b - a;
}

__global__ void chase(long long* out, const void** start, int warm, int steps) {
  const void** p = start;
  for (int i = 0; i < warm; ++i) p = (const void**)*p;
  const long long a = now();
  for (int i = 0; i < steps; ++i) p = (const void**)*p;
  if (p == nullptr) out[1] = 0;
  const long long b = now();
  out[0] = b - a;
}

__global__ void reduction(const float* in, float* result, long long* times) {
  extern __shared__ float part[];
  const int tid = threadIdx.x;
  if (tid == 0) times[blockIdx.x] = now();
  part[tid] = in[tid];
  part[tid + blockDim.x] = in[tid + blockDim.x];
  for (int d = blockDim.x; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d && part[tid + d] < part[tid]) part[tid] = part[tid + d];
  }
  if (tid == 0) result[blockIdx.x] = part[0];
  __syncthreads();
  if (tid == 0) times[blockIdx.x + gridDim.x] = now();
}

__global__ void wait(long long cycles, long long* out) {
  const unsigned long long t = timer();
  const unsigned s = short_now();
  const long long a = now();
  while (now() - a < cycles) {
  }
  out[0] = timer() - t;
  out[1] = short_now() - s;
}

static long long* out;
static void tell(const char* what, double value, double measured, double off) {
  const bool within = value > measured * (1 - off) && value < measured * (1 + off);
  printf("%s: ", what);
  within ? printf("within\n") : printf("%.1f, measured %.1f\n", value, measured);
}
static double read(int at = 0) {
  long long values[2];
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  return static_cast<double>(values[at]);
}

static double chase_through(int kilobytes, bool warm, int steps) {
  const int lines = kilobytes * 8;
  std::vector<const void*> host(lines * 16);
  const void** device;
  cudaMalloc(&device, lines * 128);
  for (int i = 0; i < lines; ++i) host[i * 16] = device + (i + 7 * 1031) % lines * 16;
  cudaMemcpy(device, host.data(), lines * 128, cudaMemcpyHostToDevice);
  chase<<<1, 1>>>(out, device, warm ? lines : 0, steps);
  cudaFree(device);
  return read() / steps;
}

int main() {
  void* data;
  cudaMalloc(&out, 4096);
  cudaMalloc(&data, 1 << 20);
  cudaMemset(data, 0, 1 << 20);
  two_looks<<<1, 32>>>(out);
  printf("two looks: %.0f\n", read());
  chain<256, float><<<1, 32>>>(out, 1.F, (float*)data);
  tell("256 fma.f32, 1 warp", read(), 1022, 0.05);
  chain<256, float><<<1, 1024>>>(out, 1.F, (float*)data);
  tell("256 fma.f32, 32 warps", read(), 1996, 0.05);
  chain<128, double><<<1, 32>>>(out, 1., (double*)data);
  tell("128 fma.f64, 1 warp", read(), 1018, 0.05);
  cudaMemset(data, 0, 1 << 20);
  conflicts<<<1, 256>>>(out, (int*)data);
  tell("64 shared loads of 32 passes, 8 warps", read(), 16525, 0.05);
  conflicts<<<1, 1024>>>(out, (int*)data);
  tell("64 shared loads of 32 passes, 32 warps", read(), 66144, 0.05);
  tell("loads that the L2 cache has", chase_through(512, true, 2048), 290.5, 0.05);
  tell("loads that the memory has", chase_through(16384, false, 2048), 665, 0.05);
  reduction<<<64, 256, 2048>>>((float*)data, (float*)data + 4096, out);
  long long times[128];
  cudaMemcpy(times, out, sizeof times, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int block = 0; block < 64; ++block) sum += static_cast<double>(times[block + 64] - times[block]);
  tell("a reduction, mean of 64 blocks", sum / 64, 1697, 0.25);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  two_looks<<<1, 1>>>(out);
  const double before = read(1);
  cudaEventRecord(begin);
  wait<<<1, 1>>>(1000000, out);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  tell("a million clocks by %globaltimer", read(), 505088, 0.01);
  tell("by %clock", read(1), 1000000, 0.01);
  tell("by events", ms, 0.51571, 0.05);
  two_looks<<<1, 1>>>(out);
  printf("the next launch is later: %d\n", read(1) > before + 1000000);
}
