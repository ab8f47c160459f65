// The frame of a generated program (tools/fuzz_oracle.py). The same text is compiled by g++, which says what
// is right, and by nvcc, whose kernels are asked.
//
// A program is a namespace p<seed> with `void answers(uint64_t* out)`: one word for each of THREADS threads.
// Blocks are of 48 threads, so that every other warp is half full. A file of programs ends with ORACLE_MAIN.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#define ORACLE_HD __device__
#define ORACLE_NOINLINE __noinline__
#else
#include <time.h>
#define ORACLE_HD
#define ORACLE_NOINLINE __attribute__((noinline))
#endif

namespace oracle {

constexpr uint32_t BLOCK = 48, BLOCKS = 2, THREADS = BLOCK * BLOCKS;

typedef void (*Answers)(uint64_t* out);

struct Entry {
  uint32_t seed;
  Answers answers;
  Entry* next;
};
inline Entry*& first() {
  static Entry* entry = nullptr;
  return entry;
}
struct Register {
  Entry entry;
  Register(uint32_t seed, Answers answers) : entry{seed, answers, nullptr} {
    Entry** end = &first();
    while (*end != nullptr) end = &(*end)->next;
    *end = &entry;
  }
};

#ifdef __CUDACC__
// A fault ends the context, so nothing more can be asked of this process.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  printf("%s: %s: %s\n", what, cudaGetErrorName(status), cudaGetErrorString(status));
  fflush(stdout);
  _Exit(1);
}

// Memory of the device, zeroed, as long as the program runs.
inline uint8_t* zeroed(size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  return static_cast<uint8_t*>(memory);
}

// Waits for the kernel that was just launched, and takes its answers.
inline void take(uint64_t* out, void* answers) {
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "kernel");
  check(cudaMemcpy(out, answers, THREADS * sizeof(uint64_t), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaFree(answers), "cudaFree");
}
#endif

// Prints the answers of the programs that the arguments name by their seeds, of all without any.
inline int print(int count, char** arguments) {
#ifdef __CUDACC__
  check(cudaDeviceSetLimit(cudaLimitStackSize, 65536), "cudaDeviceSetLimit");
#endif
  for (const Entry* entry = first(); entry != nullptr; entry = entry->next) {
    bool wanted = count < 2;
    for (int i = 1; i < count; ++i) wanted |= strtoul(arguments[i], nullptr, 10) == entry->seed;
    if (!wanted) continue;
    printf("program %u\n", entry->seed);
    fflush(stdout);
    uint64_t out[THREADS] = {};
#ifndef __CUDACC__
    const clock_t start = clock();
#endif
    entry->answers(out);
    for (uint32_t t = 0; t < THREADS; ++t) printf("%u %016llx\n", t, static_cast<unsigned long long>(out[t]));
#ifndef __CUDACC__
    printf("took %ld\n", static_cast<long>(clock() - start));  // microseconds
#endif
    fflush(stdout);
  }
  return 0;
}

}  // namespace oracle

#define ORACLE_MAIN \
  int main(int count, char** arguments) { return oracle::print(count, arguments); }

// Program is a struct with `static uint64_t run(uint32_t thread, uint32_t seed, uint8_t* memory)`, whose
// threads have `room` bytes of zeroed memory each and know nothing of each other.
#ifdef __CUDACC__
#define ORACLE_PROGRAM_OF_THREADS(seed, ...)                                               \
  __global__ void kernel(uint64_t* out, uint8_t* memory) {                                 \
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;                              \
    out[t] = __VA_ARGS__::run(t, seed, memory + t * __VA_ARGS__::room);                    \
  }                                                                                        \
  static void answers(uint64_t* out) {                                                     \
    uint8_t* words = oracle::zeroed(oracle::THREADS * sizeof(uint64_t));                   \
    uint8_t* memory = oracle::zeroed(oracle::THREADS * __VA_ARGS__::room);                 \
    kernel<<<oracle::BLOCKS, oracle::BLOCK>>>(reinterpret_cast<uint64_t*>(words), memory); \
    oracle::take(out, words);                                                              \
    oracle::check(cudaFree(memory), "cudaFree");                                           \
  }                                                                                        \
  static oracle::Register registered(seed, answers);
#else
#define ORACLE_PROGRAM_OF_THREADS(seed, ...)                             \
  static void answers(uint64_t* out) {                                   \
    for (uint32_t t = 0; t < oracle::THREADS; ++t) {                     \
      void* memory = calloc(1, __VA_ARGS__::room);                       \
      out[t] = __VA_ARGS__::run(t, seed, static_cast<uint8_t*>(memory)); \
      free(memory);                                                      \
    }                                                                    \
  }                                                                      \
  static oracle::Register registered(seed, answers);
#endif
