// The arguments of a launch, as both APIs take them.
#pragma once

#include <cstddef>
#include <vector>

#include "api/cuda_state/module.h"

namespace heddle::cuda {

inline constexpr unsigned most_parameter_bytes = 32764;

// The bytes as the kernel's signature lays them out: of pointers to values, or of one buffer (`extra`, as
// cuLaunchKernel describes it).
Answer<std::vector<std::byte>> pack_arguments(const Function& function, void* const* arguments,
                                              void* const* extra);

}  // namespace heddle::cuda
