// For every host.
#define HEDDLE_FFT_LEVEL plain
#define HEDDLE_FFT_BYTES 16
#include "libs/fft/kernels/all.h"
