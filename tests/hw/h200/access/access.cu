// What one access of one warp costs: random patterns of addresses, one launch each. The cases go to the file
// named on the command line; a profiler around the program has the counters, launch by launch.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

struct Case { uint32_t offset[32]; uint32_t mask; };
constexpr uint32_t window = 32768;  // bytes that addresses lie in
__constant__ uint32_t table[window / 4];

enum Op { load, store, add, add_result, exchange };

template <bool SHARED, Op OP, int BYTES>
__global__ void probe(const __grid_constant__ Case c, char* memory, uint32_t* out, uint32_t never) {
  extern __shared__ char shared[];
  const uint32_t lane = threadIdx.x;
  uint64_t p = SHARED ? __cvta_generic_to_shared(shared) : reinterpret_cast<uint64_t>(memory);
  p += c.offset[lane];
  const uint32_t s = uint32_t(p);
  uint32_t a = lane, b = lane, d = lane, e = lane;
  uint64_t l = lane;
  uint16_t h = uint16_t(lane);
  if (c.mask >> lane & 1) {
#define AT(SPACE, ADDRESS, CONSTRAINT)                                                                                   \
  if constexpr (OP == load && BYTES == 1) asm volatile("ld." SPACE ".u8 %0, [%1];" : "=r"(a) : CONSTRAINT(ADDRESS));     \
  if constexpr (OP == load && BYTES == 2) asm volatile("ld." SPACE ".u16 %0, [%1];" : "=h"(h) : CONSTRAINT(ADDRESS));    \
  if constexpr (OP == load && BYTES == 4) asm volatile("ld." SPACE ".u32 %0, [%1];" : "=r"(a) : CONSTRAINT(ADDRESS));    \
  if constexpr (OP == load && BYTES == 8) asm volatile("ld." SPACE ".v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : CONSTRAINT(ADDRESS)); \
  if constexpr (OP == load && BYTES == 16) asm volatile("ld." SPACE ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(d), "=r"(e) : CONSTRAINT(ADDRESS)); \
  if constexpr (OP == store && BYTES == 1) asm volatile("st." SPACE ".u8 [%0], %1;" ::CONSTRAINT(ADDRESS), "r"(a) : "memory");  \
  if constexpr (OP == store && BYTES == 2) asm volatile("st." SPACE ".u16 [%0], %1;" ::CONSTRAINT(ADDRESS), "h"(h) : "memory"); \
  if constexpr (OP == store && BYTES == 4) asm volatile("st." SPACE ".u32 [%0], %1;" ::CONSTRAINT(ADDRESS), "r"(a) : "memory"); \
  if constexpr (OP == store && BYTES == 8) asm volatile("st." SPACE ".v2.u32 [%0], {%1,%2};" ::CONSTRAINT(ADDRESS), "r"(a), "r"(b) : "memory"); \
  if constexpr (OP == store && BYTES == 16) asm volatile("st." SPACE ".v4.u32 [%0], {%1,%2,%3,%4};" ::CONSTRAINT(ADDRESS), "r"(a), "r"(b), "r"(d), "r"(e) : "memory"); \
  if constexpr (OP == add && BYTES == 4) asm volatile("red." SPACE ".add.u32 [%0], %1;" ::CONSTRAINT(ADDRESS), "r"(a) : "memory"); \
  if constexpr (OP == add_result && BYTES == 4) asm volatile("atom." SPACE ".add.u32 %0, [%1], %2;" : "=r"(a) : CONSTRAINT(ADDRESS), "r"(b) : "memory"); \
  if constexpr (OP == add && BYTES == 8) asm volatile("red." SPACE ".add.u64 [%0], %1;" ::CONSTRAINT(ADDRESS), "l"(l) : "memory"); \
  if constexpr (OP == exchange && BYTES == 4) asm volatile("atom." SPACE ".exch.b32 %0, [%1], %2;" : "=r"(a) : CONSTRAINT(ADDRESS), "r"(b) : "memory");
    if constexpr (SHARED) { AT("shared", s, "r") } else { AT("global", p, "l") }
  }
  if (never) out[lane] = a ^ b ^ d ^ e ^ h ^ uint32_t(l);
}

__global__ void constants(const __grid_constant__ Case c, char*, uint32_t* out, uint32_t never) {
  uint32_t a = 0;
  if (c.mask >> threadIdx.x & 1) a = *reinterpret_cast<const volatile uint32_t*>(reinterpret_cast<const char*>(table) + c.offset[threadIdx.x]);
  if (never) out[threadIdx.x] = a;
}

std::mt19937 random_bits(20261124);
uint32_t below(uint32_t n) { return random_bits() % n; }

Case make(int kind, uint32_t bytes) {
  Case c{};
  const uint32_t words = window / bytes;
  uint32_t index[32];
  const uint32_t base = below(words / 4), stride = below(34), few[4] = {below(words), below(words), below(words), below(words)};
  const uint32_t twist = below(32), group = 2u << below(4);
  uint32_t order[32];
  for (uint32_t i = 0; i < 32; ++i) order[i] = i;
  for (uint32_t i = 31; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  const uint32_t near = 16u << below(5);
  uint32_t half[16];
  for (uint32_t& h : half) h = below(near);
  for (uint32_t lane = 0; lane < 32; ++lane) switch (kind) {
    case 0: index[lane] = base + stride * lane; break;
    case 1: index[lane] = base + below(near); break;
    case 2: index[lane] = below(words); break;
    case 3: index[lane] = base + order[lane]; break;
    case 4: index[lane] = base + lane / group * (stride + 1); break;
    case 5: index[lane] = base + half[lane % 16]; break;
    case 6: index[lane] = base + half[lane % 8] + lane / 8 % 2 * below(2) * 32; break;
    case 7: index[lane] = base + half[lane / 2]; break;
    case 8: index[lane] = base + (lane ^ twist) * (1 + stride % 8); break;
    default: index[lane] = few[below(4)]; break;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) c.offset[lane] = index[lane] % words * bytes;
  switch (below(12)) {
    case 0: c.mask = random_bits(); break;
    case 1: c.mask = 0xffff; break;
    case 2: c.mask = 0xffff0000; break;
    case 3: c.mask = 1u << below(32); break;
    case 4: c.mask = 0x55555555u << below(2); break;
    case 5: c.mask = 0xffu << 8 * below(4); break;
    case 6: c.mask = random_bits() & random_bits(); break;
    default: c.mask = ~0u;
  }
  if (c.mask == 0) c.mask = 1;
  return c;
}

FILE* cases;
char* memory;
uint32_t* out;

void tell(const char* name, uint32_t bytes, const Case& c) {
  fprintf(cases, "%s %u %08x", name, bytes, c.mask);
  for (uint32_t o : c.offset) fprintf(cases, " %u", o);
  fprintf(cases, "\n");
}

template <bool SHARED, Op OP, int BYTES>
void run(const char* name) {
  for (int i = 0; i < 40; ++i) {
    const Case c = make(i % 10, BYTES);
    tell(name, BYTES, c);
    probe<SHARED, OP, BYTES><<<1, 32, window>>>(c, memory, out, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
}

int main(int, char** arguments) {
  cases = fopen(arguments[1], "w");
  CHECK(cudaMalloc(&memory, window));
  CHECK(cudaMalloc(&out, 128));
  run<true, load, 1>("shared_load"); run<true, load, 2>("shared_load"); run<true, load, 4>("shared_load");
  run<true, load, 8>("shared_load"); run<true, load, 16>("shared_load");
  run<true, store, 1>("shared_store"); run<true, store, 2>("shared_store"); run<true, store, 4>("shared_store");
  run<true, store, 8>("shared_store"); run<true, store, 16>("shared_store");
  run<true, add, 4>("shared_red"); run<true, add_result, 4>("shared_atom"); run<true, exchange, 4>("shared_exch"); run<true, add, 8>("shared_red");
  run<false, load, 1>("global_load"); run<false, load, 2>("global_load"); run<false, load, 4>("global_load");
  run<false, load, 8>("global_load"); run<false, load, 16>("global_load");
  run<false, store, 1>("global_store"); run<false, store, 2>("global_store"); run<false, store, 4>("global_store");
  run<false, store, 8>("global_store"); run<false, store, 16>("global_store");
  run<false, add, 4>("global_red"); run<false, add_result, 4>("global_atom"); run<false, exchange, 4>("global_exch"); run<false, add, 8>("global_red");
  for (int i = 0; i < 40; ++i) {
    const Case c = make(i % 10, 4);
    tell("constant_load", 4, c);
    constants<<<1, 32>>>(c, memory, out, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  fclose(cases);
}
