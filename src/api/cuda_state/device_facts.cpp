#include "api/cuda_state/device_facts.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdio>

#include "machine/machine.h"
#include "machine/use.h"
#include "machine/visible_devices.h"

namespace heddle::cuda {
namespace {

using machine::PciPlace;

PciPlace pci_place(const Device& device) {
  return machine::pci_place(device.facts(), device.runtime().number_on_host);
}

}  // namespace

Answer<int> device_attribute(const Device& device, int attribute) {
  const auto found = arch::find_cuda_attribute(attribute);
  if (!found) return invalid_value("no device attribute has the number " + std::to_string(attribute));
  if (*found == arch::Attribute::pci_bus_id) return static_cast<int>(pci_place(device).bus);
  // Set by nvidia-smi, also while the process runs.
  if (*found == arch::Attribute::compute_mode) {
    const machine::DeviceUse* use = machine::DeviceUse::of(device_uuid(device));
    return use == nullptr ? 0 : static_cast<int>(use->mode());
  }
  // The devices can, but here such launches are refused (cuLaunchCooperativeKernelMultiDevice): who asks is
  // told so.
  if (*found == arch::Attribute::cooperative_multi_device_launch) return 0;
  // By switches, which join boards: one alone has none.
  if (*found == arch::Attribute::multicast_supported) {
    const auto able = [](const Device& one) { return one.facts().board.nvlink_multicast; };
    return able(device) && std::ranges::count_if(Process::get().devices(), able) > 1 ? 1 : 0;
  }
  const arch::AttributeValue& value = device.facts().attribute(*found);
  return static_cast<int>(std::clamp<int64_t>(value.number, INT_MIN, INT_MAX));
}

std::string pci_bus_id(const Device& device) {
  const PciPlace place = pci_place(device);
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", place.domain, place.bus, place.device);
  return text;
}

Answer<Device*> find_device_by_pci(Process& process, const char* id) {
  // "[domain]:[bus]:[device].[function]", without the function, or without domain and function
  // (cuDeviceGetByPCIBusId).
  PciPlace asked;
  unsigned function = 0;
  int used = 0;
  const std::string text = id;
  const auto whole = [&](int count, int wanted) {
    return count >= wanted && static_cast<std::size_t>(used) == text.size();
  };
  const bool read =
      whole(std::sscanf(id, "%x:%x:%x.%x%n", &asked.domain, &asked.bus, &asked.device, &function, &used),
            4) ||
      whole(std::sscanf(id, "%x:%x:%x%n", &asked.domain, &asked.bus, &asked.device, &used), 3) ||
      (asked.domain = 0, whole(std::sscanf(id, "%x:%x%n", &asked.bus, &asked.device, &used), 2));
  if (!read) return invalid_value("'" + text + "' is no place on a PCI bus");
  for (Device& device : process.devices()) {
    const PciPlace place = pci_place(device);
    if (place.domain == asked.domain && place.bus == asked.bus && place.device == asked.device &&
        function == 0)
      return &device;
  }
  return failure(Code::invalid_device, "no device is at '" + text + "'");
}

std::array<unsigned char, 16> device_uuid(const Device& device) {
  return machine::device_uuid(device.facts().id, device.runtime().number_on_host);
}

DeviceIdentity device_identity(const Device& device) {
  return std::bit_cast<DeviceIdentity>(device_uuid(device));
}

Answer<Device*> find_device_by_identity(Process& process, const DeviceIdentity& identity) {
  if (Status ready = process.state(); !ready) return ready.error();
  for (Device& device : process.devices())
    if (device_identity(device) == identity) return &device;
  const auto uuid = std::bit_cast<std::array<unsigned char, 16>>(identity);
  return failure(Code::invalid_device,
                 "it is of device " + machine::uuid_text(uuid) + ", which this process does not see");
}

bool can_access_peer(const Device& device, const Device& peer) {
  const auto unified = [](const Device& d) {
    return d.facts().attribute(arch::Attribute::unified_addressing).number != 0;
  };
  return &device != &peer && unified(device) && unified(peer);
}

}  // namespace heddle::cuda
