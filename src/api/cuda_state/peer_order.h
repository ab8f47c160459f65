// Copies between devices that wait for both.
#pragma once

#include <functional>
#include <vector>

#include "api/cuda_state/context.h"

namespace heddle::cuda {

// "Serialized with respect to all pending and future asynchronous work in the current device, srcDevice and
// dstDevice" (CUDA Runtime API, cudaMemcpyPeer): what `copy` submits to the context `current` runs behind all
// that the contexts have been given, and what they are given later runs behind it.
Status serialized(const ContextRef& current, const std::vector<ContextRef>& others,
                  const std::function<Status()>& copy);

}  // namespace heddle::cuda
