// The random generators against published numbers: Philox4x32-10 by the vectors of its authors' Random123 (kat_vectors), MRG32k3a by the first
// numbers of L'Ecuyer's own implementation (RngStreams, all seeds 12345), XORWOW by stepping from where cuRAND seeds it.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_70 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel philox --hex --arg a:out:u32*12 | FileCheck %s --check-prefix=PHILOX
// RUN: %heddle ptx run %t.ptx --kernel mrg --arg f:out:f32*5 --arg same:out:u32*3 | FileCheck %s --check-prefix=MRG
// RUN: %heddle ptx run %t.ptx --kernel xorwow --arg wrong:out:u32*4 | FileCheck %s --check-prefix=XORWOW
// RUN: %heddle ptx run %t.ptx --kernel sobol --arg a:out:u32*8 | FileCheck %s --check-prefix=SOBOL
// RUN: %heddle ptx run %t.ptx --kernel quasi --arg count:out:u32*4 --arg wrong:out:u32*3 | FileCheck %s --check-prefix=QUASI
// RUN: %heddle ptx run %t.ptx --kernel mixed --arg wrong:out:u32*4 | FileCheck %s --check-prefix=MIXED
// RUN: %heddle ptx run %t.ptx --kernel kept --arg wrong:out:u32*18 | FileCheck %s --check-prefix=KEPT
#include <curand_kernel.h>

__device__ void store(unsigned* to, uint4 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w; }

extern "C" __global__ void philox(unsigned* a) {
  store(a, curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0)));
  store(a + 4, curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u)));
  store(a + 8, curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0)));
}
// PHILOX: a: 0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8 0x408f276d 0x41c83b0e 0xa20bc7c6 0x6d5451fd 0xd16cfe09 0x94fdcceb 0x5001e420 0x24126ea1

extern "C" __global__ void mrg(float* f, unsigned* same) {
  curandStateMRG32k3a state, jumped;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 5; ++i) f[i] = (int)(curand_uniform(&state) * 1000000) / 1000000.0f;
  curand_init(5, 0, 0, &state);
  for (int i = 0; i < 1000; ++i) curand(&state);
  curand_init(5, 0, 1000, &jumped);
  same[0] = curand(&state) == curand(&jumped);
  // Two subsequences of one are one of two.
  curand_init(5, 2, 0, &state);
  curand_init(5, 1, 0, &jumped);
  skipahead_subsequence(1, &jumped);
  same[1] = curand(&state) == curand(&jumped);
  skipahead_sequence(3, &state);
  skipahead_sequence(1, &jumped), skipahead_sequence(2, &jumped);
  same[2] = curand(&state) == curand(&jumped);
}
// MRG: f: 0.127011 0.318527 0.309186 0.825846 0.221629
// MRG: same: 1 1 1

extern "C" __global__ void xorwow(unsigned* wrong) {
  curandState state, jumped;
  curand_init(1234, 0, 0, &state);
  unsigned v[5], d = state.d;
  for (int i = 0; i < 5; ++i) v[i] = state.v[i];
  for (int i = 0; i < 5000; ++i) {
    const unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    d += 362437;
    wrong[0] += curand(&state) != v[4] + d;
  }
  curand_init(1234, 0, 5000, &jumped);
  wrong[1] = curand(&jumped) != curand(&state);
  // 2^66 steps twice are one subsequence.
  curand_init(1234, 1, 0, &state);
  curand_init(1234, 0, 0, &jumped);
  for (int i = 0; i < 8; ++i) skipahead(1ull << 63, &jumped), skipahead(1ull << 63, &jumped);
  wrong[2] = curand(&jumped) != curand(&state);
  curand_init(1234, 3, 0, &state);
  curand_init(1234, 1, 0, &jumped);
  skipahead_sequence(2, &jumped);
  wrong[3] = curand(&jumped) != curand(&state);
}
// XORWOW: wrong: 0 0 0 0

