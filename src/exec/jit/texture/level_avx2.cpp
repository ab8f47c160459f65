// For hosts with AVX2 (x86-64-v3).
#define HEDDLE_TEXTURE_LEVEL avx2
#include "exec/jit/texture/kernels/codes.h"
