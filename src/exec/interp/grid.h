// The blocks of a launch, and whose turn it is.
#pragma once

#include <memory>
#include <vector>

#include "exec/interp/cluster.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

// Runs every block to its end, or the launch to its first fault (Run::fault). Clusters run one after another
// in order, a cooperative launch with all of them at once. Warps that run at the same time take turns. With
// several `threads` each takes the next cluster when it has ended one (team.h).
//
// But a cluster may wait for one that has not begun. On a device that ends, where all clusters of a grid that
// fits are there from the start. So when nobody who is there has changed memory for some rounds, and all look
// at what others write, as many clusters again begin, up to what the device holds. And as a look may come
// with changes, a lock taken and given back: when none of them has ended for some time, the fewer the longer
// it has lasted.
void run_grid(Run& run, unsigned threads);

}  // namespace heddle::exec::interp
