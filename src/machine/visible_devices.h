// Which of the host's devices a process sees (CUDA C++ Programming Guide, "CUDA Environment Variables":
// CUDA_VISIBLE_DEVICES).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "support/result.h"

namespace heddle::machine {

// Of a device by its name in the catalogue and its number among all of the host.
std::array<unsigned char, 16> device_uuid(std::string_view id, uint32_t number);

// "GPU-ae54c3d1-..." as nvidia-smi -L has it.
std::string uuid_text(const std::array<unsigned char, 16>& uuid);

// The numbers that a list of numbers, or of "GPU-<beginning of a uuid>", names, in its order: up to the first
// that is no device, or is of the other kind. One that is named twice is an error. As a driver reads them
// (tests/hw/h200/answers/visible_devices.txt).
Result<std::vector<uint32_t>> visible_devices(std::string_view list,
                                              const std::vector<const arch::Device*>& all);

}  // namespace heddle::machine
