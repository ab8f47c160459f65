// Sobol' sequences of 32 and 64 bits.
#pragma once

#include <cstdint>
#include <memory>

#include "libs/curand/sequence.h"

namespace heddle::curand {

// The direction vectors of every dimension, one after the other; made when first asked for.
const uint32_t (*direction_vectors_32())[32];
const uint64_t (*direction_vectors_64())[64];
unsigned most_dimensions();

// A call's numbers are those of the first dimension, then as many of each other one.
std::unique_ptr<Sequence> make_sobol(bool wide, bool scrambled, uint64_t offset);

}  // namespace heddle::curand
