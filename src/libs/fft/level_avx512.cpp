// For hosts with AVX-512 (x86-64-v4).
#define HEDDLE_FFT_LEVEL avx512
#define HEDDLE_FFT_BYTES 64
#include "libs/fft/kernels/all.h"
