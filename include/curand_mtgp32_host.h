// What a program does on the host before its kernels draw from MTGP32 (cuRAND Library, "Bit Generation with
// the MTGP32 generator").
#ifndef CURAND_MTGP32_HOST_H
#define CURAND_MTGP32_HOST_H

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "curand.h"
#include "curand_mtgp32.h"

// The parameters of `params` to the device's `p`.
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                       mtgp32_kernel_params_t* p) {
  mtgp32_kernel_params_t* const h = (mtgp32_kernel_params_t*)malloc(sizeof *h);
  if (h == NULL) return CURAND_STATUS_ALLOCATION_FAILED;
  h->mask[0] = params[0].mask;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    h->pos_tbl[i] = (unsigned int)params[i].pos;
    h->sh1_tbl[i] = (unsigned int)params[i].sh1;
    h->sh2_tbl[i] = (unsigned int)params[i].sh2;
    for (int k = 0; k < TBL_SIZE; ++k) {
      h->param_tbl[i][k] = params[i].tbl[k];
      h->temper_tbl[i][k] = params[i].tmp_tbl[k];
      h->single_temper_tbl[i][k] = params[i].flt_tmp_tbl[k];
    }
  }
  const cudaError_t copied = cudaMemcpy(p, h, sizeof *h, cudaMemcpyHostToDevice);
  free(h);
  return copied == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

// States of `n` blocks, each with the next set of `params`, to the device's `s`; `k` is what
// curandMakeMTGP32Constants filled.
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t* s,
                                                         mtgp32_params_fast_t params[],
                                                         mtgp32_kernel_params_t* k, int n,
                                                         unsigned long long seed) {
  if (n < 0 || n > CURAND_NUM_MTGP32_PARAMS) return CURAND_STATUS_OUT_OF_RANGE;
  curandStateMtgp32_t* const h = (curandStateMtgp32_t*)calloc((size_t)n, sizeof *h);
  if (h == NULL && n > 0) return CURAND_STATUS_ALLOCATION_FAILED;
  const unsigned int folded = (unsigned int)(seed ^ (seed >> 32));
  for (int i = 0; i < n; ++i) {
    unsigned int* const x = h[i].s;
    const unsigned int hidden = params[i].tbl[4] ^ (params[i].tbl[8] << 16);
    unsigned int byte = hidden + (hidden >> 16);
    byte = (byte + (byte >> 8)) & 0xff;
    for (int j = 0; j < MTGPDC_N; ++j) x[j] = byte * 0x01010101u;
    x[0] = folded + (unsigned int)i + 1;
    x[1] = hidden;
    for (int j = 1; j < MTGPDC_N; ++j) x[j] ^= 1812433253u * (x[j - 1] ^ (x[j - 1] >> 30)) + (unsigned int)j;
    h[i].pIdx = i;
    h[i].k = k;
  }
  const cudaError_t copied = cudaMemcpy(s, h, sizeof *h * (size_t)n, cudaMemcpyHostToDevice);
  free(h);
  return copied == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

#endif
