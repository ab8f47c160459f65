// For hosts with AVX-512 (x86-64-v4).
#define HEDDLE_TEXTURE_LEVEL avx512
#include "exec/jit/texture/kernels/codes.h"
