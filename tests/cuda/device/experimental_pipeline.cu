// cuda_pipeline.h and cuda_awbarrier.h: copies of every size by batches and by barriers, what is filled with zeros, counts of tokens, and
// their C forms. Below compute capability 8.0 the copies have happened when they return, and there are no barriers before 7.0.
// RUN: %nvcc -arch=sm_90 -std=c++17 %s -o %t -Xcompiler -Wall && %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// RUN: %nvcc -arch=sm_80 -std=c++14 %s -o %t80 && %t80 | FileCheck %s
// RUN: %nvcc -G -arch=sm_80 %s -o %t80.debug && env HEDDLE_DEVICE=a100 %t80.debug | FileCheck %s
// RUN: %nvcc -arch=sm_70 -std=c++14 %s -o %t70 && env HEDDLE_DEVICE=v100 %t70 | FileCheck %s
// RUN: env HEDDLE_DEVICE=v100 HEDDLE_EXECUTOR=interp %t70 | FileCheck %s
// RUN: %nvcc -arch=sm_61 -std=c++11 -DCOPIES_ALONE %s -o %t61 && env HEDDLE_DEVICE=gtx1080 %t61 | FileCheck %s --check-prefix=COPIES
// RUN: %nvcc -arch=sm_90 -ptx %s -o - | FileCheck %s --check-prefix=PTX
// RUN: not %nvcc -arch=sm_61 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not %nvcc -arch=sm_80 -DODD_SIZE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %nvcc -arch=sm_80 -DLONGER_SOURCE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LONGER
// OLD: asynchronous barriers need compute capability 7.0
// SIZE: an array that is copied asynchronously has 4, 8 or 16 bytes
// LONGER: an asynchronous copy's source is no larger than its target
// PTX: cp.async.ca.shared.global {{.*}}, 4,
// PTX: cp.async.mbarrier.arrive.shared.b64
#include <cuda_pipeline.h>
#ifndef COPIES_ALONE
#include <cuda/barrier>

#include <cuda_awbarrier.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstring>

using nvcuda::experimental::pipeline;

struct Odd {
  short parts[3];
};
struct alignas(16) Wide {
  double parts[4];
};
// Not trivially copyable: assigned, wherever it lies.
struct Counted {
  int value;
  int copies;
  __device__ Counted& operator=(const Counted& other) {
    value = other.value;
    copies = other.copies + 1;
    return *this;
  }
};

template <class T>
__device__ bool same(const T& a, const T& b) {
  for (size_t i = 0; i < sizeof(T); ++i)
    if (((const char*)&a)[i] != ((const char*)&b)[i]) return false;
  return true;
}

// Batches of one copy a thread, each waited for when the next ones are under way. Answers how many differ.
template <class T>
__device__ int batches(const T* global, T* shared, T* local_of_all) {
  const unsigned n = blockDim.x, me = threadIdx.x;
  pipeline pipe;
  size_t numbers[4];
  for (unsigned i = 0; i < 4; ++i) {
    memcpy_async(shared[i * n + me], global[i * n + me], pipe);
    numbers[i] = pipe.commit();
  }
  int wrong = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (numbers[i] != numbers[0] + i) ++wrong;
    if (i == 0)
      pipe.wait_prior<3>();
    else if (i == 3)
      pipe.wait_prior<0>();
    else
      pipe.wait(numbers[i]);
    if (!same(shared[i * n + me], global[i * n + me])) ++wrong;
  }
  // From shared to global memory and to the thread's own: no asynchronous copies.
  T own;
  memcpy_async(own, shared[me], pipe);
  memcpy_async(local_of_all[me], own, pipe);
  pipe.commit_and_wait();
  return wrong + !same(local_of_all[me], global[me]);
}

template <class T>
__global__ void copies(const T* global, T* back, int* wrong) {
  extern __shared__ __align__(16) unsigned char shared[];
  atomicAdd(wrong, batches(global, (T*)shared, back));
}

__global__ void assigned(const Counted* global, int* out) {
  __shared__ Counted shared;
  pipeline pipe;
  memcpy_async(shared, *global, pipe);
  pipe.commit_and_wait();
  out[0] = shared.value;
  out[1] = shared.copies;
}

