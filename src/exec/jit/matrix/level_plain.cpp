// For every host (x86-64-v2).
#define HEDDLE_MATRIX_LEVEL plain
#include "exec/jit/matrix/kernels/all.h"
