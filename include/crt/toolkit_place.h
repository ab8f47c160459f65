// Where this header lies is where the toolkit lies. A program that has the static runtime inside carries it
// along, because nothing else in the program tells it where to find libheddle.so.0
// (docs/reference/libraries.md); so a toolkit that was moved still finds its own.
#ifndef __HEDDLE_TOOLKIT_PLACE_H__
#define __HEDDLE_TOOLKIT_PLACE_H__

// While clang reads these headers for the host, its own header claims an architecture that no device has.
#if defined(__GNUC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 9999)
#ifdef __cplusplus
extern "C" {
#endif
extern const char heddle_toolkit_place[] __attribute__((weak, visibility("hidden")));
const char heddle_toolkit_place[] = __FILE__;
#ifdef __cplusplus
}
#endif
#endif

#endif
