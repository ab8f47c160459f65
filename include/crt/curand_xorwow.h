// XORWOW, cuRAND's default generator (Marsaglia, "Xorshift RNGs", 2003), and how cuRAND seeds it.
#ifndef HEDDLE_CRT_CURAND_XORWOW_H
#define HEDDLE_CRT_CURAND_XORWOW_H

#include "curand_states.h"

namespace heddle_curand {

// One step of the part that is linear over GF(2).
QUALIFIERS void step(unsigned int (&v)[5]) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// Applies a jump's polynomial: the sum of the steps whose coefficient is one (tools/gen/gen_curand.py).
QUALIFIERS void jump(unsigned int (&v)[5], const unsigned int (&polynomial)[5]) {
  unsigned int sum[5] = {0, 0, 0, 0, 0};
  for (int word = 0; word < 5; ++word) {
    const unsigned int coefficients = polynomial[word];
    for (int bit = 0; bit < 32; ++bit) {
      const unsigned int take = 0u - (coefficients >> bit & 1u);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & take;
      step(v);
    }
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}
QUALIFIERS void jumps(unsigned int (&v)[5], unsigned long long n, int first) {
  for (int k = first; n; ++k, n >>= 1)
    if (n & 1) jump(v, heddle_xorwow_jump[k]);
}

}  // namespace heddle_curand

QUALIFIERS unsigned int curand(curandStateXORWOW_t* state) {
  heddle_curand::step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}
QUALIFIERS void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  state->d += 362437u * (unsigned int)n;
  // Up to here stepping costs less than a jump.
  for (; n > 0 && n < 256; --n) heddle_curand::step(state->v);
  heddle_curand::jumps(state->v, n, 0);
}
// The counter d has period 2^32, so 2^67 steps leave it alone.
QUALIFIERS void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  heddle_curand::jumps(state->v, n, HEDDLE_XORWOW_SUBSEQUENCE);
}
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned int t0 = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
  const unsigned int t1 = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
}

#endif
