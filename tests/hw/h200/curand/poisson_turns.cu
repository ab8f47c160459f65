// Poisson's numbers of a mean of 390000, which are normal numbers rounded: which turn of which stream each of
// them has, over several calls. Prints what is asked for (P: Poisson's, B: bits, how many), and some of the
// numbers by their places.
#include <cuda_runtime.h>
#include <curand.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void ask(curandRngType_t type, curandOrdering_t order, unsigned long long offset, const char* calls) {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, type);
  int status = curandSetPseudoRandomGeneratorSeed(generator, 1234);
  status |= curandSetGeneratorOrdering(generator, order);
  status |= curandSetGeneratorOffset(generator, offset);
  unsigned* numbers;
  cudaMalloc(&numbers, 1 << 22);
  std::size_t count = 0;
  for (const char* at = calls; *at != '\0'; at += std::strcspn(at, " "), at += *at == ' ') {
    const std::size_t some = std::strtoul(at + 1, nullptr, 10);
    status |= *at == 'P' ? curandGeneratePoisson(generator, numbers + count, some, 390000)
                         : curandGenerate(generator, numbers + count, some);
    count += some;
  }
  std::vector<unsigned> found(count);
  cudaMemcpy(found.data(), numbers, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::printf("%d %d %llu %d %s |", type, order, offset, status, calls);
  for (std::size_t i = 0; i < count; i += 1 + count / 60) std::printf(" %zu:%u", i, found[i]);
  std::printf("\n");
  cudaFree(numbers);
  curandDestroyGenerator(generator);
}

int main() {
  const curandOrdering_t orders[] = {CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_BEST,
                                     CURAND_ORDERING_PSEUDO_LEGACY, CURAND_ORDERING_PSEUDO_DYNAMIC};
  for (const curandOrdering_t order : orders) {
    ask(CURAND_RNG_PSEUDO_XORWOW, order, 0, "P8969 B4000");
    ask(CURAND_RNG_PSEUDO_MRG32K3A, order, 0, "P9000 B4000");
  }
  ask(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_SEEDED, 0, "P8969 B4000");
  ask(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 5000, "P10000 B2000");
  ask(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0, "P1000 P1000 P1000 P1000 P1000 B4096 P3000");
  ask(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DYNAMIC, 0, "P1000 P1000 P1001 P1000 P1000 B4096 P3000");
  ask(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0, "P163841 B81920 P90000");
  ask(CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0, "P1001 P1000 B4096");
  ask(CURAND_RNG_PSEUDO_MTGP32, CURAND_ORDERING_PSEUDO_DEFAULT, 0, "P49153 P1000 B4096");
  ask(CURAND_RNG_PSEUDO_MT19937, CURAND_ORDERING_PSEUDO_DEFAULT, 0, "P1001 P1000 B4096");
}
