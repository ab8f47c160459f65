// For hosts without more than SSE 4.2.
#define HEDDLE_SMALL_LEVEL plain
#define HEDDLE_SMALL_BYTES 16
#define HEDDLE_SMALL_COLUMNS 4
#define HEDDLE_SMALL_REAL most
#include "libs/cublas/small/kernels.h"
