// For hosts with AVX-512 (x86-64-v4), 16 floats or 8 doubles at a time.
#define HEDDLE_MATH_LEVEL avx512
#define HEDDLE_MATH_AVX512
#include "math/kernels/all.h"

namespace heddle::math::avx512 {

Codes codes() {
  return {.widths = {{}, {}, {}, {vector_codes<16, 8>, vector_codes_flushing<16, 8>, array_codes<16, 8>}}};
}

}  // namespace heddle::math::avx512
