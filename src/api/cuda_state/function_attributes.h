// The runtime API's structure about a kernel, for host and device code alike.
#pragma once

#include <driver_types.h>

#include "runtime/module.h"

namespace heddle::cuda {

cudaFuncAttributes function_attributes(const runtime::Kernel& kernel);

}  // namespace heddle::cuda
