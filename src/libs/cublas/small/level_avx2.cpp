// For hosts with AVX2 and fused multiplication (x86-64-v3).
#define HEDDLE_SMALL_LEVEL avx2
#define HEDDLE_SMALL_BYTES 32
#define HEDDLE_SMALL_COLUMNS 4
#define HEDDLE_SMALL_REAL most
#include "libs/cublas/small/kernels.h"
