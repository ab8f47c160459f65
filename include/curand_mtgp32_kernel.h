// In CUDA mode clang includes this file last of all that it includes by itself: here is the place for what
// needs everything before it. Programs that ask for cuRAND's MTGP32 by this name get it from curand_mtgp32.h.
#if defined(__HEDDLE_CUDA__) && !defined(HEDDLE_WRAPPER_ENDED)
#define HEDDLE_WRAPPER_ENDED
// clang redefines both names around this file.
#pragma push_macro("dim3")
#pragma push_macro("uint3")
#undef dim3
#undef uint3
#include "crt/wrapper_end.h"
#pragma pop_macro("dim3")
#pragma pop_macro("uint3")
#else
#include "curand_mtgp32.h"
#endif
