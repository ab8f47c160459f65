// How long copies take on a device.
#pragma once

#include <cstdint>

#include "timing/machine.h"

namespace heddle::timing {

enum class CopyKind : uint8_t { to_device, to_host, within_device, fill };

// The host's memory. What is write-combined is not looked for in the processor's caches.
enum class HostSide : uint8_t { pageable, pinned, write_combined };

// Nanoseconds.
double copy_time(const Machine&, CopyKind, uint64_t bytes, HostSide host);

}  // namespace heddle::timing
