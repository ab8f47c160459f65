// Where lanes that do not come to a barrier of their warp go instead, told from the text: what a barrier in a
// branch means depends on it. On a device a lane whose way leads to the kernel's end at once ends there, and
// a barrier goes on without it; any other one waits where the branches meet, and never comes. A loop around a
// barrier that lanes leave at different times is told in any case.
#pragma once

#include <cstdint>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

enum class Absent : uint8_t {
  comes,    // nothing lets lanes pass by
  waits,    // where the branches meet
  may_end,  // some branches lead to the end at once
};

class BarrierJoins {
 public:
  BarrierJoins(const module::Image& image, uint32_t entry);
  // Of the lanes that do not come to this instruction.
  Absent absent(uint32_t function, uint32_t instruction) const;
  // A lane that has ended at `end` has passed by a place where it would have waited for those at `barrier`.
  bool passed_join(uint32_t function, uint32_t end, uint32_t barrier) const;

 private:
  struct Flow {
    std::vector<std::vector<bool>> behind;  // by block: those that every way from there comes to
    std::vector<Absent> absent;             // by block, what the function alone says
  };
  static Flow flow_of(const module::Function& function, bool entry);
  const module::Image& image_;
  const uint32_t entry_;
  std::vector<Flow> flows_;     // by function; empty: not reached
  std::vector<Absent> called_;  // likewise: what its calls' places say
};

}  // namespace heddle::analysis
