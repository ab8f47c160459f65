// For hosts without more than SSE 4.2.
#define HEDDLE_INNER_LEVEL plain
#include "libs/cusparse/inner/kernels.h"
