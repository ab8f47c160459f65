// MTGP32, a Mersenne Twister for graphics processors (M. Saito and M. Matsumoto, 2010).
#pragma once

#include <cstdint>
#include <memory>

#include "libs/curand/sequence.h"

namespace heddle::curand {

struct Mtgp32Set {
  uint32_t position, left, right;
  uint32_t recurrence[16], tempering[16];
};
// Of the record spec/random/mtgp32.toml.
extern const unsigned mtgp32_sets;
extern const uint32_t mtgp32_mask;
extern const Mtgp32Set mtgp32_set[];

std::unique_ptr<Sequence> make_mtgp32(Order order, uint64_t seed);

}  // namespace heddle::curand
