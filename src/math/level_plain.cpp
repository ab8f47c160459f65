// For hosts without fused multiplication (x86-64-v2). SLEEF's functions for them round each product, so the
// last bit of a result may be another one than on other hosts; the limits hold here too.
#define HEDDLE_MATH_LEVEL plain
#include "math/kernels/all.h"

namespace heddle::math::plain {

Codes codes() {
  return {.widths = {{scalar_codes, scalar_codes_flushing, array_codes<1, 1>},
                     {vector_codes<4, 2>, vector_codes_flushing<4, 2>, array_codes<4, 2>},
                     {},
                     {}},
          .on_bits = bit_codes};
}

}  // namespace heddle::math::plain
