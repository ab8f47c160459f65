// cuda::latch and semaphores, within a block, in managed memory between blocks and host, and of cuda::std.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
// RUN: %nvcc -arch=sm_60 -std=c++14 %s -o %t60 && %t60
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cuda/std/latch>
#include <cuda/std/semaphore>

#include <cstdio>
#include <new>

using Latch = cuda::latch<cuda::thread_scope_device>;
using Places = cuda::counting_semaphore<cuda::thread_scope_device, 2>;

struct Shared {
  Latch started{0};
  Places places{2};
  cuda::std::latch done{0};
  cuda::std::binary_semaphore go{0};
  int inside = 0, most = 0, sum = 0, wrong = 0;
};

// All blocks have begun before one goes on; two at a time are between acquire and release.
__global__ void blocks(Shared* s) {
  if (threadIdx.x == 0) s->started.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x == 0) {
    s->places.acquire();
    atomicMax(&s->most, atomicAdd(&s->inside, 1) + 1);
    atomicAdd(&s->sum, 1);
    __threadfence();
    atomicAdd(&s->inside, -1);
    s->places.release();
    if (!s->started.try_wait()) atomicAdd(&s->wrong, 1);
    s->done.count_down();
  }
}

__global__ void in_a_block(int* out) {
  __shared__ alignas(cuda::latch<cuda::thread_scope_block>) unsigned char place[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ int values[64];
  auto* const ready = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(place);
  if (threadIdx.x == 0) new (ready) cuda::latch<cuda::thread_scope_block>(32);
  __syncthreads();
  if (threadIdx.x < 32) {
    values[threadIdx.x] = threadIdx.x * 3;
    ready->count_down();
  } else {
    ready->wait();
    out[threadIdx.x - 32] = values[63 - threadIdx.x];
  }
}

__global__ void waits(Shared* s) { s->go.acquire(), s->sum += 1000; }

int main() {
  Shared* s;
  int* out;
  constexpr int count = 6;
  if (cudaMallocManaged(&s, sizeof *s) != cudaSuccess || cudaMallocManaged(&out, 128) != cudaSuccess) return 1;
  new (s) Shared;
  new (&s->started) Latch(count);
  new (&s->done) cuda::std::latch(count);
  void* arguments[] = {&s};
  if (cudaLaunchCooperativeKernel((void*)blocks, dim3(count), dim3(32), arguments) != cudaSuccess) return 2;
  s->done.wait();
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  if (s->sum != count || s->most > 2 || s->most < 1 || s->wrong != 0) return printf("%d %d\n", s->sum, s->most), 4;
  if (s->places.try_acquire() + s->places.try_acquire() + s->places.try_acquire() != 2) return 5;
  waits<<<1, 1>>>(s);
  if (cudaStreamQuery(nullptr) != cudaErrorNotReady) return 6;
  s->go.release();
  if (cudaDeviceSynchronize() != cudaSuccess || s->sum != count + 1000) return 7;
  in_a_block<<<1, 64>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 8;
  for (int i = 0; i < 32; ++i)
    if (out[i] != (31 - i) * 3) return printf("%d: %d\n", i, out[i]), 9;
  return 0;
}
