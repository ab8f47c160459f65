// What both APIs answer about a device.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "api/cuda_state/device.h"

namespace heddle::cuda {

// By the number that both APIs give an attribute (CUdevice_attribute, cudaDeviceAttr).
Answer<int> device_attribute(const Device& device, int attribute);
std::string pci_bus_id(const Device& device);  // "0000:01:00.0"
Answer<Device*> find_device_by_pci(Process& process, const char* id);
// The same for the same device of the same machine; two devices of a process differ.
std::array<unsigned char, 16> device_uuid(const Device& device);
// A device in what other processes are given: they may see other devices (CUDA_VISIBLE_DEVICES), and this one
// under another number. None by that identity is an error that says so.
using DeviceIdentity = std::array<uint64_t, 2>;
DeviceIdentity device_identity(const Device& device);
Answer<Device*> find_device_by_identity(Process& process, const DeviceIdentity& identity);
// Kernels of one may use the memory of the other: devices of a kind that has unified addresses.
bool can_access_peer(const Device& device, const Device& peer);

}  // namespace heddle::cuda
