// Micro-benchmarks for the virtual clock: one mechanism each, no application. Lines: what,parameters,value,unit
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static long long* t_dev; static uint32_t* mem; static const size_t MEM = size_t{1} << 30; static float* out;

// Runs twice, reads begin and end of each block; the longest block in clocks.
template <class F> long long longest(F launch, unsigned blocks) {
  launch(); CK(cudaDeviceSynchronize()); launch(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  std::vector<long long> h(blocks); CK(cudaMemcpy(h.data(), t_dev, blocks * 8, cudaMemcpyDeviceToHost));
  long long most = 0; for (auto v : h) most = v > most ? v : most; return most;
}
#define BEGIN __syncthreads(); long long begin_ = clock64()
#define END(T) __syncthreads(); if (threadIdx.x == 0) (T)[blockIdx.x] = clock64() - begin_

// ---- atomic operations: how many lanes of a warp change one word, where the words lie
// pattern: word of a lane within the warp's region; region: 0 all warps share it, else words between warps' regions
template <bool RETURNS> __global__ void atomics(uint32_t* p, int lanes, int per_word, int word_step, int region, int reps, long long* t, float* o) {
  unsigned lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  uint32_t* a = p + size_t{warp} * region + (lane / per_word) * word_step; uint32_t sum = 0;
  BEGIN;
  if (lane < lanes) for (int r = 0; r < reps; ++r) {
    if (RETURNS) { uint32_t v; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(a) : "memory"); sum += v; }
    else asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a) : "memory");
  }
  __threadfence(); END(t); if (sum == 12345) *o = sum;
}
__global__ void atomic_chain(uint32_t* p, int reps, int kind, long long* t, float* o) {
  __shared__ uint32_t s[32]; s[threadIdx.x & 31] = 0; BEGIN; uint32_t v = 0; uint32_t sa = (uint32_t)__cvta_generic_to_shared(s);
  for (int r = 0; r < reps; ++r) {
    if (kind == 0) asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p));
    if (kind == 1) asm volatile("atom.global.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "l"(p));
    if (kind == 2) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(sa));
    if (kind == 3) asm volatile("atom.shared.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "r"(sa));
    if (kind == 4) asm volatile("atom.global.exch.b32 %0, [%1], %0;" : "+r"(v) : "l"(p));
    if (kind == 5) asm volatile("atom.global.add.f32 %0, [%1], %0;" : "+r"(v) : "l"(p));
  }
  END(t); if (v == 12345) *o = v;
}
__global__ void atomics_shared(int per_word, int word_step, int reps, long long* t) {
  __shared__ uint32_t s[2048]; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0;
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s + (threadIdx.x & 31) / per_word * word_step); BEGIN;
  for (int r = 0; r < reps; ++r) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(a) : "memory");
  END(t);
}
// ---- how many requests a multiprocessor lets wait: the clock behind each of one warp's stores
__global__ void queue(uint32_t* p, int kind, int n, long long* t) {
  __shared__ unsigned at[1024]; unsigned lane = threadIdx.x & 31; unsigned b = (unsigned)clock();
  for (int i = 0; i < n; ++i) {
    if (kind == 0) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");                        // 32 lanes, a word
    if (kind == 1) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p + lane * 1024 ) : "memory");         // 32 lines
    if (kind == 2) asm volatile("st.global.u32 [%0], 1;" ::"l"(p + lane * 1024 + i * 32768) : "memory");   // 32 lines, new ones
    if (kind == 3) asm volatile("st.global.u32 [%0], 1;" ::"l"(p + lane + i * 32) : "memory");             // a line
    if (kind == 4) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + lane * 1024 + i * 32768) : "memory"); if (v == 77) at[0] = v; }
    if (lane == 0) at[i] = (unsigned)clock() - b;
  }
  __syncwarp(); for (int i = lane; i < n; i += 32) t[i] = at[i];
}
// ---- constants
__constant__ uint32_t cmem[16384];
__global__ void constants(int distinct, int step, int reps, int move, long long* t, float* o) {
  unsigned lane = threadIdx.x & 31; uint32_t j = (lane % distinct) * step, sum = 0; BEGIN;
#pragma unroll 4
  for (int r = 0; r < reps; ++r) { sum += cmem[j & 16383]; j += move; }
  END(t); if (sum == 12345) *o = sum;
}
__global__ void constant_chase(int n, long long* t, float* o) { uint32_t j = 0; for (int i = 0; i < n; ++i) j = cmem[j]; BEGIN; for (int i = 0; i < n; ++i) j = cmem[j]; END(t); if (j == 12345678) *o = j; }
// ---- branches. Bodies of 8 dependent products, written so that nobody turns them into predicates.
#define BODY(K) asm volatile("{fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;fma.rn.f32 %0,%0,%0,%1;}" : "+f"(x) : "f"((K) * 0.5f));
#define BODY3(K) BODY(K) BODY(K + 1) BODY(K + 2)
__global__ void loop_alone(int reps, long long* t, float* o) { float x = threadIdx.x; BEGIN;
#pragma unroll 1
  for (int r = 0; r < reps; ++r) { BODY3(1) } END(t); if (x == 12345) *o = x; }
