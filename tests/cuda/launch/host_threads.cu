// Threads that are cancelled in a call end behind it and leave nothing locked; threads with small stacks, and calls from a stack that is
// no thread's, run kernels like others.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: env HEDDLE_CACHE_DIR= %t cancelled | FileCheck %s --check-prefix=CANCELLED
// RUN: env HEDDLE_CACHE_DIR= %t small | FileCheck %s --check-prefix=SMALL
// RUN: env HEDDLE_CACHE_DIR= HEDDLE_EXECUTOR=interp %t small | FileCheck %s --check-prefix=SMALL
// RUN: env HEDDLE_CACHE_DIR= %t coroutine | FileCheck %s --check-prefix=COROUTINE
#include <limits.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__global__ void add(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] += a[i];
}
__global__ void slow(unsigned* p, int turns) {
  unsigned x = threadIdx.x;
  for (int i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u;
  p[threadIdx.x] = x;
}

// Whether all was right.
static bool add_once() {
  constexpr int n = 1000;
  std::vector<float> values(n, 2.0f);
  float *a = nullptr, *b = nullptr;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess || cudaMalloc(&b, n * sizeof(float)) != cudaSuccess) return false;
  cudaMemcpy(a, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(a, b, n);
  if (cudaMemcpy(values.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  cudaFree(a);
  cudaFree(b);
  for (const float value : values)
    if (value != 2.0f) return false;
  return true;
}

static void* work_for_ever(void* type) {
  int before;
  pthread_setcanceltype(*static_cast<int*>(type), &before);
  unsigned* p = nullptr;
  cudaMalloc(&p, 4096);
  for (;;) {
    slow<<<1, 32>>>(p, 20000);
    cudaDeviceSynchronize();
    pthread_testcancel();
  }
}

static int cancelled() {
  int ended = 0, right = 0;
  for (int i = 0; i < 40; ++i) {
    // What is cancelled at once may be in the very first call.
    int type = i % 2 == 0 ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS;
    pthread_t thread;
    pthread_create(&thread, nullptr, work_for_ever, &type);
    usleep(i < 4 ? 0 : static_cast<useconds_t>(i * 7919 % 15000));
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    ended += result == PTHREAD_CANCELED;
    if (i % 8 == 7) right += add_once();
  }
  std::printf("%d of 40 ended, %d of 5 sums right\n", ended, right);
  return 0;
}
// CANCELLED: 40 of 40 ended, 5 of 5 sums right

// Made before what the library keeps for the thread, so it ends behind that.
struct Last {
  bool* right = nullptr;
  ~Last() {
    if (right != nullptr) *right = add_once() && add_once();
  }
};
static thread_local Last last;

static void* add_in_thread(void* right) {
  last.right = static_cast<bool*>(right);
  return reinterpret_cast<void*>(static_cast<long>(add_once()));
}

static int small() {
  int right = 0;
  for (const size_t kilobytes : {32, 16, 64, 256}) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, kilobytes << 10) != 0) std::printf("no stack of %zu KB\n", kilobytes);
    pthread_t thread;
    bool in_destructor = false;
    pthread_create(&thread, &attributes, add_in_thread, &in_destructor);
    void* result = nullptr;
    pthread_join(thread, &result);
    right += result != nullptr && in_destructor;
  }
  std::printf("%d of 4 right\n", right);
  return 0;
}
// SMALL: 4 of 4 right

static ucontext_t home, other;
static bool sum = false;
static int coroutine() {
  static char stack[64 << 10];
  getcontext(&other);
  other.uc_stack.ss_sp = stack;
  other.uc_stack.ss_size = sizeof stack;
  other.uc_link = &home;
  makecontext(&other, [] { sum = add_once(); }, 0);
  swapcontext(&home, &other);
  std::printf("coroutine %s, thread %s\n", sum ? "right" : "wrong", add_once() ? "right" : "wrong");
  return 0;
}
// COROUTINE: coroutine right, thread right

int main(int, char** argv) {
  if (std::strcmp(argv[1], "cancelled") == 0) return cancelled();
  if (std::strcmp(argv[1], "small") == 0) return small();
  return coroutine();
}
