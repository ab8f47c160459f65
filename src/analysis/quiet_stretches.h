// Where a block's shared memory is only read between two of its barriers, told from the text alone: there no
// two threads can be in each other's way.
#pragma once

#include <cstdint>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

// Of a kernel's own code, by instruction. What a thread can come to between two barriers of the whole block
// is a stretch; one is quiet if nothing there writes or changes shared memory. That says something about a
// block as long as all of its threads came through the same barrier into the stretch, which who runs it must
// see to.
struct QuietStretches {
  std::vector<bool> barriers;  // that are between two stretches: of all threads, not guarded
  std::vector<bool> quiet;     // instructions in quiet stretches; empty: there are none
};

// Nothing is quiet where copies write shared memory without being waited for by a barrier, or where barriers
// stand in functions.
QuietStretches quiet_stretches(const module::Image& image, uint32_t entry);

}  // namespace heddle::analysis
