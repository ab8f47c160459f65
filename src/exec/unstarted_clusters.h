// What a running grid has not begun yet. A block may ask that one of those clusters never begins, and does
// its work itself (clusterlaunchcontrol, PTX ISA 9.7.13.17).
#pragma once

#include <optional>

#include "exec/fault.h"

namespace heddle::exec {

class UnstartedClusters {
 public:
  // The first block of a cluster that now never begins; nothing when each has begun, or is about to. Called
  // from any thread that runs blocks of the grid.
  virtual std::optional<Dim3> cancel() = 0;

 protected:
  ~UnstartedClusters() = default;
};

}  // namespace heddle::exec
