// For hosts with AVX-512 (x86-64-v4).
#define HEDDLE_SMALL_LEVEL avx512
#define HEDDLE_SMALL_BYTES 64
#define HEDDLE_SMALL_COLUMNS 8
// OpenBLAS has products of its own for small real matrices there; they are as fast above 8 x 8.
#define HEDDLE_SMALL_REAL 8
#include "libs/cublas/small/kernels.h"
