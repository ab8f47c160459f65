// MTGP32 in device code (cuRAND Library, "Bit Generation with the MTGP32 generator"): the threads of a block
// share a state, and each call takes one number for each of them. At most 256 threads, and all of them call.
#ifndef HEDDLE_CRT_CURAND_MTGP32_DEVICE_H
#define HEDDLE_CRT_CURAND_MTGP32_DEVICE_H

#include "../curand_mtgp32.h"

namespace heddle_curand {

struct Mtgp32Drawn {
  unsigned int word, tempering;
};
QUALIFIERS unsigned int at(const curandStateMtgp32_t* state, unsigned int place) {
  return state->s[(state->offset + place) & MTGP32_STATE_MASK];
}
// The number that stands `index` places ahead, and what its tempering looks at.
QUALIFIERS Mtgp32Drawn draw(curandStateMtgp32_t* state, unsigned int index) {
  const mtgp32_kernel_params_t* const k = state->k;
  const int set = state->pIdx;
  const unsigned int position = k->pos_tbl[set];
  unsigned int x = (at(state, index) & k->mask[0]) ^ at(state, index + 1);
  x ^= x << k->sh1_tbl[set];
  const unsigned int y = x ^ (at(state, index + position) >> k->sh2_tbl[set]);
  const unsigned int made = y ^ k->param_tbl[set][y & 15];
  unsigned int t = at(state, index + position - 1);
  t ^= t >> 16;
  t ^= t >> 8;
  state->s[(state->offset + index + MTGPDC_N) & MTGP32_STATE_MASK] = made;
  return {made, t & 15};
}
// `count` numbers are taken when all of the block's threads have theirs.
QUALIFIERS void advance(curandStateMtgp32_t* state, unsigned int count, bool first) {
  __syncthreads();
  if (first) state->offset = (state->offset + count) & MTGP32_STATE_MASK;
  __syncthreads();
}
QUALIFIERS unsigned int thread_of_block() {
  return (blockDim.y * threadIdx.z + threadIdx.y) * blockDim.x + threadIdx.x;
}
QUALIFIERS unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

QUALIFIERS unsigned int whole(const curandStateMtgp32_t* state, Mtgp32Drawn drawn) {
  return drawn.word ^ state->k->temper_tbl[state->pIdx][drawn.tempering];
}
// From 1 to 2, as the generator's authors and NVIDIA's function have it.
QUALIFIERS float single(const curandStateMtgp32_t* state, Mtgp32Drawn drawn) {
  return __uint_as_float((drawn.word >> 9) ^ state->k->single_temper_tbl[state->pIdx][drawn.tempering]);
}

}  // namespace heddle_curand

QUALIFIERS unsigned int curand(curandStateMtgp32_t* state) {
  const unsigned int thread = heddle_curand::thread_of_block();
  const unsigned int result = heddle_curand::whole(state, heddle_curand::draw(state, thread));
  heddle_curand::advance(state, heddle_curand::threads_of_block(), thread == 0);
  return result;
}
// For a block of which `n` threads draw, `index` of each different and below n: all that have not ended call.
QUALIFIERS unsigned int curand_mtgp32_specific(curandStateMtgp32_t* state, unsigned char index,
                                               unsigned char n) {
  const unsigned int result = heddle_curand::whole(state, heddle_curand::draw(state, index));
  heddle_curand::advance(state, n, index == 0);
  return result;
}
QUALIFIERS float curand_mtgp32_single(curandStateMtgp32_t* state) {
  const unsigned int thread = heddle_curand::thread_of_block();
  const float result = heddle_curand::single(state, heddle_curand::draw(state, thread));
  heddle_curand::advance(state, heddle_curand::threads_of_block(), thread == 0);
  return result;
}
QUALIFIERS float curand_mtgp32_single_specific(curandStateMtgp32_t* state, unsigned char index,
                                               unsigned char n) {
  const float result = heddle_curand::single(state, heddle_curand::draw(state, index));
  heddle_curand::advance(state, n, index == 0);
  return result;
}

QUALIFIERS float curand_uniform(curandStateMtgp32_t* state) { return _curand_uniform(curand(state)); }
QUALIFIERS double curand_uniform_double(curandStateMtgp32_t* state) {
  return _curand_uniform_double(curand(state));
}
QUALIFIERS float curand_normal(curandStateMtgp32_t* state) { return _curand_normal_icdf(curand(state)); }
QUALIFIERS double curand_normal_double(curandStateMtgp32_t* state) {
  return _curand_normal_icdf_double(curand(state));
}
QUALIFIERS float curand_log_normal(curandStateMtgp32_t* state, float mean, float stddev) {
  return expf(mean + stddev * curand_normal(state));
}
QUALIFIERS double curand_log_normal_double(curandStateMtgp32_t* state, double mean, double stddev) {
  return exp(mean + stddev * curand_normal_double(state));
}

#endif
