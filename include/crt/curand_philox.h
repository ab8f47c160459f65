// Philox4x32-10: a counter, enciphered (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as
// 1, 2, 3", 2011).
#ifndef HEDDLE_CRT_CURAND_PHILOX_H
#define HEDDLE_CRT_CURAND_PHILOX_H

#include "curand_states.h"

QUALIFIERS uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ull * c.x, p1 = 0xCD9E8D57ull * c.z;
    c = make_uint4((unsigned int)(p1 >> 32) ^ c.y ^ k.x, (unsigned int)p1,
                   (unsigned int)(p0 >> 32) ^ c.w ^ k.y, (unsigned int)p0);
    k = make_uint2(k.x + 0x9E3779B9u, k.y + 0xBB67AE85u);
  }
  return c;
}

namespace heddle_curand {
// Adds to the counter of 128 bits.
QUALIFIERS void count(uint4& c, unsigned long long n) {
  const unsigned long long low = ((unsigned long long)c.y << 32 | c.x) + n;
  const unsigned long long high = ((unsigned long long)c.w << 32 | c.z) + (low < n);
  c = make_uint4((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high,
                 (unsigned int)(high >> 32));
}
QUALIFIERS unsigned int part(const uint4& v, unsigned int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
}  // namespace heddle_curand

QUALIFIERS unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const unsigned int result = heddle_curand::part(state->output, state->STATE);
  if (++state->STATE == 4) {
    heddle_curand::count(state->ctr, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
// The next four: what is left of one output, and the first of the next.
QUALIFIERS uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 now = state->output;
  heddle_curand::count(state->ctr, 1);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
  const uint4 next = state->output;
  switch (state->STATE) {
    case 1: return make_uint4(now.y, now.z, now.w, next.x);
    case 2: return make_uint4(now.z, now.w, next.x, next.y);
    case 3: return make_uint4(now.w, next.x, next.y, next.z);
    default: return now;
  }
}
QUALIFIERS void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += (unsigned int)(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    n += 1;
    state->STATE -= 4;
  }
  heddle_curand::count(state->ctr, n);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
// Subsequences are 2^66 numbers apart: the counter's upper half.
QUALIFIERS void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
  state->ctr.z = (unsigned int)high;
  state->ctr.w = (unsigned int)(high >> 32);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

#endif
