#include "checker/reachable_memory.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace heddle::checker {

void ReachableMemory::allocated(const runtime::Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  allocations_[allocation.address] = allocation;
}

void ReachableMemory::released(const runtime::Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  allocations_.erase(allocation.address);
}

std::vector<MemoryPart> ReachableMemory::of(const exec::Launch& launch, const runtime::Context& context,
                                            const analysis::WrittenMemory& written) const {
  const std::lock_guard lock(mutex_);
  std::set<uint64_t> wanted;
  bool known = written.known;
  const auto add = [&](uint64_t address) {
    auto found = allocations_.upper_bound(address);
    if (found == allocations_.begin() || address >= (--found)->second.end()) return false;
    return wanted.insert(found->first), true;
  };
  for (const uint32_t offset : written.parameters) {
    uint64_t address = 0;
    known = known && offset + sizeof address <= launch.params.size();
    if (known) std::memcpy(&address, launch.params.data() + offset, sizeof address);
    known = known && (address == 0 || add(address));
  }
  for (const uint32_t symbol : written.variables) known = known && add(launch.module->symbol_address[symbol]);
  std::vector<MemoryPart> parts;
  for (const auto& [address, allocation] : allocations_) {
    if (known && !wanted.contains(address)) continue;
    if (!allocation.guest_visible || allocation.read_only) continue;
    if (!allocation.every_context && allocation.owner != &context) continue;
    MemoryPart part{address, allocation.bytes, address, allocation.bytes,
                    allocation.kind == runtime::MemoryKind::heap};
    if (allocation.kind != runtime::MemoryKind::reserved) {
      parts.push_back(part);
      continue;
    }
    // Of reserved addresses those where memory is.
    constexpr uint64_t step = uint64_t{64} << 10;
    for (uint64_t begin = address; begin < allocation.end();) {
      uint64_t end = begin;
      while (end < allocation.end() && launch.memory->accessible(end, 1, true)) end += step;
      end = std::min(end, allocation.end());
      if (end > begin) parts.push_back({begin, end - begin, address, allocation.bytes, false});
      begin = std::max(end, begin + step);
    }
  }
  return parts;
}

std::vector<LaunchMemory::Heap> ReachableMemory::heaps() const {
  const std::lock_guard lock(mutex_);
  std::vector<LaunchMemory::Heap> all;
  for (const auto& [address, allocation] : allocations_)
    if (allocation.kind == runtime::MemoryKind::heap) all.push_back({address, allocation.bytes});
  return all;
}

std::optional<LaunchMemory::Heap> ReachableMemory::around(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto found = allocations_.upper_bound(address);
  if (found == allocations_.begin() || address >= (--found)->second.end()) return std::nullopt;
  return LaunchMemory::Heap{found->first, found->second.bytes};
}

}  // namespace heddle::checker
