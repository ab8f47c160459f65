// For loops that wait for another thread, and know that it will not be long.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle {

inline void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace heddle
