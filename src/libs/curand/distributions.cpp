// Distributions in a device's memory, for curand_discrete of device code.
#include <crt/curand_distribution.h>

#include <cstring>

#include "libs/common/runtime.h"
#include "libs/curand/functions.gen.h"
#include "libs/curand/poisson.h"

namespace heddle::curand {

void check_mean(double lambda) {
  if (!(lambda > 0 && lambda <= 400000))
    libs::refuse(libs::Why::invalid_value, "lambda is not above 0 and up to 400000");
}

// One allocation: what it is, thresholds, other bars.
void curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t* discrete_distribution) {
  if (discrete_distribution == nullptr)
    libs::refuse(libs::Why::not_initialized, "discrete_distribution is NULL");
  check_mean(lambda);
  const Poisson poisson(lambda);
  const std::size_t bars = poisson.thresholds.size();
  constexpr std::size_t head = sizeof(curandDiscreteDistribution_st);
  std::vector<char> bytes(head + bars * (sizeof(double) + sizeof(uint32_t)));
  void* memory = nullptr;
  // By its type, of which the runtime's C++ header has more.
  static auto* const allocate = libs::runtime_function<cudaError_t(void**, size_t)>("cudaMalloc");
  if (allocate(&memory, bytes.size()) != cudaSuccess)
    libs::refuse(libs::Why::alloc_failed, "the distribution does not fit into the device's memory");
  auto* const thresholds = reinterpret_cast<double*>(static_cast<char*>(memory) + head);
  const curandDiscreteDistribution_st description{
      thresholds,    reinterpret_cast<unsigned*>(thresholds + bars),
      poisson.first, static_cast<unsigned>(bars),
      poisson.mean,  poisson.deviation};
  std::memcpy(bytes.data(), &description, head);
  if (bars > 0) {
    std::memcpy(bytes.data() + head, poisson.thresholds.data(), bars * sizeof(double));
    std::memcpy(bytes.data() + head + bars * sizeof(double), poisson.others.data(), bars * sizeof(uint32_t));
  }
  if (HEDDLE_RUNTIME(cudaMemcpy)(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) != cudaSuccess) {
    HEDDLE_RUNTIME(cudaFree)(memory);
    libs::refuse(libs::Why::execution_failed, "the distribution cannot be copied to the device");
  }
  *discrete_distribution = static_cast<curandDiscreteDistribution_t>(memory);
}
void curandDestroyDistribution(curandDiscreteDistribution_t discrete_distribution) {
  if (discrete_distribution == nullptr)
    libs::refuse(libs::Why::not_initialized, "discrete_distribution is NULL");
  if (HEDDLE_RUNTIME(cudaFree)(discrete_distribution) != cudaSuccess)
    libs::refuse(libs::Why::not_initialized, "no distribution of this device");
}

}  // namespace heddle::curand
