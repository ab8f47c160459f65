// For hosts with AVX-512 (x86-64-v4).
#define HEDDLE_INNER_LEVEL avx512
#include "libs/cusparse/inner/kernels.h"