// Elements behind the source's are zeros.
__global__ void filled(const int* global, int* out) {
  __shared__ __align__(16) int to[32][4];
  __shared__ __align__(16) int primitive[8];
  for (int i = threadIdx.x; i < 32 * 4; i += blockDim.x) to[i / 4][i % 4] = -1;
  if (threadIdx.x < 8) primitive[threadIdx.x] = -1;
  __syncthreads();
  pipeline pipe;
  const unsigned me = threadIdx.x;
  if (me == 0) memcpy_async(&to[0], (const int(*)[4])global, pipe);
  if (me == 1) memcpy_async(&to[1], (const int(*)[3])(global + 4), pipe);
  if (me == 2) memcpy_async(&to[2], (const int(*)[1])(global + 8), pipe);
  if (me == 3) memcpy_async((int(*)[2])to[3], (const int(*)[1])(global + 12), pipe);
  if (me == 4) memcpy_async((int(*)[1])to[4], (const int(*)[1])(global + 13), pipe);
  if (me == 5) memcpy_async((char(*)[8])to[5], (const char(*)[5])(global + 14), pipe);
  // From shared memory: the same without the instruction.
  if (me == 6) memcpy_async(&to[6], (const int(*)[3])&to[7], pipe);
#ifdef ODD_SIZE
  memcpy_async((int(*)[3])to[8], (const int(*)[3])global, pipe);
#endif
#ifdef LONGER_SOURCE
  memcpy_async((int(*)[2])to[8], (const int(*)[4])global, pipe);
#endif
  pipe.commit_and_wait();
  // The C form takes both numbers when the program runs.
  if (me == 8) {
    __pipeline_memcpy_async(primitive, global, 16, out[0] + 6);
    __pipeline_commit();
    __pipeline_memcpy_async(primitive + 4, global + 4, out[0] + 8);
    __pipeline_commit();
    __pipeline_wait_prior(out[0] + 1);
    const int first = primitive[2] & 0xffff;
    __pipeline_wait_prior(out[0]);
    out[28] = first == (global[2] & 0xffff) && primitive[5] == global[5];
  }
  __syncthreads();
  if (me < 28) out[me] = to[me / 4][me % 4];
  if (me < 8) out[32 + me] = primitive[me];
}

#ifndef COPIES_ALONE
using nvcuda::experimental::awbarrier;
static_assert(sizeof(awbarrier) == 8 && alignof(awbarrier) == 8, "a word");
static_assert(awbarrier::max() == 16383, "as the C form");

// Each thread's copies are there for all when the barrier's phase has ended.
template <class Barrier, class T>
__device__ int bound(Barrier& barrier, const T* global, T* shared) {
  const unsigned n = blockDim.x;
  int wrong = 0;
  for (unsigned round = 0; round < 3; ++round) {
    pipeline pipe;
    memcpy_async(shared[threadIdx.x], global[round * n + threadIdx.x], pipe);
    pipe.arrive_on(barrier);
    barrier.arrive_and_wait();
    const unsigned other = (threadIdx.x + n / 2 + 1) % n;
    if (!same(shared[other], global[round * n + other])) ++wrong;
    __syncthreads();
  }
  return wrong;
}
template <class T>
__global__ void arriving(const T* global, int* wrong) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ awbarrier own;
  __shared__ cuda::barrier<cuda::thread_scope_block> newer;
  if (threadIdx.x == 0) {
    nvcuda::experimental::init(&own, blockDim.x);
    init(&newer, blockDim.x);
  }
  __syncthreads();
  atomicAdd(wrong, bound(own, global, (T*)shared));
  __syncthreads();
  atomicAdd(wrong, bound(newer, global, (T*)shared));
}

// Two warps: tokens' counts, phases, leaving.
__global__ void phases(int* out) {
  __shared__ awbarrier barrier;
  __shared__ __mbarrier_t word;
  __shared__ int sum;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    __mbarrier_init(&word, 2);
    sum = 0;
  }
  __syncthreads();
  // One lane at a time: lanes that arrive together may all see the same count.
  awbarrier::arrival_token token;
  for (unsigned i = 0; i < blockDim.x; ++i) {
    if (threadIdx.x == i) {
      token = barrier.arrive();
      sum += token.pending_count();
    }
    __syncthreads();
  }
  barrier.wait(token);
  out[0] = sum;  // 64 + 63 + ... + 1
  // A phase that nobody ends times out, by cycles and by nanoseconds.
  if (threadIdx.x == 0) {
    token = barrier.arrive();
    out[1] = barrier.timed_wait(token, 100) + 2 * barrier.timed_wait_parity(true, 100) + 4 * barrier.try_wait(token, 100) +
             8 * barrier.try_wait_parity(true, 100) + 16 * barrier.timed_wait_parity(false, 100) + 32 * barrier.try_wait_parity(false, 100);
  }
  __syncthreads();
  if (threadIdx.x != 0) barrier.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x == 0) out[2] = barrier.timed_wait(token, ~0u) && barrier.try_wait(token, 1000);
  // The upper warp leaves: the next phase wants 32.
  if (threadIdx.x >= 32)
    token = barrier.arrive_and_drop();
  else
    token = barrier.arrive();
  barrier.wait(token);
  __syncthreads();
  if (threadIdx.x == 0) out[3] = barrier.arrive().pending_count();
  __syncthreads();
  if (threadIdx.x != 0 && threadIdx.x < 32) barrier.arrive_and_wait();
  __syncthreads();
  // The C form, by one thread.
  if (threadIdx.x == 0) {
    const __mbarrier_token_t first = __mbarrier_arrive(&word);
    const bool early = __mbarrier_test_wait(&word, first) || __mbarrier_try_wait(&word, first, 10);
    const __mbarrier_token_t second = __mbarrier_arrive_and_drop(&word);
    out[4] = __mbarrier_token_pending_count(first) * 10 + __mbarrier_token_pending_count(second);
    out[5] = !early && __mbarrier_test_wait(&word, first) && __mbarrier_test_wait(&word, second) && __mbarrier_test_wait_parity(&word, 0) &&
             !__mbarrier_test_wait_parity(&word, 1) && __mbarrier_try_wait_parity(&word, 0, 10);
    const __mbarrier_token_t alone = __mbarrier_arrive(&word);
    out[6] = __mbarrier_token_pending_count(alone) == 1 && __mbarrier_test_wait(&word, alone);
    __mbarrier_inval(&word);
    inval(&barrier);
    // Memory of a barrier that is no more may hold anything.
    word = 5;
    out[7] = (int)word + (int)(__mbarrier_maximum_count() == awbarrier::max());
  }
}
#endif

