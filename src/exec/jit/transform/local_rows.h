// Local memory by lanes: what the threads of a warp keep at one place of their frames lies side by side, as
// on a device, so that an access at an index that they share is one row.
//
// A granule (4 or 8 bytes) of lane l at offset o of the frame lies, from the warp's own memory on, at
//   (o / granule * 32 + l) * granule + o % granule
// Only for programs whose local memory nobody else looks at: no generic address leads there, no step and no
// function of its own knows the frame.
#pragma once

#include "exec/fault.h"
#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

// Translates every access of local memory (access_by_lanes) and sets ThreadProgram::local_granule, or leaves
// all as it is. The program is specialised on the block's shape and clean.
void lay_local_memory_by_lanes(ThreadProgram& program, const Dim3& block);

}  // namespace heddle::exec::jit
