// Normal and log-normal numbers: Box and Muller's pairs for the pseudo-random generators, which keep the
// second number of a pair for the next call, and the inverse distribution for MTGP32 and the
// quasi-random ones, which need one number for one (cuRAND Library, "Distributions").
#ifndef HEDDLE_CRT_CURAND_NORMAL_H
#define HEDDLE_CRT_CURAND_NORMAL_H

#define EXTRA_FLAG_NORMAL 0x00000001
#define EXTRA_FLAG_LOG_NORMAL 0x00000002

QUALIFIERS float2 _curand_box_muller(unsigned int x, unsigned int y) {
  const float u = x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2);
  const float v = y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2);
  const float s = sqrtf(-2.0f * logf(u));
  float2 result;
  __sincosf(v, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
QUALIFIERS double2 _curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0,
                                             unsigned int y1) {
  const double u = _curand_uniform_double_hq(x0, x1);
  const unsigned long long zy = (unsigned long long)y0 ^ ((unsigned long long)y1 << (53 - 32));
  const double v = zy * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
  const double s = sqrt(-2.0 * log(u));
  double2 result;
  sincospi(v, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
// Half of the distribution at a time, where the numbers are densest.
QUALIFIERS float _curand_normal_icdf(unsigned int x) {
  float s = -1.4142135f;
  if (x > 0x80000000u) {
    x = 0xffffffffu - x;
    s = -s;
  }
  const float p = x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f);
  return s * erfcinvf(2.0f * p);
}
QUALIFIERS float _curand_normal_icdf(unsigned long long x) {
  return _curand_normal_icdf((unsigned int)(x >> 32));
}
QUALIFIERS double _curand_normal_icdf_double(unsigned int x) {
  double s = -1.4142135623730951;
  if (x > 0x80000000u) {
    x = 0xffffffffu - x;
    s = -s;
  }
  const double p = x * CURAND_2POW32_INV_DOUBLE + (CURAND_2POW32_INV_DOUBLE / 2.0);
  return s * erfcinv(2.0 * p);
}
QUALIFIERS double _curand_normal_icdf_double(unsigned long long x) {
  double s = -1.4142135623730951;
  x >>= 11;
  if (x > 0x10000000000000ull) {
    x = 0x1fffffffffffffull - x;
    s = -s;
  }
  const double p = x * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
  return s * erfcinv(2.0 * p);
}

// ---- Pairs

QUALIFIERS float2 curand_normal2(curandStateXORWOW_t* state) {
  const unsigned int x = curand(state), y = curand(state);
  return _curand_box_muller(x, y);
}
QUALIFIERS float2 curand_normal2(curandStatePhilox4_32_10_t* state) {
  const unsigned int x = curand(state), y = curand(state);
  return _curand_box_muller(x, y);
}
QUALIFIERS float2 curand_normal2(curandStateMRG32k3a_t* state) {
  const float x = curand_uniform(state), y = curand_uniform(state) * CURAND_2PI;
  const float s = sqrtf(-2.0f * logf(x));
  float2 result;
  __sincosf(y, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
QUALIFIERS double2 curand_normal2_double(curandStateXORWOW_t* state) {
  const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return _curand_box_muller_double(x0, x1, y0, y1);
}
QUALIFIERS double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return _curand_box_muller_double(x.x, x.y, x.z, x.w);
}
QUALIFIERS double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
  const double x = curand_uniform_double(state), y = curand_uniform_double(state) * 2.0;
  const double s = sqrt(-2.0 * log(x));
  double2 result;
  sincospi(y, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
QUALIFIERS double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}

// ---- One at a time

// A state has one place for a pair's second number, and the flag says of which distribution it is: a call
// that finds the other one's number there draws a new pair. A log-normal number is kept as it will be
// returned, so mean and deviation are those of the call that drew the pair.
namespace heddle_curand {

QUALIFIERS float shaped(float v, int distribution, float mean, float stddev) {
  return distribution == EXTRA_FLAG_NORMAL ? v : expf(mean + stddev * v);
}
QUALIFIERS double shaped(double v, int distribution, double mean, double stddev) {
  return distribution == EXTRA_FLAG_NORMAL ? v : exp(mean + stddev * v);
}
template <class State>
QUALIFIERS float one_of_pair(State* state, int distribution, float mean, float stddev) {
  if (state->boxmuller_flag != distribution) {
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = shaped(pair.y, distribution, mean, stddev);
    state->boxmuller_flag = distribution;
    return shaped(pair.x, distribution, mean, stddev);
  }
  state->boxmuller_flag = 0;
  return state->boxmuller_extra;
}
template <class State>
QUALIFIERS double one_of_pair_double(State* state, int distribution, double mean, double stddev) {
  if (state->boxmuller_flag_double != distribution) {
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = shaped(pair.y, distribution, mean, stddev);
    state->boxmuller_flag_double = distribution;
    return shaped(pair.x, distribution, mean, stddev);
  }
  state->boxmuller_flag_double = 0;
  return state->boxmuller_extra_double;
}

}  // namespace heddle_curand

#define HEDDLE_NORMAL_(name)                                                                               \
  QUALIFIERS float curand_normal(curandState##name##_t* state) {                                           \
    return heddle_curand::one_of_pair(state, EXTRA_FLAG_NORMAL, 0.f, 1.f);                                 \
  }                                                                                                        \
  QUALIFIERS double curand_normal_double(curandState##name##_t* state) {                                   \
    return heddle_curand::one_of_pair_double(state, EXTRA_FLAG_NORMAL, 0.0, 1.0);                          \
  }                                                                                                        \
  QUALIFIERS float curand_log_normal(curandState##name##_t* state, float mean, float stddev) {             \
    return heddle_curand::one_of_pair(state, EXTRA_FLAG_LOG_NORMAL, mean, stddev);                         \
  }                                                                                                        \
  QUALIFIERS double curand_log_normal_double(curandState##name##_t* state, double mean, double stddev) {   \
    return heddle_curand::one_of_pair_double(state, EXTRA_FLAG_LOG_NORMAL, mean, stddev);                  \
  }                                                                                                        \
  QUALIFIERS float2 curand_log_normal2(curandState##name##_t* state, float mean, float stddev) {           \
    const float2 v = curand_normal2(state);                                                                \
    return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));                              \
  }                                                                                                        \
  QUALIFIERS double2 curand_log_normal2_double(curandState##name##_t* state, double mean, double stddev) { \
    const double2 v = curand_normal2_double(state);                                                        \
    return make_double2(exp(mean + stddev * v.x), exp(mean + stddev * v.y));                               \
  }
