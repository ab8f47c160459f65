// cuRAND's generators in device code (cuRAND Library, "Device API"): the same sequences, from the generators'
// published definitions. Poisson numbers of a mean between 64 and 4000 have the right distribution, but are
// not cuRAND's numbers.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "crt/curand_states.h"

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#ifndef QUALIFIERS
#define QUALIFIERS static __forceinline__ __device__
#endif

#include "curand_precalc.h"

// In this order.
// clang-format off
#include "crt/curand_xorwow.h"
#include "crt/curand_philox.h"
#include "crt/curand_mrg.h"
#include "crt/curand_sobol.h"
#include "crt/curand_uniform.h"
#include "crt/curand_normal.h"
#include "crt/curand_poisson.h"
#include "crt/curand_mtgp32_device.h"
#include "crt/curand_discrete.h"
// clang-format on

#endif

#endif
