// The version that the driver says it is.
#pragma once

#include "api/cuda_state/code.h"

namespace heddle::cuda {

// The newest whose functions are all in the tables, and whose PTX is read.
inline constexpr int newest_driver_version = 13000;

// "13.0" or "12.5" as CUDA numbers them: 13000, 12050.
Answer<int> parse_driver_version(const char* text);
// HEDDLE_DRIVER_VERSION, else the newest. The same in all of a process's life.
Answer<int> driver_version();

}  // namespace heddle::cuda
