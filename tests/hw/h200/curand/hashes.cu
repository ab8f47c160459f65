// Hashes of what libcurand gives: generator x ordering x distribution, in one call of `count` numbers and,
// where "then" stands, of a second call behind it. Argument: device or host, and a count.
#include <cuda_runtime.h>
#include <curand.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static uint64_t hash_of(const std::vector<char>& bytes, size_t element) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i + element <= bytes.size(); i += element) {
    uint64_t word = 0;
    memcpy(&word, &bytes[i], element);
    h = (h ^ word) * 0x100000001b3;
  }
  return h;
}
static bool on_host;
static int make(curandGenerator_t* g, int type) {
  return on_host ? curandCreateGeneratorHost(g, (curandRngType_t)type)
                 : curandCreateGenerator(g, (curandRngType_t)type);
}
struct What {
  const char* name;
  size_t element;
  double lambda;
};
static const What whats[] = {
    {"bits", 4, 0},      {"longlong", 8, 0},      {"uniform", 4, 0},    {"uniform_double", 8, 0},
    {"normal", 4, 0},    {"normal_double", 8, 0}, {"log_normal", 4, 0}, {"log_normal_double", 8, 0},
    {"poisson", 4, 0.5}, {"poisson", 4, 30},      {"poisson", 4, 3000}, {"poisson", 4, 70000}};
static int give(curandGenerator_t g, const What& w, void* to, size_t n) {
  std::string k = w.name;
  if (k == "bits") return curandGenerate(g, (unsigned*)to, n);
  if (k == "longlong") return curandGenerateLongLong(g, (unsigned long long*)to, n);
  if (k == "uniform") return curandGenerateUniform(g, (float*)to, n);
  if (k == "uniform_double") return curandGenerateUniformDouble(g, (double*)to, n);
  if (k == "normal") return curandGenerateNormal(g, (float*)to, n, 0, 1);
  if (k == "normal_double") return curandGenerateNormalDouble(g, (double*)to, n, 0, 1);
  if (k == "log_normal") return curandGenerateLogNormal(g, (float*)to, n, 1, 0.5f);
  if (k == "log_normal_double") return curandGenerateLogNormalDouble(g, (double*)to, n, 1, 0.5);
  return curandGeneratePoisson(g, (unsigned*)to, n, w.lambda);
}
static void one(int type, int order, unsigned dimensions, unsigned long long offset, const What& w,
                size_t n) {
  curandGenerator_t g;
  int status = make(&g, type);
  if (status != 0) {
    printf("%d %d create %d\n", type, order, status);
    return;
  }
  int s1 = 0, s2 = 0;
  if (order) s1 = curandSetGeneratorOrdering(g, (curandOrdering_t)order);
  if (dimensions)
    s2 = curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  else
    s2 = curandSetPseudoRandomGeneratorSeed(g, 1234);
  int s3 = offset ? curandSetGeneratorOffset(g, offset) : 0;
  for (int round = 0; round < 2; ++round) {
    size_t count = round == 0 ? n : 3000;
    std::vector<char> bytes(count * w.element);
    void* to = bytes.data();
    if (!on_host) cudaMalloc(&to, bytes.size());
    int s4 = give(g, w, to, count);
    if (!on_host) {
      int s5 = cudaDeviceSynchronize();
      if (s5) printf("cuda %d ", s5);
      cudaMemcpy(bytes.data(), to, bytes.size(), cudaMemcpyDeviceToHost);
      cudaFree(to);
    }
    printf("%s%d %d d%u o%llu %s %g n%zu status %d %d %d %d hash %016llx first", round ? "then " : "", type,
           order, dimensions, offset, w.name, w.lambda, count, s1, s2, s3, s4,
           (unsigned long long)hash_of(bytes, w.element));
    for (int i = 0; i < 6 && s4 == 0; ++i) {
      uint64_t v = 0;
      memcpy(&v, &bytes[(size_t)i * w.element], w.element);
      printf(" %llx", (unsigned long long)v);
    }
    for (size_t i = count / 2; i < count / 2 + 4 && s4 == 0; ++i) {
      uint64_t v = 0;
      memcpy(&v, &bytes[i * w.element], w.element);
      printf(" %llx", (unsigned long long)v);
    }
    printf("\n");
    if (s4) break;
  }
  curandDestroyGenerator(g);
  fflush(stdout);
}
int main(int argc, char** argv) {
  on_host = argc > 1 && !strcmp(argv[1], "host");
  const size_t n = argc > 2 ? strtoull(argv[2], 0, 10) : 9999984;
  int version = 0;
  curandGetVersion(&version);
  printf("libcurand %d %s n %zu\n", version, on_host ? "host" : "device", n);
  const int pseudo[] = {101, 121, 141, 142, 161}, orders[] = {0, 100, 101, 102, 103, 104},
            quasi[] = {201, 202, 203, 204};
  for (int type : pseudo)
    for (int order : orders)
      for (const What& w : whats) {
        if (order == 0 && w.element == 8) continue;
        one(type, order, 0, 0, w, n);
        if (!strcmp(w.name, "bits")) one(type, order, 0, 12345, w, 100000);
      }
  for (int type : quasi)
    for (unsigned dimensions : {1u, 3u, 20000u})
      for (const What& w : whats) {
        one(type, 0, dimensions, 0, w, dimensions == 20000 ? 1000000 : n / 3 * 3);
        if (!strcmp(w.name, "bits")) one(type, 0, dimensions, 777, w, dimensions == 20000 ? 1000000 : 99999);
      }
}
