#include <cmath>

#include "libs/curand/functions.gen.h"
#include "libs/curand/generator.h"

namespace heddle::curand {
namespace {

void check_pairs(curandGenerator_t handle, uint64_t count) {
  if (count % 2 != 0 && paired(find(handle)->kind))
    libs::refuse_code(CURAND_STATUS_LENGTH_NOT_MULTIPLE, "the count of numbers is odd");
}

template <class Real>
void normal(const char* name, curandGenerator_t handle, Real* out, uint64_t count, Real mean, Real deviation,
            bool logarithmic) {
  check_pairs(handle, count);
  generate(name, handle, out, count, [=](Sequence& from, Real* to, uint64_t n) {
    from.normal(to, n);
    for (uint64_t i = 0; i < n; ++i) {
      const Real value = mean + deviation * to[i];
      to[i] = logarithmic ? std::exp(value) : value;
    }
  });
}

}  // namespace

void curandGenerate(curandGenerator_t generator, unsigned int* outputPtr, size_t num) {
  if (wide(find(generator)->kind))
    libs::refuse(libs::Why::not_supported, "a generator of 64 bits: curandGenerateLongLong gives them");
  generate("curandGenerate", generator, outputPtr, num,
           [](Sequence& from, uint32_t* to, uint64_t n) { from.bits(to, n); });
}
void curandGenerateUniform(curandGenerator_t generator, float* outputPtr, size_t num) {
  generate("curandGenerateUniform", generator, outputPtr, num,
           [](Sequence& from, float* to, uint64_t n) { from.uniform(to, n); });
}
void curandGenerateUniformDouble(curandGenerator_t generator, double* outputPtr, size_t num) {
  generate("curandGenerateUniformDouble", generator, outputPtr, num,
           [](Sequence& from, double* to, uint64_t n) { from.uniform(to, n); });
}
void curandGenerateNormal(curandGenerator_t generator, float* outputPtr, size_t n, float mean, float stddev) {
  normal("curandGenerateNormal", generator, outputPtr, n, mean, stddev, false);
}
void curandGenerateNormalDouble(curandGenerator_t generator, double* outputPtr, size_t n, double mean,
                                double stddev) {
  normal("curandGenerateNormalDouble", generator, outputPtr, n, mean, stddev, false);
}
void curandGenerateLogNormal(curandGenerator_t generator, float* outputPtr, size_t n, float mean,
                             float stddev) {
  normal("curandGenerateLogNormal", generator, outputPtr, n, mean, stddev, true);
}
void curandGenerateLogNormalDouble(curandGenerator_t generator, double* outputPtr, size_t n, double mean,
                                   double stddev) {
  normal("curandGenerateLogNormalDouble", generator, outputPtr, n, mean, stddev, true);
}

}  // namespace heddle::curand
