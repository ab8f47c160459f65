// The options of nvvmCompileProgram and nvvmVerifyProgram.
#pragma once

#include <span>

#include "frontend/nvvm.h"
#include "support/result.h"

namespace heddle::nvvm {

// The error names the option.
Result<frontend::NvvmOptions> read_options(std::span<const char* const> list);

}  // namespace heddle::nvvm
