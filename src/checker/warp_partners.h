// Operations that lanes of a warp come to together: shuffles, votes and the like, barriers of the warp and of
// the block. Each lane goes through its own in order, and none is done before all members of its mask have
// come to one of the same kind and mask, wherever in the program (PTX ISA 9.7.13). Lanes that have ended
// are not waited for. Two that wait for each other at different ones wait for ever.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "observe/observer.h"

namespace heddle::checker {

class WarpPartners {
 public:
  struct Operation {
    observe::Place place;
    uint32_t kind = 0;          // operations of one kind meet
    observe::Mask members = 0;  // of its mask
    bool same(const Operation& other) const { return kind == other.kind && members == other.members; }
  };
  // `lane` is at `here` and waits for `other_lane`, which is at `there` and waits for `lane`.
  struct Apart {
    unsigned lane = 0, other_lane = 0;
    Operation here, there;
  };
  void begin(observe::Mask lanes) { alive_ |= lanes; }
  std::optional<Apart> exit(observe::Mask lanes);
  std::optional<Apart> come(observe::Mask lanes, const Operation& operation);
  observe::Mask alive() const { return alive_; }

 private:
  using Queues = std::array<std::deque<Operation>, observe::warp_lanes>;
  std::optional<Apart> meet();
  observe::Mask alive_ = 0;
  bool lost_ = false;               // told already, or too much is open: nothing more is said of this warp
  std::unique_ptr<Queues> queues_;  // while a lane waits
};

}  // namespace heddle::checker
