#include "timing/copy.h"

#include "timing/tables.h"

namespace heddle::timing {

double copy_time(const Machine& machine, CopyKind kind, uint64_t bytes, HostSide host) {
  const arch::Device& device = *machine.device;
  const auto size = static_cast<double>(bytes);
  if (kind == CopyKind::within_device || kind == CopyKind::fill) {
    // A kernel of the driver's own: it reads and writes, or writes, at the rate of the memory.
    const double rate = memory_bandwidth(device, *machine.constants);
    return machine.nanoseconds(machine.launch) + size * (kind == CopyKind::fill ? 1 : 2) / rate * 1e9;
  }
  const PcieRecord& pcie = pcie_of(device, *machine.constants);
  const bool combined = host == HostSide::write_combined && kind == CopyKind::to_device;
  const double part = host == HostSide::pageable ? pcie.pageable : combined ? pcie.combined : pcie.efficiency;
  const double latency = host == HostSide::pageable ? pcie.pageable_latency : pcie.latency;
  return latency + size / (host_bandwidth(device, pcie) * part) * 1e9;
}

}  // namespace heddle::timing
