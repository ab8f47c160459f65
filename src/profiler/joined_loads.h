// Loads of shared memory that NVIDIA's assembler makes one of: neighbouring words that one block of code
// reads by one base register, where the base is known to be aligned to the words together. Counters of shared
// memory see one request of eight or sixteen bytes a lane.
//
// Source: counters of a GTX 950 (5.2), a GTX 1080 Ti (6.1) and an H200 (9.0) for tiled matrix products, whose
// PTX reads a row of the tile word by word; of an H200 for counts of eigenvalues, which divide between the
// words and join none. Older capabilities were not seen to do it.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/device.h"
#include "module/image.h"

namespace heddle::profiler {

// By instruction of the function. 0: joined with none; `follows`: the access belongs to another's; otherwise
// the bytes of a lane that this one reads for all.
class JoinedLoads {
 public:
  static constexpr uint8_t follows = 0xff;
  JoinedLoads() = default;
  JoinedLoads(const module::Image& image, const module::Function& function);
  uint8_t of(uint32_t instruction) const { return instruction < bytes_.size() ? bytes_[instruction] : 0; }

 private:
  std::vector<uint8_t> bytes_;  // empty: there are none
};

bool joins_loads(const arch::Architecture& arch);

}  // namespace heddle::profiler
