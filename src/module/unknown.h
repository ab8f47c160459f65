// Kernels that would come to an instruction that is not known (ptx/unknown.h).
#pragma once

#include <string_view>

#include "module/image.h"

namespace heddle::module {

// What is told of the first such instruction in a function or whom it may call; empty: there is none.
std::string_view unknown_instruction(const Image& image, uint32_t function);
// Whether a program has kernels, and each of them would come to one.
bool all_kernels_unknown(const Image& image);

}  // namespace heddle::module
