// What the programs of cuda_programs.py call: intrinsics as the CUDA C++ guides define them, for g++, and
// exchanges between the threads of a block, for a kernel (one thread's view) and for the host (all threads at
// once).
#pragma once

#include <math.h>

#include "oracle.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace oracle {

constexpr uint32_t TABLE = 1024, MEMORY = 64;  // words of the input; bytes that are a thread's own

template <class T>
ORACLE_HD T load(const uint8_t* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
ORACLE_HD void store(uint8_t* to, T value) {
  memcpy(to, &value, sizeof value);
}
template <class T>
ORACLE_HD T within(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}
ORACLE_HD inline uint32_t bits32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
ORACLE_HD inline uint64_t bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
ORACLE_HD inline uint64_t sum_of(uint64_t sum, const uint8_t* own) {
  for (uint32_t i = 0; i < MEMORY; i += 8) sum = (sum ^ load<uint64_t>(own + i)) * 0x100000001b3u;
  return sum;
}
// Word i of the input: small, large and in between.
inline uint32_t input(uint32_t i) {
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  return static_cast<uint32_t>(x) >> (i % 4 == 0 ? x >> 59 : 0);
}

#ifdef __CUDACC__

__device__ inline uint16_t half_bits(float value) { return __half_as_ushort(__float2half_rn(value)); }
__device__ inline uint32_t lanes() { return threadIdx.x < 32 ? 0xffffffffu : 0xffffu; }

__device__ inline uint32_t rotate(uint32_t x, uint32_t a, uint32_t* words) {
  words[threadIdx.x] = x;
  __syncthreads();
  const uint32_t r = words[(threadIdx.x + a % BLOCK) % BLOCK];
  __syncthreads();
  return r;
}
__device__ inline uint32_t gather(uint32_t x, uint32_t a, uint32_t* words) {
  words[threadIdx.x * 5 % BLOCK] = x;
  __syncthreads();
  const uint32_t r = words[a % BLOCK];
  __syncthreads();
  return r;
}
template <class Change>
__device__ inline uint32_t bins(uint32_t x, uint32_t* words, uint32_t start, Change change) {
  if (threadIdx.x < 16) words[threadIdx.x] = start;
  __syncthreads();
  change();
  __syncthreads();
  const uint32_t r = words[x % 16];
  __syncthreads();
  return r;
}
__device__ inline uint32_t add(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, 0, [=] { atomicAdd(&words[a % 16], x); });
}
__device__ inline uint32_t smallest(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, ~0u, [=] { atomicMin(&words[a % 16], x); });
}
__device__ inline uint32_t largest(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, 0x80000000u,
              [=] { atomicMax(reinterpret_cast<int*>(&words[a % 16]), static_cast<int>(x)); });
}
__device__ inline uint32_t mix(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, 0, [=] { atomicXor(&words[a % 16], x); });
}
__device__ inline uint32_t either(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, 0, [=] { atomicOr(&words[a % 16], x); });
}
__device__ inline uint32_t both(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, ~0u, [=] { atomicAnd(&words[a % 16], x); });
}
__device__ inline uint32_t cas_add(uint32_t x, uint32_t a, uint32_t* words) {
  return bins(x, words, 0, [=] {
    uint32_t seen = words[a % 4], before;
    do {
      before = seen;
      seen = atomicCAS(&words[a % 4], before, before + x);
    } while (seen != before);
  });
}
__device__ inline uint32_t scan(uint32_t x, uint32_t a, uint32_t* words) {
  words[threadIdx.x] = x;
  __syncthreads();
  for (uint32_t far = 1; far < BLOCK; far *= 2) {
    const uint32_t more = threadIdx.x >= far ? words[threadIdx.x - far] : 0;
    __syncthreads();
    words[threadIdx.x] += more;
    __syncthreads();
  }
  const uint32_t r = words[threadIdx.x] + a;
  __syncthreads();
  return r;
}
__device__ inline uint32_t shuffle(uint32_t x, uint32_t a, uint32_t*) {
  return __shfl_sync(lanes(), x, a % (threadIdx.x < 32 ? 32 : 16));
}
__device__ inline uint32_t shuffle_up(uint32_t x, uint32_t, uint32_t*) {
  return __shfl_up_sync(lanes(), x, 3, 16);
}
__device__ inline uint32_t shuffle_down(uint32_t x, uint32_t, uint32_t*) {
  return __shfl_down_sync(lanes(), x, 5, 16);
}
__device__ inline uint32_t shuffle_xor(uint32_t x, uint32_t, uint32_t*) {
  return __shfl_xor_sync(lanes(), x, 9);
}
__device__ inline uint32_t ballot(uint32_t x, uint32_t a, uint32_t*) {
  return __ballot_sync(lanes(), static_cast<int32_t>(x) < static_cast<int32_t>(a));
}
__device__ inline uint32_t any(uint32_t x, uint32_t, uint32_t*) { return __any_sync(lanes(), x % 16 == 1); }
__device__ inline uint32_t all(uint32_t x, uint32_t, uint32_t*) { return __all_sync(lanes(), x % 16 != 1); }
__device__ inline uint32_t count(uint32_t x, uint32_t a, uint32_t*) {
  return __syncthreads_count(x & 1) + 64 * __syncthreads_or(a % 64 == 1) +
         128 * __syncthreads_and(a % 64 != 2);
}
__device__ inline uint32_t leader(uint32_t x, uint32_t a, uint32_t*) {
  const uint32_t mask = __ballot_sync(lanes(), x & 1);
  if (x & 1) return __shfl_sync(mask, a, __ffs(mask) - 1);
  return ~x;
}
__device__ inline uint32_t subset_sum(uint32_t x, uint32_t a, uint32_t*) {
  const uint32_t mask = __ballot_sync(lanes(), a & 1);
  uint32_t r = 0;
  if (a & 1) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) r = r * 3 + __shfl_sync(mask, x, __ffs(rest) - 1);
  }
  return r;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ inline uint32_t match_any(uint32_t x, uint32_t, uint32_t*) {
  return __match_any_sync(lanes(), x % 4);
}
__device__ inline uint32_t match_all(uint32_t x, uint32_t, uint32_t*) {
  int same;
  const uint32_t mask = __match_all_sync(lanes(), x % 2, &same);
  return mask ^ (same ? 0x10000000u : 0);
}
__device__ inline uint32_t reduce_add(uint32_t x, uint32_t, uint32_t*) {
  return __reduce_add_sync(lanes(), x);
}
__device__ inline uint32_t reduce_min(uint32_t x, uint32_t, uint32_t*) {
  return __reduce_min_sync(lanes(), static_cast<int>(x));
}
__device__ inline uint32_t reduce_max(uint32_t x, uint32_t, uint32_t*) {
  return __reduce_max_sync(lanes(), x);
}
__device__ inline uint32_t reduce_and(uint32_t x, uint32_t, uint32_t*) {
  return __reduce_and_sync(lanes(), x);
}
__device__ inline uint32_t reduce_or(uint32_t x, uint32_t, uint32_t*) { return __reduce_or_sync(lanes(), x); }
__device__ inline uint32_t reduce_xor(uint32_t x, uint32_t, uint32_t*) {
  return __reduce_xor_sync(lanes(), x);
}
__device__ inline uint32_t subset_reduce(uint32_t x, uint32_t a, uint32_t*) {
  const uint32_t mask = __ballot_sync(lanes(), a & 1);
  return a & 1 ? __reduce_add_sync(mask, x) : mask;
}
#endif

