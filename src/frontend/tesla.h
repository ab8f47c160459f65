// Code for compute capability 1.x, whose devices clang does not know: its PTX for 2.0, brought down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::frontend {

// Those devices have no generic addresses: as in the compilers of their time, a pointer of which nothing is
// known is one to global memory (CUDA C Programming Guide 2.3, B.2.4), and the code never makes generic
// addresses of others. The error names the instruction that has no counterpart.
Result<std::string> lower_to_1x(std::string_view ptx, uint32_t number);

}  // namespace heddle::frontend
