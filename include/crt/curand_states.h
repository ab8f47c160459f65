// The states of cuRAND's generators. Host code may hold them too: it has no functions of them.
#ifndef HEDDLE_CRT_CURAND_STATES_H
#define HEDDLE_CRT_CURAND_STATES_H

#include "../vector_types.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;  // of ctr; STATE says which of the four comes next
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define HEDDLE_SOBOL_STATE_(name, bits, word) \
  struct curandState##name {                  \
    word i, x, c;                             \
    word direction_vectors[bits];             \
  };                                          \
  typedef struct curandState##name curandState##name##_t;
HEDDLE_SOBOL_STATE_(Sobol32, 32, unsigned int)
HEDDLE_SOBOL_STATE_(ScrambledSobol32, 32, unsigned int)
HEDDLE_SOBOL_STATE_(Sobol64, 64, unsigned long long)
HEDDLE_SOBOL_STATE_(ScrambledSobol64, 64, unsigned long long)
#undef HEDDLE_SOBOL_STATE_

#endif
