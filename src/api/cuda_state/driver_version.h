// The version that the driver says it is (machine/driver_version.h), as an API answers it.
#pragma once

#include "api/cuda_state/code.h"
#include "machine/driver_version.h"

namespace heddle::cuda {

using machine::newest_driver_version;

// HEDDLE_DRIVER_VERSION, else the newest. The same in all of a process's life.
Answer<int> driver_version();

}  // namespace heddle::cuda
