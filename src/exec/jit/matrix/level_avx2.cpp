// For hosts with AVX2 (x86-64-v3).
#define HEDDLE_MATRIX_LEVEL avx2
#include "exec/jit/matrix/kernels/all.h"
