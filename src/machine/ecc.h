// Error correction of a device's memory, which somebody may switch (nvidia-smi -e, NVML).
#pragma once

#include "arch/device.h"

namespace heddle::machine {

// The device with its error correction on or off, itself where it is so; nullptr: it cannot be switched. It
// stays for ever.
const arch::Device* with_ecc(const arch::Device& device, bool on);

}  // namespace heddle::machine
