// The packed polynomials and initial numbers of Sobol' sequences (tools/gen/gen_sobol.py).
#pragma once

#include <cstdint>

namespace heddle::curand {

extern const unsigned joe_kuo_dimensions;
extern const uint64_t joe_kuo_words[];

}  // namespace heddle::curand