// A size that is none ends the kernel.
__global__ void misused(const int* global, size_t bytes) {
  __shared__ __align__(16) int to[4];
  __pipeline_memcpy_async(to, global, bytes);
}

template <class T>
int wrong_of(const unsigned char* bytes, int* wrong) {
  *wrong = 0;
  void* back;
  if (cudaMallocManaged(&back, 64 * sizeof(T))) return -1;
  copies<<<1, 64, 4 * 64 * sizeof(T)>>>((const T*)bytes, (T*)back, wrong);
  if (cudaDeviceSynchronize()) return -2;
#ifndef COPIES_ALONE
  arriving<<<1, 64, 64 * sizeof(T)>>>((const T*)bytes, wrong);
  if (cudaDeviceSynchronize()) return -3;
#endif
  return *wrong;
}

int main() {
  unsigned char* bytes;
  int *out, *wrong;
  const size_t size = 4 * 64 * sizeof(Wide);
  if (cudaMallocManaged(&bytes, size) || cudaMallocManaged(&out, 64 * 4) || cudaMallocManaged(&wrong, 4)) return 1;
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)(i * 37 + i / 251 + 1);
  // CHECK: wrong: 0 0 0 0 0 0 0
  // COPIES: wrong: 0 0 0 0 0 0 0
  std::printf("wrong: %d %d %d %d", wrong_of<char>(bytes, wrong), wrong_of<short>(bytes, wrong), wrong_of<int>(bytes, wrong),
              wrong_of<int2>(bytes, wrong));
  std::printf(" %d %d %d\n", wrong_of<int4>(bytes, wrong), wrong_of<Odd>(bytes, wrong), wrong_of<Wide>(bytes, wrong));

  Counted* counted = (Counted*)out;
  counted->value = 7;
  counted->copies = 1;
  assigned<<<1, 1>>>(counted, out + 2);
  if (cudaDeviceSynchronize()) return 2;
  // CHECK: assigned: 7 2
  // COPIES: assigned: 7 2
  std::printf("assigned: %d %d\n", out[2], out[3]);

  int* numbers = (int*)bytes;
  for (int i = 0; i < 64; ++i) numbers[i] = 0x1010101 * (i + 1), out[i] = 0;
  filled<<<1, 64>>>(numbers, out);
  if (cudaDeviceSynchronize()) return 3;
  // CHECK: 1 2 3 4 / 5 6 7 0 / 9 0 0 0 / 13 0 - - / 14 - - - / 15 16 - - / - - - 0 /
  // COPIES: 1 2 3 4 / 5 6 7 0 / 9 0 0 0 / 13 0 - - / 14 - - - / 15 16 - - / - - - 0 /
  for (int i = 0; i < 28; ++i) out[i] == -1 ? std::printf("- %s", i % 4 == 3 ? "/ " : "") : std::printf("%d %s", out[i] & 255, i % 4 == 3 ? "/ " : "");
  // CHECK-NEXT: the tail of 5 bytes 10, by numbers 1: 1010101 2020202 303 0 5050505 6060606
  std::printf("\nthe tail of 5 bytes %x, by numbers %d: %x %x %x %x %x %x\n", out[21], out[28], out[32], out[33], out[34], out[35], out[36], out[37]);

#ifndef COPIES_ALONE
  phases<<<1, 64>>>(out);
  if (cudaDeviceSynchronize()) return 4;
  // CHECK: phases: 2080 48 1 32 21 1 1 6
  std::printf("phases: %d %d %d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7]);
#endif
  misused<<<1, 1>>>(numbers, 12);
  // CHECK: misused: {{.*(Illegal|Failure)}}
  // COPIES: misused: {{.*(Illegal|Failure)}}
  std::printf("misused: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
