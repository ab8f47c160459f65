// Poisson numbers: products of uniform ones for a small mean (Knuth, "Seminumerical Algorithms", 3.4.1),
// rounded normal ones for a large mean, and in between the sum of parts with a small mean, which is exact
// too.
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

}  // namespace heddle_curand

#define HEDDLE_POISSON_(name)                                                           \
  QUALIFIERS unsigned int curand_poisson(curandState##name##_t* state, double lambda) { \
    return heddle_curand::poisson(state, lambda);                                       \
  }
HEDDLE_POISSON_(XORWOW)
HEDDLE_POISSON_(Philox4_32_10)
HEDDLE_POISSON_(MRG32k3a)
#undef HEDDLE_POISSON_
QUALIFIERS uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
  const unsigned int z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
  return make_uint4(x, y, z, w);
}

#endif