// In one dimension the direction vectors are single bits: van der Corput's sequence in the order of Gray codes.
extern "C" __global__ void sobol(unsigned* a) {
  curandDirectionVectors32_t bits;
  for (int i = 0; i < 32; ++i) bits[i] = 0x80000000u >> i;
  curandStateSobol32 state;
  curand_init(bits, 0, &state);
  for (int i = 0; i < 6; ++i) a[i] = curand(&state) >> 29;  // 0 4 6 2 3 7
  curand_init(bits, 5, &state);
  a[6] = curand(&state) >> 29;
  a[7] = (unsigned)(curand_uniform(&state) * 8);            // 5 of 8, and a little
}
// SOBOL: a: 0 4 6 2 3 7 7 5

// Poisson's numbers of a quasi-random sequence: one number of it for each, by the inverse of the distribution. Of 1024 numbers that are evenly spread,
// e^-2 and 2 e^-2 are zeros and ones, and so on.
extern "C" __global__ void quasi(unsigned* count, unsigned* wrong) {
  unsigned vectors[32];
  for (int i = 0; i < 32; ++i) vectors[i] = 1u << (31 - i);
  curandStateSobol32 state;
  curand_init(vectors, 0, &state);
  unsigned seen[4] = {0, 0, 0, 0};
  for (int i = 0; i < 1024; ++i) {
    const unsigned number = curand_poisson(&state, 2.0);
    if (number < 4) ++seen[number];
  }
  for (int i = 0; i < 4; ++i) count[i] = seen[i];
  curand_init(vectors, 1024, &state);
  wrong[0] = state.i != 1024;
  double middle = 0, large = 0;
  for (int i = 0; i < 256; ++i) middle += curand_poisson(&state, 300.0) / 256.0;
  for (int i = 0; i < 256; ++i) large += curand_poisson(&state, 10000.0) / 256.0;
  wrong[1] = fabs(middle - 300) > 1;
  wrong[2] = fabs(large - 10000) > 6;
}
// QUASI: count: 139 277 277 185
// QUASI: wrong: 0 0 0

// Normal and log-normal numbers from one state, as an H200 answered (six digits of them).
extern "C" __global__ void mixed(unsigned* wrong) {
  curandState s;
  curand_init(1, 0, 0, &s);
  const float h200[4] = {-0.875598f, 1.84794f, 0.414897f, 0.221914f};
  for (int i = 0; i < 4; ++i) {
    const float v = i % 2 ? curand_log_normal(&s, 0.f, 1.f) : curand_normal(&s);
    wrong[i] = !(fabsf(v - h200[i]) <= 5e-6f * fabsf(h200[i]));
  }
}
// MIXED: wrong: 0 0 0 0

// Each distribution's call draws its own pair when the other's number is kept; a kept log-normal number has the mean of the call that drew it;
// float and double are kept apart; calls for pairs leave the kept number alone.
template <class State> __device__ void kept_by(unsigned* wrong) {
  State pairs, s;
  curand_init(7, 0, 0, &pairs), curand_init(7, 0, 0, &s);
  float2 p = curand_normal2(&pairs);
  wrong[0] = curand_normal(&s) != p.x;
  p = curand_normal2(&pairs);
  wrong[1] = curand_log_normal(&s, 1.f, 2.f) != expf(1 + 2 * p.x);
  const double2 d = curand_normal2_double(&pairs);
  wrong[2] = curand_normal_double(&s) != d.x;
  const float2 q = curand_normal2(&pairs), r = curand_normal2(&s);
  wrong[3] = q.x != r.x || q.y != r.y;
  wrong[4] = curand_log_normal(&s, 9.f, 9.f) != expf(1 + 2 * p.y);
  wrong[5] = curand_normal_double(&s) != d.y;
}
extern "C" __global__ void kept(unsigned* wrong) {
  kept_by<curandState>(wrong);
  kept_by<curandStatePhilox4_32_10_t>(wrong + 6);
  kept_by<curandStateMRG32k3a_t>(wrong + 12);
}
// KEPT: wrong: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
