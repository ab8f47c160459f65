// For hosts with AVX2 and fused multiplication (x86-64-v3): scalars, and vectors of 128 and 256 bits.
#define HEDDLE_MATH_LEVEL fma
#define HEDDLE_MATH_FMA
#include "math/kernels/all.h"

namespace heddle::math::fma {

Codes codes() {
  return {.widths = {{scalar_codes, scalar_codes_flushing, array_codes<1, 1>},
                     {vector_codes<4, 2>, vector_codes_flushing<4, 2>, array_codes<4, 2>},
                     {vector_codes<8, 4>, vector_codes_flushing<8, 4>, array_codes<8, 4>},
                     {}},
          .on_bits = bit_codes};
}

}  // namespace heddle::math::fma