__global__ void loop_empty(int reps, long long* t, float* o) { float x = threadIdx.x; BEGIN;
#pragma unroll 1
  for (int r = 0; r < reps; ++r) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x)); END(t); if (x == 12345) *o = x; }
template <int LEVEL, int WAY = 1> __device__ __forceinline__ void halve(float& x, int bits, int lane) {  // a tree of if and else
  if constexpr (LEVEL == 0) { BODY3(WAY) } else { if (lane & bits & (1 << (LEVEL - 1))) { halve<LEVEL - 1, WAY * 2>(x, bits, lane); x += 1; } else { halve<LEVEL - 1, WAY * 2 + 1>(x, bits, lane); x -= 1; } } }
template <int LEVELS> __global__ void tree(int bits, int reps, long long* t, float* o) { float x = threadIdx.x; int lane = threadIdx.x & 31; BEGIN;
#pragma unroll 1
  for (int r = 0; r < reps; ++r) halve<LEVELS>(x, bits, lane); END(t); if (x == 12345) *o = x; }
__global__ void table(int ways, int reps, long long* t, float* o) { float x = threadIdx.x; int k = (threadIdx.x & 31) % ways; BEGIN;
#pragma unroll 1
  for (int r = 0; r < reps; ++r) switch (k) { case 0: BODY3(1) break; case 1: BODY3(2) break; case 2: BODY3(3) break; case 3: BODY3(4) break; case 4: BODY3(5) break; case 5: BODY3(6) break; case 6: BODY3(7) break; default: BODY3(8) }
  END(t); if (x == 12345) *o = x; }
__global__ void loops_apart(int reps, long long* t, float* o) { float x = threadIdx.x; int n = reps + (threadIdx.x & 31); BEGIN;  // lanes leave one by one
#pragma unroll 1
  for (int r = 0; r < n; ++r) { BODY(1) } END(t); if (x == 12345) *o = x; }
