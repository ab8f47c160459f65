// A device, as a record.
#pragma once

#include <cupti.h>

#include "runtime/system.h"

namespace heddle::cupti {

CUpti_ActivityDevice6 device_record(const runtime::Device& device);

}  // namespace heddle::cupti
