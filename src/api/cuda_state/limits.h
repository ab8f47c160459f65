// A context's limits (cuCtxSetLimit, cudaDeviceSetLimit), by the numbers that both APIs give them.
#pragma once

#include <optional>

#include "api/cuda_state/context.h"

namespace heddle::cuda {

// Those that change what programs do; the others are hints.
std::optional<runtime::ContextLimit> enforced_limit(int number);
Answer<uint64_t> limit_of(Context& context, int number);
Status set_limit(Context& context, int number, uint64_t value);

}  // namespace heddle::cuda
