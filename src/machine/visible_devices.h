// Which of the host's devices a process sees (CUDA C++ Programming Guide, "CUDA Environment Variables":
// CUDA_VISIBLE_DEVICES).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"

namespace heddle::machine {

// Of a device by its name in the catalogue and its number among all of the host.
std::array<unsigned char, 16> device_uuid(std::string_view id, uint32_t number);

// "GPU-ae54c3d1-..." as nvidia-smi -L has it.
std::string uuid_text(const std::array<unsigned char, 16>& uuid);

// The numbers that a list of numbers and "GPU-<beginning of a uuid>" names, in its order: up to the first
// that is no device or has been named before.
std::vector<uint32_t> visible_devices(std::string_view list, const std::vector<const arch::Device*>& all);

}  // namespace heddle::machine