// ---- loads and stores: lanes in `lines` lines of 128 bytes
template <int KIND> __global__ void requests(uint32_t* p, int lines, int reps, int region, int wrap, long long* t, float* o) {
  unsigned lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, per = 32 / lines;
  size_t at = size_t{warp} * region + (lane / per) * 32 + lane % per; uint32_t sum = 0; size_t mask = size_t(wrap) - 1; size_t all = size_t(gridDim.x) * blockDim.x / 32 * region; BEGIN;
#pragma unroll 4
  for (int r = 0; r < reps; ++r) { uint32_t* a = p + at + (size_t(r) & mask) * all;
    if (KIND == 0) { uint32_t v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); sum += v; }
    if (KIND == 1) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); sum += v; }
    if (KIND == 2) asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(r) : "memory"); }
  __threadfence(); END(t); if (sum == 12345) *o = sum;
}
template <class T, int W> __global__ void shared_loads(int step, int reps, long long* t, float* o) {
  extern __shared__ uint32_t s[]; for (int i = threadIdx.x; i < 12288; i += blockDim.x) s[i] = 0; unsigned lane = threadIdx.x & 31;
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + (lane * step * W * 4) % 49152; uint32_t sum = 0; BEGIN;
#pragma unroll 4
  for (int r = 0; r < reps; ++r) { uint32_t v, v2 = 0, v3 = 0, v4 = 0;
    if (W == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
    if (W == 2) asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v), "=r"(v2) : "r"(a));
    if (W == 4) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(v2), "=r"(v3), "=r"(v4) : "r"(a)); sum += v + v2 + v3 + v4; }
  END(t); if (sum == 12345) *o = sum; }
__global__ void shared_chain(int conflicts, int reps, long long* t, float* o) {  // each load's address comes from the one before
  __shared__ uint32_t s[2048]; unsigned lane = threadIdx.x & 31; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = i * 4; __syncthreads();
  uint32_t b = (uint32_t)__cvta_generic_to_shared(s), j = (lane % conflicts) * 128 + lane / conflicts * 4; BEGIN;
  for (int r = 0; r < reps; ++r) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(j) : "r"(b + j)); END(t); if (j == 123456) *o = j; }
// ---- units: warps that do nothing else
template <int K> __global__ void unit(int reps, long long* t, float* o) { float a = threadIdx.x, c = 1.1f; int b = threadIdx.x; double d = a; long long l = b; BEGIN;
#pragma unroll 1
  for (int r = 0; r < reps; ++r) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      if (K == 0) asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(a) : "f"(c));
      if (K == 1) asm volatile("add.s32 %0,%0,%1; xor.b32 %0,%0,%2;" : "+r"(b) : "r"(r), "r"(reps));
      if (K == 2) asm volatile("mad.lo.s32 %0,%0,%1,%0;" : "+r"(b) : "r"(r));
      if (K == 3) asm volatile("fma.rn.f64 %0,%0,%0,%0;" : "+d"(d));
      if (K == 4) asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(a));
      if (K == 5) asm volatile("sin.approx.f32 %0,%0;" : "+f"(a));
      if (K == 6) asm volatile("div.rn.f32 %0,%0,%1;" : "+f"(a) : "f"(c));
      if (K == 7) asm volatile("sqrt.rn.f32 %0,%0;" : "+f"(a));
      if (K == 8) asm volatile("{.reg .s32 q; cvt.rni.s32.f32 q,%0; cvt.rn.f32.s32 %0,q;}" : "+f"(a));
      if (K == 9) asm volatile("add.s64 %0,%0,%1;" : "+l"(l) : "l"((long long)r));
      if (K == 10) asm volatile("mad.lo.s64 %0,%0,%0,%0;" : "+l"(l));
      if (K == 11) asm volatile("shfl.sync.bfly.b32 %0,%0,1,31,-1;" : "+r"(b));
      if (K == 12) asm volatile("popc.b32 %0,%0;" : "+r"(b));
      if (K == 13) asm volatile("{.reg .b32 q; shl.b32 q,%0,1; xor.b32 %0,q,%1;}" : "+r"(b) : "r"(r));
      if (K == 14) asm volatile("rcp.approx.ftz.f32 %0,%0;" : "+f"(a));
      if (K == 15) asm volatile("min.s32 %0,%0,%1; add.s32 %0,%0,%2;" : "+r"(b) : "r"(r), "r"(reps));
      if (K == 16) asm volatile("div.s32 %0,%1,%0;" : "+r"(b) : "r"(r));
    } } END(t); if (a + b + d + l == 12345) *o = a; }