#else

inline uint16_t half_bits(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}

// Each exchange for all threads: r[i] is what thread i gets.
typedef const uint32_t (&Given)[BLOCK];
typedef uint32_t (&Result)[BLOCK];

inline uint32_t first_of(uint32_t i) { return i / 32 * 32; }
inline uint32_t lanes_of(uint32_t i) { return i < 32 ? 32 : 16; }
// A value for each warp, from all of its threads.
template <class Step>
void over_warp(Result r, uint32_t start, Step step) {
  for (uint32_t i = 0; i < BLOCK; ++i) {
    r[i] = start;
    for (uint32_t lane = 0; lane < lanes_of(i); ++lane) r[i] = step(r[i], first_of(i) + lane, lane);
  }
}
template <class Step>
void over_bins(Given x, Given a, Result r, uint32_t start, uint32_t count, Step step) {
  uint32_t words[16];
  for (uint32_t& word : words) word = start;
  for (uint32_t i = 0; i < BLOCK; ++i) words[a[i] % count] = step(words[a[i] % count], x[i]);
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = words[x[i] % 16];
}

inline void rotate(Given x, Given a, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = x[(i + a[i] % BLOCK) % BLOCK];
}
inline void gather(Given x, Given a, Result r) {
  uint32_t words[BLOCK];
  for (uint32_t i = 0; i < BLOCK; ++i) words[i * 5 % BLOCK] = x[i];
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = words[a[i] % BLOCK];
}
inline void add(Given x, Given a, Result r) {
  over_bins(x, a, r, 0, 16, [](uint32_t p, uint32_t q) { return p + q; });
}
inline void smallest(Given x, Given a, Result r) {
  over_bins(x, a, r, ~0u, 16, [](uint32_t p, uint32_t q) { return p < q ? p : q; });
}
inline void largest(Given x, Given a, Result r) {
  over_bins(x, a, r, 0x80000000u, 16,
            [](uint32_t p, uint32_t q) { return static_cast<int32_t>(p) > static_cast<int32_t>(q) ? p : q; });
}
inline void mix(Given x, Given a, Result r) {
  over_bins(x, a, r, 0, 16, [](uint32_t p, uint32_t q) { return p ^ q; });
}
inline void either(Given x, Given a, Result r) {
  over_bins(x, a, r, 0, 16, [](uint32_t p, uint32_t q) { return p | q; });
}
inline void both(Given x, Given a, Result r) {
  over_bins(x, a, r, ~0u, 16, [](uint32_t p, uint32_t q) { return p & q; });
}
inline void cas_add(Given x, Given a, Result r) {
  over_bins(x, a, r, 0, 4, [](uint32_t p, uint32_t q) { return p + q; });
}
inline void scan(Given x, Given a, Result r) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = (sum += x[i]) + a[i];
}
inline void shuffle(Given x, Given a, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = x[first_of(i) + a[i] % lanes_of(i)];
}
inline void shuffle_up(Given x, Given, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = x[i % 16 < 3 ? i : i - 3];
}
inline void shuffle_down(Given x, Given, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = x[i % 16 + 5 < 16 ? i + 5 : i];
}
inline void shuffle_xor(Given x, Given, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = x[i ^ 9];
}
inline void ballot(Given x, Given a, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t lane) {
    return so_far | static_cast<uint32_t>(static_cast<int32_t>(x[i]) < static_cast<int32_t>(a[i])) << lane;
  });
}
inline void any(Given x, Given, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far | (x[i] % 16 == 1); });
}
inline void all(Given x, Given, Result r) {
  over_warp(r, 1, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far & (x[i] % 16 != 1); });
}
inline void count(Given x, Given a, Result r) {
  uint32_t odd = 0, some = 0, every = 1;
  for (uint32_t i = 0; i < BLOCK; ++i) odd += x[i] & 1, some |= a[i] % 64 == 1, every &= a[i] % 64 != 2;
  for (uint32_t& one : r) one = odd + 64 * some + 128 * every;
}
inline void leader(Given x, Given a, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) {
    uint32_t lane = 0;
    while (lane < lanes_of(i) - 1 && (x[first_of(i) + lane] & 1) == 0) ++lane;
    r[i] = x[i] & 1 ? a[first_of(i) + lane] : ~x[i];
  }
}
inline void subset_sum(Given x, Given a, Result r) {
  over_warp(r, 0,
            [&](uint32_t so_far, uint32_t i, uint32_t) { return a[i] & 1 ? so_far * 3 + x[i] : so_far; });
  for (uint32_t i = 0; i < BLOCK; ++i) {
    if ((a[i] & 1) == 0) r[i] = 0;
  }
}
inline void match_any(Given x, Given, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) {
    r[i] = 0;
    for (uint32_t lane = 0; lane < lanes_of(i); ++lane)
      r[i] |= static_cast<uint32_t>(x[first_of(i) + lane] % 4 == x[i] % 4) << lane;
  }
}
inline void match_all(Given x, Given, Result r) {
  for (uint32_t i = 0; i < BLOCK; ++i) {
    bool same = true;
    for (uint32_t lane = 0; lane < lanes_of(i); ++lane)
      same &= x[first_of(i) + lane] % 2 == x[first_of(i)] % 2;
    r[i] = same ? (i < 32 ? ~0u : 0xffffu) ^ 0x10000000u : 0;
  }
}
inline void reduce_add(Given x, Given, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far + x[i]; });
}
inline void reduce_min(Given x, Given, Result r) {
  over_warp(r, 0x7fffffffu, [&](uint32_t so_far, uint32_t i, uint32_t) {
    return static_cast<int32_t>(x[i]) < static_cast<int32_t>(so_far) ? x[i] : so_far;
  });
}
inline void reduce_max(Given x, Given, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t) { return x[i] > so_far ? x[i] : so_far; });
}
inline void reduce_and(Given x, Given, Result r) {
  over_warp(r, ~0u, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far & x[i]; });
}
inline void reduce_or(Given x, Given, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far | x[i]; });
}
inline void reduce_xor(Given x, Given, Result r) {
  over_warp(r, 0, [&](uint32_t so_far, uint32_t i, uint32_t) { return so_far ^ x[i]; });
}
inline void subset_reduce(Given x, Given a, Result r) {
  uint32_t sums[BLOCK], masks[BLOCK];
  over_warp(sums, 0,
            [&](uint32_t so_far, uint32_t i, uint32_t) { return a[i] & 1 ? so_far + x[i] : so_far; });
  over_warp(masks, 0,
            [&](uint32_t so_far, uint32_t i, uint32_t lane) { return so_far | (a[i] & 1) << lane; });
  for (uint32_t i = 0; i < BLOCK; ++i) r[i] = a[i] & 1 ? sums[i] : masks[i];
}

