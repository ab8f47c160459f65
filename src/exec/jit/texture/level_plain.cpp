// For hosts without AVX2 (x86-64-v2).
#define HEDDLE_TEXTURE_LEVEL plain
#include "exec/jit/texture/kernels/codes.h"
