// clang generates what a host program needs to register its kernels and variables; nothing is to be declared
// for it. clang's wrapper includes this file as the last before it declares and calls libdevice's functions.
#include "fast_math.h"
#include "warp_without_mask.h"
