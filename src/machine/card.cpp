#include "machine/card.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "machine/driver_version.h"
#include "machine/ecc.h"
#include "machine/visible_devices.h"

namespace heddle::machine {

namespace {

std::string place_text(const char* form, const PciPlace& place) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), form, place.domain, place.bus, place.device);
  return text.data();
}

Status<> no_folder() {
  return Error{"no folder can be made where processes know of each other (HEDDLE_STATE_DIR)"};
}

struct Release {
  int cuda;
  std::string_view driver;
};

// CUDA Toolkit release notes, "CUDA Toolkit and Corresponding Driver Versions": Linux, the first of each.
constexpr std::array releases{
    Release{11000, "450.36.06"}, Release{11010, "455.23"},    Release{11020, "460.27.03"},
    Release{11030, "465.19.01"}, Release{11040, "470.42.01"}, Release{11050, "495.29.05"},
    Release{11060, "510.39.01"}, Release{11070, "515.43.04"}, Release{11080, "520.61.05"},
    Release{12000, "525.60.13"}, Release{12010, "530.30.02"}, Release{12020, "535.54.03"},
    Release{12030, "545.23.06"}, Release{12040, "550.54.14"}, Release{12050, "555.42.02"},
    Release{12060, "560.28.03"}, Release{12070, "565.57.01"}, Release{12080, "570.26"},
    Release{12090, "575.51.03"}, Release{13000, "580.65.06"},
};

}  // namespace

Card::Card(const arch::Device& facts, uint32_t number)
    : facts_(facts), number_(number), uuid_(device_uuid(facts.id, number)) {}

std::string Card::bus_id() const { return place_text("%08X:%02X:%02X.0", place()); }
std::string Card::legacy_bus_id() const { return place_text("%04X:%02X:%02X.0", place()); }
uint32_t Card::device_id() const { return facts_.pci.device_id << 16 | facts_.pci.vendor_id; }

std::string_view Card::brand() const {
  for (const std::string_view brand : {"GeForce", "Quadro", "Tesla", "NVS", "TITAN"}) {
    if (facts_.name.find(brand) != facts_.name.npos) return brand == "TITAN" ? "Titan" : brand;
  }
  return facts_.name.find("RTX") != facts_.name.npos ? "NVIDIA RTX" : "NVIDIA";
}

ComputeMode Card::mode() const {
  const DeviceUse* use = DeviceUse::of(uuid_);
  return use == nullptr ? ComputeMode::standard : use->mode();
}

bool Card::persistence() const {
  const DeviceUse* use = DeviceUse::of(uuid_);
  return use != nullptr && use->persistence();
}

bool Card::coming_ecc() const {
  const DeviceUse* use = can_switch_ecc() ? DeviceUse::known(uuid_) : nullptr;
  return use == nullptr ? facts_.board.ecc : use->ecc().value_or(facts_.board.ecc);
}

bool Card::can_switch_ecc() const {
  return facts_.board.ecc_capable && with_ecc(facts_, !facts_.board.ecc) != nullptr;
}

Status<> Card::set_mode(ComputeMode mode) const {
  DeviceUse* use = DeviceUse::of(uuid_);
  if (use == nullptr) return no_folder();
  use->set_mode(mode);
  return Unit{};
}

Status<> Card::set_persistence(bool on) const {
  DeviceUse* use = DeviceUse::of(uuid_);
  if (use == nullptr) return no_folder();
  use->set_persistence(on);
  return Unit{};
}

Status<> Card::set_ecc(bool on) const {
  DeviceUse* use = DeviceUse::of(uuid_);
  if (use == nullptr) return no_folder();
  use->set_ecc(on);
  return Unit{};
}

std::vector<User> Card::users() const {
  const DeviceUse* use = DeviceUse::of(uuid_);
  return use == nullptr ? std::vector<User>() : use->users();
}

uint64_t Card::used_bytes() const {
  uint64_t used = 0;
  for (const User& user : users()) used += user.bytes;
  return std::min(used, total_bytes());
}

uint32_t Card::graphics_mhz() const {
  const uint32_t own = facts_.clock.graphics_khz;
  return (own != 0 ? own : facts_.clock.core_khz) / 1000;
}

// The record has the board's.
uint32_t Card::power_limit_mw() const {
  return facts_.board.power_w * 1000 / std::max(facts_.board.gpus, 1u);
}

Result<std::vector<Card>> cards_of_host() {
  const auto devices = devices_of_host();
  if (!devices) return devices.error();
  std::vector<Card> cards;
  for (const arch::Device* device : *devices)
    cards.emplace_back(*device, static_cast<uint32_t>(cards.size()));
  return cards;
}

std::string_view driver_release(int cuda_version) {
  std::string_view newest = releases.front().driver;
  for (const Release& release : releases) {
    if (release.cuda <= cuda_version) newest = release.driver;
  }
  return newest;
}

}  // namespace heddle::machine
