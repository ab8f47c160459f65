#include "machine/ecc.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "arch/record.h"

namespace heddle::machine {

namespace {

// The GDDR5 of 2.x has no bits of its own for it: an eighth of the memory goes there (a Tesla C2050 has 2.625
// of 3 GB). What later boards of GDDR lose is in their records and does not come back here.
uint64_t memory_of(const arch::Device& device, bool on) {
  const bool in_memory = device.capability() < arch::Capability{3, 0} && device.dram.kind == "GDDR5";
  if (!in_memory) return device.dram.total_bytes;
  return on ? device.dram.total_bytes / 8 * 7 : device.dram.total_bytes / 7 * 8;
}

}  // namespace

const arch::Device* with_ecc(const arch::Device& device, bool on) {
  if (device.board.ecc == on) return &device;
  if (!device.board.ecc_capable || arch::record(device).empty()) return nullptr;
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<const arch::Device*, bool>, std::optional<arch::Device>>;
  const std::lock_guard lock(mutex);
  auto& made = known[{&device, on}];
  if (!made) {
    auto other = arch::read_record(
        device.id, device.id,
        "like = \"" + std::string(device.id) + "\"\nboard = { ecc = " + (on ? "true" : "false") +
            " }\ndram = { total_bytes = " + std::to_string(memory_of(device, on)) + " }\n");
    if (!other) return nullptr;
    made = std::move(*other);
  }
  return &*made;
}

}  // namespace heddle::machine
