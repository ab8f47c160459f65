// Numbers of a distribution that the host has made (curandCreatePoissonDistribution).
#ifndef HEDDLE_CRT_CURAND_DISCRETE_H
#define HEDDLE_CRT_CURAND_DISCRETE_H

#include "curand_distribution.h"

namespace heddle_curand {

QUALIFIERS unsigned int bar_of(double u, const curandDiscreteDistribution_st* d) {
  unsigned int bar = (unsigned int)(d->length * u);
  if (bar == d->length) --bar;  // u may be 1
  return d->shift + (u < d->thresholds[bar] ? bar : d->others[bar]);
}
QUALIFIERS unsigned int rounded(double normal, const curandDiscreteDistribution_st* d) {
  return (unsigned int)(d->stddev * normal + d->mean + 0.5);
}
template <class State>
QUALIFIERS unsigned int discrete(State* state, const curandDiscreteDistribution_st* d) {
  if (d->length == 0) return rounded(curand_normal_double(state), d);
  return bar_of(_curand_uniform_double(curand(state)), d);
}

}  // namespace heddle_curand

#define HEDDLE_DISCRETE_(name)                                                                               \
  QUALIFIERS unsigned int curand_discrete(name* state, curandDiscreteDistribution_t discrete_distribution) { \
    return heddle_curand::discrete(state, discrete_distribution);                                            \
  }
HEDDLE_DISCRETE_(curandStateXORWOW_t)
HEDDLE_DISCRETE_(curandStatePhilox4_32_10_t)
HEDDLE_DISCRETE_(curandStateMRG32k3a_t)
HEDDLE_DISCRETE_(curandStateMtgp32_t)
HEDDLE_DISCRETE_(curandStateSobol32_t)
HEDDLE_DISCRETE_(curandStateScrambledSobol32_t)
HEDDLE_DISCRETE_(curandStateSobol64_t)
HEDDLE_DISCRETE_(curandStateScrambledSobol64_t)
#undef HEDDLE_DISCRETE_
QUALIFIERS uint4 curand_discrete4(curandStatePhilox4_32_10_t* state,
                                  curandDiscreteDistribution_t discrete_distribution) {
  const curandDiscreteDistribution_st* const d = discrete_distribution;
  if (d->length == 0) {
    const double4 v = curand_normal4_double(state);
    return make_uint4(heddle_curand::rounded(v.x, d), heddle_curand::rounded(v.y, d),
                      heddle_curand::rounded(v.z, d), heddle_curand::rounded(v.w, d));
  }
  const uint4 x = curand4(state);
  return make_uint4(heddle_curand::bar_of(_curand_uniform_double(x.x), d),
                    heddle_curand::bar_of(_curand_uniform_double(x.y), d),
                    heddle_curand::bar_of(_curand_uniform_double(x.z), d),
                    heddle_curand::bar_of(_curand_uniform_double(x.w), d));
}

#endif