__global__ void empty() {}
__global__ void bars(int reps, long long* t) { BEGIN; for (int r = 0; r < reps; ++r) __syncthreads(); END(t); }

int main(int argc, char** argv) {
  FILE* f = fopen(argv[1], "w"); CK(cudaMalloc(&mem, MEM)); CK(cudaMalloc(&t_dev, 1 << 20)); CK(cudaMalloc(&out, 64)); CK(cudaMemset(mem, 0, MEM));
  cudaDeviceProp prop; CK(cudaGetDeviceProperties(&prop, 0)); int v; CK(cudaDriverGetVersion(&v)); unsigned sms = prop.multiProcessorCount; fprintf(f, "device,%s,%d,driver %d\n", prop.name, sms, v);
  struct { int lanes, per, step; const char* what; } patterns[] = {{1, 32, 0, "1 lane"}, {32, 32, 0, "32 lanes a word"}, {32, 16, 1, "16 lanes a word, 2 words of a sector"}, {32, 4, 1, "4 lanes a word, 8 words of a sector"}, {32, 1, 1, "a word each, a line"}, {32, 2, 1, "2 lanes a word, half a line"}, {32, 1, 8, "a sector each, 8 lines"}, {32, 1, 32, "a line each"}, {32, 4, 32, "4 lanes a word, 8 lines"}, {32, 16, 32, "16 lanes a word, 2 lines"}, {8, 1, 1, "8 lanes, 8 words of a sector"}};
  for (auto& p : patterns) for (unsigned blocks : {1u, 8u, sms}) for (int region : {0, 1024}) for (int returns : {0, 1}) {
    int reps = 128, threads = 256; auto c = longest([&] { if (returns) atomics<true><<<blocks, threads>>>(mem, p.lanes, p.per, p.step, region, reps, t_dev, out); else atomics<false><<<blocks, threads>>>(mem, p.lanes, p.per, p.step, region, reps, t_dev, out); }, blocks);
    fprintf(f, "atomic %s,%s; %u blocks of 8 warps; %s,%.3f,clocks a warp's operation of the device\n", returns ? "atom" : "red", p.what, blocks, region ? "each warp its own words" : "all warps the same", (double)c / (double(blocks) * 8 * reps)); }
  const char* chains[] = {"atom.global.add", "atom.global.cas", "atom.shared.add", "atom.shared.cas", "atom.global.exch", "atom.global.add.f32"};
  for (int k = 0; k < 6; ++k) fprintf(f, "atomic chain,%s,%.2f,clocks\n", chains[k], longest([&] { atomic_chain<<<1, 1>>>(mem, 512, k, t_dev, out); }, 1) / 512.0);
  for (int per : {1, 2, 4, 8, 16, 32}) for (int step : {1, 32}) for (int warps : {1, 8, 32}) fprintf(f, "atomic shared,%d lanes a word; words %d apart; %d warps,%.3f,clocks a warp's operation\n", per, step, warps, longest([&] { atomics_shared<<<1, warps * 32>>>(per, step, 256, t_dev); }, 1) / 256.0 / warps);
  const char* queues[] = {"red of 32 lanes to a word", "red to 32 lines", "store to 32 new lines", "store to a new line", "load of 32 new lines"};
  for (int k = 0; k < 5; ++k) { std::vector<long long> h(512); for (int i = 0; i < 2; ++i) { queue<<<1, 32>>>(mem, k, 512, t_dev); CK(cudaDeviceSynchronize()); } CK(cudaMemcpy(h.data(), t_dev, 4096, cudaMemcpyDeviceToHost)); fprintf(f, "queue,%s,", queues[k]); for (int i = 0; i < 512; i = i < 64 ? i + 1 : i + 8) fprintf(f, "%lld ", h[i]); fprintf(f, ",clocks behind each of 0 to 63 then each 8th\n"); }
  { std::vector<uint32_t> h(16384); for (int kb : {1, 2, 4, 8, 16, 32, 64}) { int n = kb * 256; for (int i = 0; i < 16384; ++i) h[i] = (i + 16) % n; CK(cudaMemcpyToSymbol(cmem, h.data(), 65536)); int steps = n / 16 * 4; if (steps > 2048) steps = n / 16; fprintf(f, "constant chase,%d KB,%.2f,clocks\n", kb, longest([&] { constant_chase<<<1, 1>>>(steps, t_dev, out); }, 1) / (double)steps); } }
  for (int warps : {1, 4, 8, 16, 32}) for (int d : {1, 2, 4, 8, 16, 32}) for (int step : {1, 16, 32, 128}) for (int move : {0, 1}) fprintf(f, "constants,%d words %d apart; moving %d; %d warps,%.3f,clocks a warp's load of the multiprocessor\n", d, step, move, warps, longest([&] { constants<<<1, warps * 32>>>(d, step, 256, move, t_dev, out); }, 1) / 256.0 / warps);
  for (int warps : {1, 4, 8, 16, 32}) {
    fprintf(f, "branch loop,24 products; %d warps,%.2f,clocks a round\n", warps, longest([&] { loop_alone<<<1, warps * 32>>>(256, t_dev, out); }, 1) / 256.0);
    fprintf(f, "branch loop,1 product; %d warps,%.2f,clocks a round\n", warps, longest([&] { loop_empty<<<1, warps * 32>>>(1024, t_dev, out); }, 1) / 1024.0);
    for (int bits : {0, 1}) fprintf(f, "branch tree,1 level; parted %d; %d warps,%.2f,clocks a round\n", bits, warps, longest([&] { tree<1><<<1, warps * 32>>>(bits, 256, t_dev, out); }, 1) / 256.0);
    for (int bits : {0, 1, 3}) fprintf(f, "branch tree,2 levels; parted %d; %d warps,%.2f,clocks a round\n", bits, warps, longest([&] { tree<2><<<1, warps * 32>>>(bits, 256, t_dev, out); }, 1) / 256.0);
    for (int bits : {0, 1, 3, 7}) fprintf(f, "branch tree,3 levels; parted %d; %d warps,%.2f,clocks a round\n", bits, warps, longest([&] { tree<3><<<1, warps * 32>>>(bits, 256, t_dev, out); }, 1) / 256.0);
    for (int ways : {1, 2, 3, 4, 6, 8}) fprintf(f, "branch table,%d ways; %d warps,%.2f,clocks a round\n", ways, warps, longest([&] { table<<<1, warps * 32>>>(ways, 256, t_dev, out); }, 1) / 256.0);
    fprintf(f, "branch loops apart,256 to 287 rounds of 8 products; %d warps,%.2f,clocks\n", warps, (double)longest([&] { loops_apart<<<1, warps * 32>>>(256, t_dev, out); }, 1)); }
  for (int lines : {1, 2, 4, 8, 16, 32}) for (unsigned blocks : {1u, sms}) for (int warps : {1, 8, 32}) {
    double n = 128.0 * warps; int th = warps * 32;
    fprintf(f, "load L1,%d lines; %u blocks of %d warps,%.3f,clocks a warp's load of the multiprocessor\n", lines, blocks, warps, longest([&] { requests<0><<<blocks, th>>>(mem, lines, 128, 0, 1, t_dev, out); }, blocks) / n);
    fprintf(f, "load L2,%d lines; %u blocks of %d warps,%.3f,clocks a warp's load of the multiprocessor\n", lines, blocks, warps, longest([&] { requests<1><<<blocks, th>>>(mem, lines, 128, 1024, 1, t_dev, out); }, blocks) / n);
    fprintf(f, "store L2,%d lines; %u blocks of %d warps,%.3f,clocks a warp's store of the multiprocessor\n", lines, blocks, warps, longest([&] { requests<2><<<blocks, th>>>(mem, lines, 128, 1024, 1, t_dev, out); }, blocks) / n);
    if (blocks * size_t(warps) * lines * 32 * 4 * 16 <= MEM) {
      fprintf(f, "load memory,%d lines; %u blocks of %d warps,%.3f,clocks a warp's load of the multiprocessor\n", lines, blocks, warps, longest([&] { requests<1><<<blocks, th>>>(mem, lines, 16, lines * 32, 16, t_dev, out); }, blocks) / (16.0 * warps));
      fprintf(f, "store memory,%d lines; %u blocks of %d warps,%.3f,clocks a warp's store of the multiprocessor\n", lines, blocks, warps, longest([&] { requests<2><<<blocks, th>>>(mem, lines, 16, lines * 32, 16, t_dev, out); }, blocks) / (16.0 * warps)); } }
  for (int c : {1, 2, 4, 8, 16, 32}) fprintf(f, "shared chain,%d words a bank,%.2f,clocks\n", c, longest([&] { shared_chain<<<1, 32>>>(c, 512, t_dev, out); }, 1) / 512.0);
  for (int warps : {1, 4, 8, 32}) for (int step : {0, 1, 2, 4, 8, 16, 32}) {
    fprintf(f, "shared loads,4 bytes; step %d; %d warps,%.3f,clocks a warp's load\n", step, warps, longest([&] { shared_loads<uint32_t, 1><<<1, warps * 32, 49152>>>(step, 256, t_dev, out); }, 1) / 256.0 / warps);
    fprintf(f, "shared loads,8 bytes; step %d; %d warps,%.3f,clocks a warp's load\n", step, warps, longest([&] { shared_loads<uint32_t, 2><<<1, warps * 32, 49152>>>(step, 256, t_dev, out); }, 1) / 256.0 / warps);
    fprintf(f, "shared loads,16 bytes; step %d; %d warps,%.3f,clocks a warp's load\n", step, warps, longest([&] { shared_loads<uint32_t, 4><<<1, warps * 32, 49152>>>(step, 256, t_dev, out); }, 1) / 256.0 / warps); }
  const char* units[] = {"fma.f32", "add.s32 and xor.b32", "mad.lo.s32", "fma.f64", "ex2.approx.ftz", "sin.approx", "div.rn.f32", "sqrt.rn.f32", "cvt there and back", "add.s64", "mad.lo.s64", "shfl.bfly", "popc", "shl and xor.b32", "rcp.approx.ftz", "min.s32 and add.s32", "div.s32"};
  for (int warps : {1, 4, 8, 16, 32}) {
#define U(K) fprintf(f, "unit,%s; %d warps,%.3f,clocks a warp's operation of the multiprocessor\n", units[K], warps, longest([&] { unit<K><<<1, warps * 32>>>(64, t_dev, out); }, 1) / 1024.0 / warps);
    U(0) U(1) U(2) U(3) U(4) U(5) U(6) U(7) U(8) U(9) U(10) U(11) U(12) U(13) U(14) U(15) U(16)
    fprintf(f, "barrier,%d warps,%.2f,clocks\n", warps, longest([&] { bars<<<1, warps * 32>>>(256, t_dev); }, 1) / 256.0); }
  cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
  for (unsigned blocks : {1u, 132u, 1056u, 4224u, 16896u, 135168u}) for (unsigned threads : {32u, 256u, 1024u}) { float best = 1e9f; for (int i = 0; i < 10; ++i) { cudaEventRecord(e0); for (int k = 0; k < 10; ++k) empty<<<blocks, threads>>>(); cudaEventRecord(e1); CK(cudaEventSynchronize(e1)); float ms; cudaEventElapsedTime(&ms, e0, e1); best = ms < best ? ms : best; } fprintf(f, "empty,%u blocks of %u,%.3f,us a launch of ten by events\n", blocks, threads, best * 100); }
  fclose(f); return 0;
}
