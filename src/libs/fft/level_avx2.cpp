// For hosts with AVX2 and fused multiplication (x86-64-v3).
#define HEDDLE_FFT_LEVEL avx2
#define HEDDLE_FFT_BYTES 32
#include "libs/fft/kernels/all.h"
