// Scrambled Sobol' sequences: every dimension's direction vectors are multiplied by a random matrix over
// GF(2) that keeps what is above (J. Matousek, "On the L2-discrepancy for anchored boxes", 1998), and its
// numbers combined with a random word.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::curand {

struct Scrambling {
  std::vector<uint64_t> vectors_64, constants_64;
  std::vector<uint32_t> vectors_32, constants_32;  // the upper halves
};
// Of all dimensions; made when first asked for. May throw std::bad_alloc.
const Scrambling& scrambling();

}  // namespace heddle::curand
