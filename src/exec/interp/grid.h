// The blocks of a launch, and whose turn it is.
#pragma once

#include <memory>
#include <vector>

#include "exec/interp/cluster.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

// Runs every block to its end, or the launch to its first fault (Run::fault). Clusters run one after another
// in order, a cooperative launch with all of them at once. Warps that run at the same time take turns.
void run_grid(Run& run);

}  // namespace heddle::exec::interp
