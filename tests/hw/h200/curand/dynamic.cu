// Where the numbers of single streams of cuRAND's device API lie in what the host's API gives in DYNAMIC order.
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

constexpr int streams = 24, per = 12;
__device__ const int stream_of[streams] = {0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 64, 127, 128, 255, 256, 511, 512, 1023, 1024, 4095, 4096, 65535, 65536};
static const int stream_host[streams] = {0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 64, 127, 128, 255, 256, 511, 512, 1023, 1024, 4095, 4096, 65535, 65536};

template <class State, class T, int what>
__global__ void numbers(T* out) {
  State s;
  curand_init(1234, stream_of[threadIdx.x], 0, &s);
  for (int i = 0; i < per; ++i) {
    T* to = out + threadIdx.x * per * 2 + 2 * i;
    to[1] = 0;
    if constexpr (what == 0) to[0] = curand(&s);
    if constexpr (what == 1) to[0] = curand_uniform(&s);
    if constexpr (what == 2) to[0] = curand_uniform_double(&s);
    if constexpr (what == 3) { float2 p = curand_normal2(&s); to[0] = p.x, to[1] = p.y; }
    if constexpr (what == 4) { double2 p = curand_normal2_double(&s); to[0] = p.x, to[1] = p.y; }
  }
}
template <class T> uint64_t key(T v) { uint64_t k = 0; memcpy(&k, &v, sizeof v); return k; }

template <class State, class T, int what>
void one(int type, const char* name, int order, size_t n) {
  curandGenerator_t g;
  int c = curandCreateGenerator(&g, (curandRngType_t)type);
  int o = curandSetGeneratorOrdering(g, (curandOrdering_t)order);
  int s = curandSetPseudoRandomGeneratorSeed(g, 1234);
  T* d; cudaMalloc(&d, n * sizeof(T));
  int r = 0;
  if constexpr (what == 0) r = curandGenerate(g, d, n);
  if constexpr (what == 1) r = curandGenerateUniform(g, d, n);
  if constexpr (what == 2) r = curandGenerateUniformDouble(g, d, n);
  if constexpr (what == 3) r = curandGenerateNormal(g, d, n, 0, 1);
  if constexpr (what == 4) r = curandGenerateNormalDouble(g, d, n, 0, 1);
  std::vector<T> all(n);
  cudaMemcpy(all.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
  printf("## %d %s order %d n %zu status %d %d %d %d\n", type, name, order, n, c, o, s, r);
  T* e; cudaMalloc(&e, streams * per * 2 * sizeof(T));
  numbers<State, T, what><<<1, streams>>>(e);
  std::vector<T> mine(streams * per * 2);
  cudaMemcpy(mine.data(), e, mine.size() * sizeof(T), cudaMemcpyDeviceToHost);
  std::unordered_map<uint64_t, std::vector<size_t>> at;
  for (auto v : mine) at[key(v)];
  for (size_t i = 0; i < n; ++i) { auto f = at.find(key(all[i])); if (f != at.end() && f->second.size() < 3) f->second.push_back(i); }
  for (int t = 0; t < streams; ++t) {
    printf("stream %d:", stream_host[t]);
    for (int i = 0; i < per; ++i)
      for (int h = 0; h < (what >= 3 ? 2 : 1); ++h) {
        auto& f = at[key(mine[t * per * 2 + 2 * i + h])];
        printf(" ");
        if (f.empty()) printf("-");
        for (size_t k = 0; k < f.size(); ++k) printf("%s%zu", k ? "/" : "", f[k]);
      }
    printf("\n");
  }
  printf("first");
  for (int i = 0; i < 64; ++i) printf(" %llx", (unsigned long long)key(all[i]));
  printf("\n");
  cudaFree(d); cudaFree(e); curandDestroyGenerator(g);
  fflush(stdout);
}
template <class State> void all_of(int type, int order, size_t n) {
  one<State, unsigned, 0>(type, "bits", order, n);
  one<State, float, 1>(type, "uniform", order, n);
  one<State, double, 2>(type, "uniform_double", order, n);
  one<State, float, 3>(type, "normal", order, n);
  one<State, double, 4>(type, "normal_double", order, n);
}
int main() {
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  int driver; cudaDriverGetVersion(&driver);
  int version; curandGetVersion(&version);
  printf("# %s, %d multiprocessors, %d threads each, driver API %d, libcurand %d\n", p.name, p.multiProcessorCount, p.maxThreadsPerMultiProcessor, driver, version);
  all_of<curandStateXORWOW>(101, 104, 9999984);
  all_of<curandStateMRG32k3a>(121, 104, 9999984);
  all_of<curandStatePhilox4_32_10>(161, 104, 9999984);
  // Small counts: whether the order depends on the count.
  one<curandStateXORWOW, unsigned, 0>(101, "bits", 104, 1000);
  one<curandStateXORWOW, unsigned, 0>(101, "bits", 104, 100000);
  one<curandStateXORWOW, unsigned, 0>(101, "bits", 104, 1000000);
  one<curandStateXORWOW, unsigned, 0>(101, "bits", 104, 40000000);
  // MTGP32: raw words.
  const size_t n = 400000;
  for (int what = 0; what < 5; ++what) {
    curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32);
    int o = curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC);
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    std::vector<char> bytes(n * 8); void* d; cudaMalloc(&d, n * 8);
    int r = what == 0 ? curandGenerate(g, (unsigned*)d, n) : what == 1 ? curandGenerateUniform(g, (float*)d, n) : what == 2 ? curandGenerateUniformDouble(g, (double*)d, n) : what == 3 ? curandGenerateNormal(g, (float*)d, n, 0, 1) : curandGenerateNormalDouble(g, (double*)d, n, 0, 1);
    cudaMemcpy(bytes.data(), d, n * 8, cudaMemcpyDeviceToHost);
    printf("## mtgp32 %d status %d %d\n", what, o, r);
    const bool wide = what == 2 || what == 4;
    char name[64]; snprintf(name, sizeof name, "mtgp32_%d.bin", what);
    FILE* f = fopen(name, "wb"); fwrite(bytes.data(), wide ? 8 : 4, what == 0 ? 200000 : 40000, f); fclose(f);
    // The distance at which the words of the first block go on: what stands at multiples of 256.
    printf("at multiples of 256:");
    for (size_t i = 0; i < 400; ++i) { uint64_t v = 0; memcpy(&v, &bytes[i * 256 * (wide ? 8 : 4)], wide ? 8 : 4); printf(" %llx", (unsigned long long)v); }
    printf("\n");
    cudaFree(d); curandDestroyGenerator(g);
  }
}
