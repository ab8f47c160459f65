// For hosts with AVX-512 (x86-64-v4).
#define HEDDLE_MATRIX_LEVEL avx512
#include "exec/jit/matrix/kernels/all.h"
