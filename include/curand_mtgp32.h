// The state of cuRAND's MTGP32 generator. Its parameter sets come from the host library, which is not there
// yet: the types let programs that mention it compile.
#ifndef CURAND_MTGP32_H
#define CURAND_MTGP32_H

struct mtgp32_kernel_params;
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;
struct curandStateMtgp32 {
  unsigned int s[1024];
  int offset;
  int pIdx;
  mtgp32_kernel_params_t* k;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

#endif
