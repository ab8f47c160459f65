// For hosts with AVX2 and fused multiplication (x86-64-v3).
#define HEDDLE_INNER_LEVEL avx2
#include "libs/cusparse/inner/kernels.h"
