// What tests of those who watch launches have in common.
#pragma once

#include "arch/device.h"
#include "exec/launch.h"
#include "timing/issued.h"
#include "timing/machine.h"

namespace heddle::timing::testing {

inline Machine h200() { return *make_machine(**arch::find_device("h200")); }

// A place at which warps do so many operations.
inline IssuedProgram program_of(uint32_t operations) {
  IssuedBody body;
  body.run_at = {0};
  body.runs = {{.first = 0, .end = 1, .operations = operations}};
  return {{body}};
}

inline exec::LaunchShape shape_of(uint32_t blocks, uint32_t threads) {
  exec::LaunchShape shape;
  shape.grid.x = blocks;
  shape.block.x = threads;
  return shape;
}

}  // namespace heddle::timing::testing
