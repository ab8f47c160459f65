// Parts of a random program in which threads wait for what others do, and whose outcome does not depend on
// who comes first.
#pragma once

#include "ptx/random_writer.h"

namespace heddle::ptx::testing {

// Words of zeros in global memory from %flags on: each part takes some of them and leaves there what is
// laid down.
struct WaitRoom {
  uint32_t blocks = 1;
  bool lanes = false;     // lanes may wait for lanes of their own warp
  bool together = false;  // blocks may wait for later ones
  uint32_t taken = 0;     // bytes
};

// For a place that all threads of the grid come to once, each block's together, with %lin, %gt and %slot.
void write_wait(ProgramText& program, WaitRoom& room);

}  // namespace heddle::ptx::testing
