#include "timing/copy.h"

#include <algorithm>

#include "timing/tables.h"

namespace heddle::timing {

double copy_time(const Machine& machine, CopyKind kind, uint64_t bytes, bool pinned) {
  const arch::Device& device = *machine.device;
  const auto size = static_cast<double>(bytes);
  if (kind == CopyKind::within_device || kind == CopyKind::fill) {
    // A kernel of the driver's own: it reads and writes, or writes, at the rate of the memory.
    const double rate =
        static_cast<double>(arch::theoretical_bandwidth(device)) * machine.constants->efficiency;
    return machine.nanoseconds(machine.launch) + size * (kind == CopyKind::fill ? 1 : 2) / rate * 1e9;
  }
  const uint32_t stated = device.pci.generation;
  const auto wanted = stated != 0 ? stated : static_cast<uint32_t>(machine.constants->pcie);
  const auto& all = pcie_records();
  const auto record =
      std::find_if(all.begin(), all.end(), [&](const PcieRecord& r) { return r.generation >= wanted; });
  const PcieRecord& pcie = record == all.end() ? all.back() : *record;
  const uint32_t lanes = device.pci.lanes != 0 ? device.pci.lanes : 16;
  return pcie.latency + size / (pcie.lane * lanes * (pinned ? pcie.efficiency : pcie.pageable)) * 1e3;
}

}  // namespace heddle::timing
