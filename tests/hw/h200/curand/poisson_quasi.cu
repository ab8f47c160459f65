// Poisson's numbers of quasi-random generators: hashes of 20,000 numbers, and some of them.
#include <cuda_runtime.h>
#include <curand.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr std::size_t count = 20000;
  unsigned* numbers;
  cudaMalloc(&numbers, count * sizeof(unsigned));
  const curandRngType_t types[] = {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,
                                   CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
  const double means[] = {0.01, 0.5,  0.99, 1,    2,    5,    9.5,   9.99,  9.9999, 10,    10.3,  12,     64,    500,
                          1999, 2000, 5000, 6000, 8000, 9999, 10000, 10001, 12000,  14000, 16000, 20000, 100000, 400000};
  for (const curandRngType_t type : types)
    for (const double mean : means) {
      curandGenerator_t generator;
      curandCreateGenerator(&generator, type);
      const int status = curandGeneratePoisson(generator, numbers, count, mean);
      std::vector<unsigned> found(count);
      cudaMemcpy(found.data(), numbers, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
      unsigned long long hash = 0xcbf29ce484222325;
      for (const unsigned one : found) hash = (hash ^ one) * 0x100000001b3;
      std::printf("%d %g %d %016llx |", type, mean, status, hash);
      for (std::size_t i = 0; i < count; i += 499) std::printf(" %u", found[i]);
      std::printf("\n");
      curandDestroyGenerator(generator);
    }
  cudaFree(numbers);
}
