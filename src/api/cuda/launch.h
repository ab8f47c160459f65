// A launch as the driver API describes it, in its several ways.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "api/cuda/objects.h"
#include "api/cuda_state/arguments.h"
#include "api/cuda_state/launch_attributes.h"
#include "runtime/launch.h"

namespace heddle::cu {

struct Launch {
  exec::Dim3 grid, block;
  std::optional<exec::Dim3> cluster;
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  CUstream stream = nullptr;
  cuda::LaunchWishes wishes = {};
};
Answer<Launch> launch_of(const CUlaunchConfig& config);
// Arguments come as pointers to values, or as one buffer (`extra`).
Status launch_function(CUfunction function, const Launch& launch, void* const* arguments, void* const* extra);
// What cuFuncSetBlockShape and cuParamSet* keep with a function for cuLaunch*.
struct OldLaunch {
  exec::Dim3 block{1, 1, 1};
  uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;
};
Status change_old_launch(CUfunction function, const std::function<Status(OldLaunch&)>& change);
Status launch_old(CUfunction function, const exec::Dim3& grid, CUstream stream);

}  // namespace heddle::cu