#endif

}  // namespace oracle

#ifndef __CUDACC__
// NOLINTBEGIN: CUDA's own names. The CUDA Math API, integer intrinsics.
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long r = 0;
  for (int i = 0; i < 64; ++i) r |= (x >> i & 1) << (63 - i);
  return r;
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= static_cast<unsigned>(both >> (s >> (4 * i) & 7) * 8 & 255) << (8 * i);
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) << (n & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> (n & 31));
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<long long>(static_cast<int>(static_cast<unsigned>(x) << 8) >> 8) *
                          (static_cast<int>(static_cast<unsigned>(y) << 8) >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x & 0xffffff) * (y & 0xffffff));
}
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
inline unsigned __sad(int x, int y, unsigned z) {
  const long long far = static_cast<long long>(x) - y;
  return static_cast<unsigned>(far < 0 ? -far : far) + z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
// NOLINTEND
#endif

#define ORACLE_KERNEL_BEGIN                                               \
  __shared__ uint32_t words[oracle::BLOCK];                               \
  const uint32_t tid = threadIdx.x, t = blockIdx.x * oracle::BLOCK + tid; \
  const int32_t lane5 = tid % 32;                                         \
  uint8_t* own = memory + t * oracle::MEMORY;                             \
  static_cast<void>(lane5);                                               \
  static_cast<void>(words);                                               \
  State s;                                                                \
  s.start(t);
#define ORACLE_KERNEL_END out[t] = sum_of(s.sum(), own);

// Names what a thread has, as in a kernel, for each thread of `block` in turn.
#define ORACLE_EACH                                                          \
  for (uint32_t lane = 0; lane < oracle::BLOCK; ++lane)                      \
    if (State& s = states[lane]; true)                                       \
      if (const uint32_t tid = lane, t = block * oracle::BLOCK + lane; true) \
        if (const int32_t lane5 = tid % 32; lane5 >= 0)                      \
          if (uint8_t* own = memory + t * oracle::MEMORY; own != nullptr)

#ifdef __CUDACC__
#define ORACLE_PROGRAM_OF_BLOCKS(seed)                                                        \
  static void answers(uint64_t* out) {                                                        \
    uint32_t table[oracle::TABLE];                                                            \
    for (uint32_t i = 0; i < oracle::TABLE; ++i) table[i] = oracle::input(i + seed);          \
    uint8_t* words = oracle::zeroed(oracle::THREADS * sizeof(uint64_t));                      \
    uint8_t* memory = oracle::zeroed(oracle::THREADS * oracle::MEMORY);                       \
    uint8_t* in = oracle::zeroed(sizeof table);                                               \
    oracle::check(cudaMemcpy(in, table, sizeof table, cudaMemcpyHostToDevice), "cudaMemcpy"); \
    kernel<<<oracle::BLOCKS, oracle::BLOCK>>>(reinterpret_cast<uint64_t*>(words),             \
                                              reinterpret_cast<uint32_t*>(in), memory);       \
    oracle::take(out, words);                                                                 \
    oracle::check(cudaFree(memory), "cudaFree");                                              \
    oracle::check(cudaFree(in), "cudaFree");                                                  \
  }                                                                                           \
  static oracle::Register registered(seed, answers);
#else
#define ORACLE_PROGRAM_OF_BLOCKS(seed)                                               \
  static void answers(uint64_t* out) {                                               \
    uint32_t table[oracle::TABLE];                                                   \
    static uint8_t memory[oracle::THREADS * oracle::MEMORY];                         \
    for (uint32_t i = 0; i < oracle::TABLE; ++i) table[i] = oracle::input(i + seed); \
    for (uint32_t i = 0; i < oracle::BLOCKS; ++i) block(out, table, memory, i);      \
  }                                                                                  \
  static oracle::Register registered(seed, answers);
#endif
