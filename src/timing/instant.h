// How long a launch takes, at once: from exact counts alone, without simulating anything. A part that is busy
// all the time, or the warps' own way through the program, whichever is longer.
#pragma once

#include "timing/predict.h"
#include "timing/tally.h"

namespace heddle::timing {

Prediction estimate(const Machine&, const IssuedProgram&, const Tallied&, uint32_t resident,
                    uint64_t grid_blocks, uint64_t warps_of_block);

}  // namespace heddle::timing
