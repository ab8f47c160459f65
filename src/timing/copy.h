// How long copies take on a device.
#pragma once

#include <cstdint>

#include "timing/machine.h"

namespace heddle::timing {

enum class CopyKind : uint8_t { to_device, to_host, within_device, fill };

// Nanoseconds. `pinned`: the host's side is page-locked.
double copy_time(const Machine&, CopyKind, uint64_t bytes, bool pinned);

}  // namespace heddle::timing