#define HEDDLE_SOBOL_(name)                                                                              \
  QUALIFIERS float curand_normal(curandState##name##_t* state) {                                         \
    return _curand_normal_icdf(curand(state));                                                           \
  }                                                                                                      \
  QUALIFIERS double curand_normal_double(curandState##name##_t* state) {                                 \
    return _curand_normal_icdf_double(curand(state));                                                    \
  }                                                                                                      \
  QUALIFIERS float curand_log_normal(curandState##name##_t* state, float mean, float stddev) {           \
    return expf(mean + stddev * curand_normal(state));                                                   \
  }                                                                                                      \
  QUALIFIERS double curand_log_normal_double(curandState##name##_t* state, double mean, double stddev) { \
    return exp(mean + stddev * curand_normal_double(state));                                             \
  }
HEDDLE_NORMAL_(XORWOW)
HEDDLE_NORMAL_(Philox4_32_10)
HEDDLE_NORMAL_(MRG32k3a)
HEDDLE_SOBOL_(Sobol32)
HEDDLE_SOBOL_(ScrambledSobol32)
HEDDLE_SOBOL_(Sobol64)
HEDDLE_SOBOL_(ScrambledSobol64)
#undef HEDDLE_SOBOL_
#undef HEDDLE_NORMAL_
QUALIFIERS float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 v = curand_normal4(state);
  return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                     expf(mean + stddev * v.w));
}
QUALIFIERS double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  const double4 v = curand_normal4_double(state);
  return make_double4(exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z),
                      exp(mean + stddev * v.w));
}

#endif
