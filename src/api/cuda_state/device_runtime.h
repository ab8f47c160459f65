// What the device runtime (runtime/device_runtime.h) cannot know: the API's numbers and structures.
#pragma once

#include "runtime/device_runtime.h"

namespace heddle::cuda {

const runtime::DeviceRuntimeApi& device_runtime_api();

}  // namespace heddle::cuda
