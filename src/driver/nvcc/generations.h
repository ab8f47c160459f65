// -arch, -code and -gencode.
#pragma once

#include "driver/nvcc/settings.h"

namespace heddle::driver::nvcc {

Result<std::vector<Generation>> read_generations(const CommandLine& line);

}  // namespace heddle::driver::nvcc
