// Poisson numbers: products of uniform ones for a small mean (Knuth, "Seminumerical Algorithms", 3.4.1),
// rounded normal ones for a large mean, and in between the sum of parts with a small mean, which is exact
// too. Quasi-random ones take one number of their sequence each, by the inverse of the distribution function.
#ifndef HEDDLE_CRT_CURAND_POISSON_H
#define HEDDLE_CRT_CURAND_POISSON_H

namespace heddle_curand {

template <class State>
QUALIFIERS unsigned int poisson_small(State* state, float mean) {
  unsigned int count = 0;
  float product = expf(mean);
  do {
    ++count;
    product *= curand_uniform(state);
  } while (product > 1.0f);
  return count - 1;
}
template <class State>
QUALIFIERS unsigned int poisson(State* state, double mean) {
  if (mean > 4000.0) return (unsigned int)(sqrt(mean) * curand_normal_double(state) + mean + 0.5);
  unsigned int count = 0;
  for (; mean >= 64.0; mean -= 32.0) count += poisson_small(state, 32.0f);
  return count + poisson_small(state, (float)mean);
}

// The least count whose share of numbers up to it is at least `u`. Beyond 12 deviations and a little is less
// than a double's last bit.
QUALIFIERS unsigned int poisson_at(double u, double mean) {
  const double reach = 12.0 * sqrt(mean) + 30.0, first = floor(mean - reach);
  double count = first > 0.0 ? first : 0.0;
  double share = exp(count * log(mean) - mean - lgamma(count + 1.0)), sum = share;
  for (; sum < u && count < mean + reach; sum += share) {
    count += 1.0;
    share *= mean / count;
  }
  return (unsigned int)count;
}
template <class State>
QUALIFIERS unsigned int quasi_poisson(State* state, double mean) {
  if (mean > 4000.0) return (unsigned int)(sqrt(mean) * curand_normal_double(state) + mean + 0.5);
  return poisson_at(curand_uniform_double(state), mean);
}

}  // namespace heddle_curand

#define HEDDLE_POISSON_(name, numbers)                                                  \
  QUALIFIERS unsigned int curand_poisson(curandState##name##_t* state, double lambda) { \
    return heddle_curand::numbers(state, lambda);                                       \
  }
HEDDLE_POISSON_(XORWOW, poisson)
HEDDLE_POISSON_(Philox4_32_10, poisson)
HEDDLE_POISSON_(MRG32k3a, poisson)
HEDDLE_POISSON_(Sobol32, quasi_poisson)
HEDDLE_POISSON_(ScrambledSobol32, quasi_poisson)
HEDDLE_POISSON_(Sobol64, quasi_poisson)
HEDDLE_POISSON_(ScrambledSobol64, quasi_poisson)
#undef HEDDLE_POISSON_
QUALIFIERS uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
  const unsigned int z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
  return make_uint4(x, y, z, w);
}

#endif
