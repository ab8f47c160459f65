// Which branches an assembler makes instructions under a predicate (spec/assembler/predication.toml).
#pragma once

#include "analysis/predication.gen.h"
#include "arch/values.h"

namespace heddle::analysis {

constexpr const PredicationLimit& predication_limit(arch::Capability capability) {
  const PredicationLimit* limit = &predication_limits.front();
  for (const PredicationLimit& one : predication_limits)
    if (capability.number() >= one.from) limit = &one;
  return *limit;
}

}  // namespace heddle::analysis
