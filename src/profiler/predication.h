// Short branches that NVIDIA's assembler does without: what they jump over stands under a predicate, and
// every warp that comes there issues it, with the lanes of the others switched off
// (spec/assembler/predication.toml).
#pragma once

#include <cstdint>
#include <vector>

#include "arch/values.h"
#include "module/image.h"

namespace heddle::profiler {

class Predication {
 public:
  Predication(const module::Image& image, const module::Function& function, arch::Capability capability);
  // The end of the instructions behind this branch that stand under its predicate; 0: it is a branch.
  uint32_t end_of(uint32_t branch) const { return branch < ends_.size() ? ends_[branch] : 0; }

 private:
  std::vector<uint32_t> ends_;  // by instruction; empty: all are branches
};

}  // namespace heddle::profiler
