// A name that programs include; the compiler has included what it stands for before the program's first line.
#include "cuda_runtime.h"
