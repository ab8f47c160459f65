#include "cuda_awbarrier_primitives.h"
