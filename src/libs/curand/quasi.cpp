// Quasi-random generators, and numbers of discrete distributions.
#include <vector>

#include "libs/curand/functions.gen.h"
#include "libs/curand/generator.h"
#include "libs/curand/poisson.h"
#include "libs/curand/scrambling.h"
#include "libs/curand/sobol.h"

namespace heddle::curand {

void check_mean(double lambda);  // distributions.cpp

void curandGenerateLongLong(curandGenerator_t generator, unsigned long long* outputPtr, size_t num) {
  if (!wide(find(generator)->kind) && num != 0)
    libs::refuse(libs::Why::not_supported, "a generator of 32 bits");
  generate("curandGenerateLongLong", generator, reinterpret_cast<uint64_t*>(outputPtr), num,
           [](Sequence& from, uint64_t* to, uint64_t n) { from.long_bits(to, n); });
}

void curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int num_dimensions) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  if (!quasi(found->kind))
    libs::refuse(libs::Why::not_supported, "a pseudo-random generator has no dimensions");
  if (num_dimensions == 0 || num_dimensions > most_dimensions())
    libs::refuse(libs::Why::invalid_value, "num_dimensions is 0 or above 20000");
  found->dimensions = num_dimensions;
}

// Quasi-random sequences keep their order: those of 64 bits up to where numbers are normal ones, those of 32
// bits from a mean of 10 to 8000 (tests/hw/h200/curand/poisson_quasi.txt).
static bool searches(Kind kind, double mean) {
  return wide(kind) ? mean < 2000 : quasi(kind) && mean >= 10 && mean <= 8000;
}

// One number of the generator for each.
void curandGeneratePoisson(curandGenerator_t generator, unsigned int* outputPtr, size_t n, double lambda) {
  const Kind kind = find(generator)->kind;
  check_mean(lambda);
  const bool searched = searches(kind, lambda);
  const auto distribution = std::make_shared<const Poisson>(lambda, searched);
  generate("curandGeneratePoisson", generator, outputPtr, n,
           [=](Sequence& from, uint32_t* to, uint64_t count) {
             // All at once: a quasi-random sequence goes through its dimensions in each call.
             if (distribution->normal() && !searched) {
               std::vector<float> normals(count);
               from.single_normal(normals.data(), count);
               return distribution->round(normals.data(), to, count);
             }
             std::vector<double> uniform(count);
             if (wide(kind)) {
               from.between(uniform.data(), count);
             } else {
               from.bits(to, count);
               for (uint64_t i = 0; i < count; ++i) uniform[i] = to[i] * 0x1p-32 + 0x1p-32;
             }
             if (searched)
               distribution->search(uniform.data(), to, count);
             else
               distribution->look_up(uniform.data(), to, count);
           });
}

void curandGetDirectionVectors32(curandDirectionVectors32_t** vectors, curandDirectionVectorSet_t set) {
  if (vectors == nullptr) libs::refuse_null("vectors");
  const void* found = nullptr;
  switch (set) {
    case CURAND_DIRECTION_VECTORS_32_JOEKUO6: found = direction_vectors_32(); break;
    case CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6: found = scrambling().vectors_32.data(); break;
    default: libs::refuse(libs::Why::invalid_value, "no such set of 32 bits");
  }
  *vectors = static_cast<curandDirectionVectors32_t*>(const_cast<void*>(found));
}
void curandGetDirectionVectors64(curandDirectionVectors64_t** vectors, curandDirectionVectorSet_t set) {
  if (vectors == nullptr) libs::refuse_null("vectors");
  const void* found = nullptr;
  switch (set) {
    case CURAND_DIRECTION_VECTORS_64_JOEKUO6: found = direction_vectors_64(); break;
    case CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6: found = scrambling().vectors_64.data(); break;
    default: libs::refuse(libs::Why::invalid_value, "no such set of 64 bits");
  }
  *vectors = static_cast<curandDirectionVectors64_t*>(const_cast<void*>(found));
}
void curandGetScrambleConstants32(unsigned int** constants) {
  if (constants == nullptr) libs::refuse_null("constants");
  *constants = const_cast<uint32_t*>(scrambling().constants_32.data());
}
void curandGetScrambleConstants64(unsigned long long** constants) {
  if (constants == nullptr) libs::refuse_null("constants");
  *constants = reinterpret_cast<unsigned long long*>(const_cast<uint64_t*>(scrambling().constants_64.data()));
}

}  // namespace heddle::curand
