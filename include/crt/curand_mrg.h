// MRG32k3a: two recurrences of order 3, subtracted (L'Ecuyer, 1999; tools/gen/gen_curand.py has the matrices
// of its jumps).
#ifndef HEDDLE_CRT_CURAND_MRG_H
#define HEDDLE_CRT_CURAND_MRG_H

#include "curand_states.h"

namespace heddle_curand {

static const unsigned long long mrg_m1 = 4294967087ull, mrg_m2 = 4294944443ull;

QUALIFIERS void multiply(unsigned int (&to)[3][3], const unsigned int (&a)[3][3],
                         const unsigned int (&b)[3][3], unsigned long long m) {
  unsigned int result[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; ++k) sum += (unsigned long long)a[i][k] * b[k][j] % m;
      result[i][j] = (unsigned int)(sum % m);
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) to[i][j] = result[i][j];
}
// state = matrix^n state
QUALIFIERS void advance(unsigned int (&state)[3], const unsigned int (&matrix)[3][3], unsigned long long n,
                        unsigned long long m) {
  unsigned int power[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) power[i][j] = matrix[i][j];
  for (; n; n >>= 1) {
    if (n & 1) {
      unsigned int next[3];
      for (int i = 0; i < 3; ++i) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k) sum += (unsigned long long)power[i][k] * state[k] % m;
        next[i] = (unsigned int)(sum % m);
      }
      for (int i = 0; i < 3; ++i) state[i] = next[i];
    }
    if (n > 1) multiply(power, power, power, m);
  }
}
QUALIFIERS void advance(curandStateMRG32k3a_t* state, const unsigned int (&matrices)[2][3][3],
                        unsigned long long n) {
  advance(state->s1, matrices[0], n, mrg_m1);
  advance(state->s2, matrices[1], n, mrg_m2);
}

}  // namespace heddle_curand

// From 1 to m1, as a double.
QUALIFIERS double curand_MRG32k3a(curandStateMRG32k3a_t* state) {
  using namespace heddle_curand;
  const unsigned long long p1 = (1403580ull * state->s1[1] + 810728ull * (mrg_m1 - state->s1[0])) % mrg_m1;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = (unsigned int)p1;
  const unsigned long long p2 = (527612ull * state->s2[2] + 1370589ull * (mrg_m2 - state->s2[0])) % mrg_m2;
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = (unsigned int)p2;
  return (double)(p1 <= p2 ? p1 + mrg_m1 - p2 : p1 - p2);
}
// Stretched to 32 bits.
QUALIFIERS unsigned int curand(curandStateMRG32k3a_t* state) {
  return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}
QUALIFIERS void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::advance(state, heddle_mrg_step, n);
}
QUALIFIERS void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::advance(state, heddle_mrg_subsequence, n);
}
QUALIFIERS void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::advance(state, heddle_mrg_sequence, n);
}
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateMRG32k3a_t* state) {
  using namespace heddle_curand;
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    const unsigned int x1 = (unsigned int)seed ^ 0x55555555u, x2 = (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; ++i) {
      state->s1[i] = (unsigned int)((unsigned long long)(i == 1 ? x2 : x1) * 12345u % mrg_m1);
      state->s2[i] = (unsigned int)((unsigned long long)(i == 1 ? x1 : x2) * 12345u % mrg_m2);
    }
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
}

#endif
