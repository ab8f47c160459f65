// The devices of the host that a process, its tools and its libraries see.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "support/result.h"

namespace heddle::machine {

using Environment = std::function<const char*(const char* name)>;

// HEDDLE_DEVICES or HEDDLE_DEVICE, else the default: a board with several devices is that many. Before
// CUDA_VISIBLE_DEVICES. The error begins with the variable's name.
Result<std::vector<const arch::Device*>> devices_of_host(const Environment& environment);

// The same of this process, by its environment and its configuration file.
Result<std::vector<const arch::Device*>> devices_of_host();

// The names of a list with commas between, as those variables have it.
Result<std::vector<const arch::Device*>> devices_of_list(std::string_view list);

// One of them, with its number among all of the host.
struct HostDevice {
  const arch::Device* facts = nullptr;
  uint32_t number = 0;
};
// Those that a process sees, in its order: what CUDA_VISIBLE_DEVICES leaves. The error: none.
Result<std::vector<HostDevice>> visible_devices_of_host();

// "0000:01:00.0" has the parts; each device of the host sits on a bus of its own: the one that its record
// names, and those after it.
struct PciPlace {
  uint32_t domain = 0, bus = 0, device = 0;
};
PciPlace pci_place(const arch::Device& device, uint32_t number);

}  // namespace heddle::machine
