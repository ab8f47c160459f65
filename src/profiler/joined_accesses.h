// Accesses of shared memory that NVIDIA's assembler makes one of: neighbouring words that one block of code
// reads, or writes, by one base, where the base is known to be aligned to the words together. Counters of
// shared memory see one request of eight or sixteen bytes a lane: a load where the first of them was, a store
// where the last.
//
// Source: counters of a GTX 950 (5.2), a GTX 1080 Ti (6.1) and an H200 (9.0) for tiled matrix products, whose
// PTX reads a row of the tile word by word; of an H200 for counts of eigenvalues, which divide between the
// words and join none, and for a merge sort that sets three pairs of variables. Older capabilities were not
// seen to do it.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/device.h"
#include "module/image.h"

namespace heddle::profiler {

struct Joined {
  static constexpr uint8_t another = 0xff;
  uint8_t bytes = 0;   // of a lane, of all words; 0: joined with none; `another`: counted with another access
  uint8_t before = 0;  // how far before this access's address they begin
};

class JoinedAccesses {
 public:
  JoinedAccesses() = default;
  JoinedAccesses(const module::Image& image, const module::Function& function);
  Joined of(uint32_t instruction) const { return instruction < all_.size() ? all_[instruction] : Joined(); }

 private:
  std::vector<Joined> all_;  // by instruction of the function; empty: there are none
};

bool joins_accesses(const arch::Architecture& arch);

}  // namespace heddle::profiler
