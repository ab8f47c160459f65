// For who wants to see some blocks of a launch, or the beginnings of warps: visits and accesses of others
// need not be told, which costs next to nothing. It is no need of observer.h: a sink says so itself.
#pragma once

#include <cstdint>

#include "observe/observer.h"

namespace heddle::observe {

// A base of a Sink whose observer needs visits.
class ChoosingSink {
 public:
  virtual bool chooses() const { return true; }
  // This thread begins a block, by its number in the grid, x first: which of its warps are told, a bit each.
  // What `warps` holds is looked at before each visit or access, until the next block begins; the sink takes
  // bits away when it is told something. Others may be told all the same: by blocks that run together, of
  // which none is asked about, and by the reference executor.
  virtual void begin(uint64_t block, uint32_t& warps) = 0;

 protected:
  ~ChoosingSink() = default;
};

// nullptr: the sink is told everything.
inline ChoosingSink* choosing_sink(Sink* sink) {
  auto* found = dynamic_cast<ChoosingSink*>(sink);
  return found != nullptr && found->chooses() ? found : nullptr;
}

}  // namespace heddle::observe
