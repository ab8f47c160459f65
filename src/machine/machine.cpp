#include "machine/machine.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "machine/ecc.h"
#include "machine/use.h"
#include "machine/visible_devices.h"
#include "support/setting.h"

namespace heddle::machine {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// As somebody switched their error correction.
std::vector<const arch::Device*> switched(std::vector<const arch::Device*> devices) {
  for (uint32_t number = 0; number < devices.size(); ++number) {
    const arch::Device*& device = devices[number];
    if (!device->board.ecc_capable) continue;
    const DeviceUse* use = DeviceUse::known(device_uuid(device->id, number));
    if (use == nullptr || !use->ecc()) continue;
    if (const arch::Device* other = with_ecc(*device, *use->ecc()); other != nullptr) device = other;
  }
  return devices;
}

}  // namespace

Result<std::vector<const arch::Device*>> devices_of_list(std::string_view list) {
  std::vector<const arch::Device*> devices;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view one = trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (one.empty()) continue;
    const auto device = arch::find_device(one);
    if (!device) return Error{device.error()};
    devices.insert(devices.end(), std::min((*device)->board.gpus, 64u), *device);
  }
  return devices;
}

Result<std::vector<const arch::Device*>> devices_of_host(const Environment& environment) {
  for (const char* variable : {"HEDDLE_DEVICES", "HEDDLE_DEVICE"}) {
    const char* text = environment(variable);
    if (text == nullptr || trim(text).empty()) continue;
    auto devices = devices_of_list(text);
    if (!devices) return Error{std::string(variable) + ": " + devices.error().message};
    if (!(*devices).empty()) return switched(std::move(*devices));
  }
  return switched({&arch::default_device()});
}

Result<std::vector<const arch::Device*>> devices_of_host() {
  if (const Status<>& settings = settings_state(); !settings) return settings.error();
  return devices_of_host(setting);
}

Result<std::vector<HostDevice>> visible_devices_of_host() {
  const auto all = devices_of_host();
  if (!all) return all.error();
  std::vector<HostDevice> devices;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) {
    for (const arch::Device* device : *all)
      devices.push_back({device, static_cast<uint32_t>(devices.size())});
    return devices;
  }
  const auto numbers = visible_devices(list, *all);
  if (!numbers) return numbers.error();
  for (const uint32_t number : *numbers) devices.push_back({(*all)[number], number});
  if (devices.empty())
    return Error{"CUDA_VISIBLE_DEVICES: '" + std::string(list) + "' leaves no device of " +
                 std::to_string((*all).size())};
  return devices;
}

PciPlace pci_place(const arch::Device& device, uint32_t number) {
  return {device.pci.domain, (device.pci.bus + number) & 0xFF, device.pci.slot};
}

}  // namespace heddle::machine
