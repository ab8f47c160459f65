// What management tools tell of a device of the host: nvidia-smi and NVML say the same, from here.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/use.h"
#include "support/result.h"

namespace heddle::machine {

class Card {
 public:
  Card(const arch::Device& facts, uint32_t number);

  const arch::Device& facts() const { return facts_; }
  uint32_t number() const { return number_; }
  const Uuid& uuid() const { return uuid_; }
  PciPlace place() const { return pci_place(facts_, number_); }
  std::string bus_id() const;         // "00000000:01:00.0"
  std::string legacy_bus_id() const;  // "0000:01:00.0"
  uint32_t device_id() const;         // with its vendor below: 0x233510DE
  std::string_view brand() const;     // "GeForce"

  ComputeMode mode() const;
  bool persistence() const;
  bool has_ecc() const { return facts_.board.ecc || facts_.board.ecc_capable; }
  // Whether processes that begin now have error correction; this one keeps what it began with (facts).
  bool coming_ecc() const;
  // The error: the host has no folder in which processes know of each other.
  Status<> set_mode(ComputeMode mode) const;
  Status<> set_persistence(bool on) const;
  bool can_switch_ecc() const;
  // Of a device that can switch; for processes that begin later.
  Status<> set_ecc(bool on) const;
  std::vector<User> users() const;
  uint64_t total_bytes() const { return facts_.dram.total_bytes; }
  uint64_t used_bytes() const;  // of all processes together, never more than there is

  // Devices that are emulated always run at their clocks.
  uint32_t graphics_mhz() const;
  uint32_t sm_mhz() const { return facts_.clock.core_khz / 1000; }
  uint32_t memory_mhz() const { return facts_.clock.memory_khz / 1000; }
  uint32_t power_limit_mw() const;  // 0: not known
  bool has_nvlinks() const { return facts_.board.nvlinks != 0; }

 private:
  const arch::Device& facts_;
  uint32_t number_;
  Uuid uuid_;
};

// All of the host, whatever CUDA_VISIBLE_DEVICES says.
Result<std::vector<Card>> cards_of_host();

// "580.65.06": of the driver that came with a version of CUDA.
std::string_view driver_release(int cuda_version);

}  // namespace heddle::machine
