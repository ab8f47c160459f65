// Sobol' sequences of 32 and 64 bits, plain and scrambled, walked in the order of Gray codes (Joe and Kuo,
// 2003). The direction vectors are the program's, from the host library.
#ifndef HEDDLE_CRT_CURAND_SOBOL_H
#define HEDDLE_CRT_CURAND_SOBOL_H

#include "curand_states.h"

#define HEDDLE_SOBOL_(name, bits, word)                                \
  QUALIFIERS word curand(curandState##name##_t* state) {               \
    const word result = state->x;                                      \
    const word place = ~state->i;                                      \
    const int zero = place ? __ffsll((long long)place) - 1 : bits - 1; \
    state->x ^= state->direction_vectors[zero];                        \
    state->i++;                                                        \
    return result;                                                     \
  }                                                                    \
  QUALIFIERS void skipahead(word n, curandState##name##_t* state) {    \
    state->x = state->c;                                               \
    state->i += n;                                                     \
    const word gray = state->i ^ (state->i >> 1);                      \
    for (int k = 0; k < bits; ++k)                                     \
      if (gray >> k & 1) state->x ^= state->direction_vectors[k];      \
  }
#define HEDDLE_SOBOL_INIT_(name, bits, word, vectors)                                                 \
  QUALIFIERS void curand_init(vectors direction_vectors, word offset, curandState##name##_t* state) { \
    state->i = 0;                                                                                     \
    state->c = 0;                                                                                     \
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = direction_vectors[k];                \
    skipahead(offset, state);                                                                         \
  }
#define HEDDLE_SOBOL_SCRAMBLED_INIT_(name, bits, word, vectors)                        \
  QUALIFIERS void curand_init(vectors direction_vectors, word scramble_c, word offset, \
                              curandState##name##_t* state) {                          \
    state->i = 0;                                                                      \
    state->c = scramble_c;                                                             \
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = direction_vectors[k]; \
    skipahead(offset, state);                                                          \
  }
HEDDLE_SOBOL_(Sobol32, 32, unsigned int)
HEDDLE_SOBOL_(ScrambledSobol32, 32, unsigned int)
HEDDLE_SOBOL_(Sobol64, 64, unsigned long long)
HEDDLE_SOBOL_(ScrambledSobol64, 64, unsigned long long)
HEDDLE_SOBOL_INIT_(Sobol32, 32, unsigned int, curandDirectionVectors32_t)
HEDDLE_SOBOL_INIT_(Sobol64, 64, unsigned long long, curandDirectionVectors64_t)
HEDDLE_SOBOL_SCRAMBLED_INIT_(ScrambledSobol32, 32, unsigned int, curandDirectionVectors32_t)
HEDDLE_SOBOL_SCRAMBLED_INIT_(ScrambledSobol64, 64, unsigned long long, curandDirectionVectors64_t)
#undef HEDDLE_SOBOL_SCRAMBLED_INIT_
#undef HEDDLE_SOBOL_INIT_
#undef HEDDLE_SOBOL_

#endif
