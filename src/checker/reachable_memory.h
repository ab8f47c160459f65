// Which memory a kernel may write, of what is allocated now: what its text says, and where that is not known,
// all that it can reach.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/written_memory.h"
#include "checker/launch_memory.h"
#include "exec/launch.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class ReachableMemory {
 public:
  void allocated(const runtime::Allocation& allocation);
  void released(const runtime::Allocation& allocation);

  std::vector<MemoryPart> of(const exec::Launch& launch, const runtime::Context& context,
                             const analysis::WrittenMemory& written) const;
  std::vector<LaunchMemory::Heap> heaps() const;
  // The allocation that the address is in.
  std::optional<LaunchMemory::Heap> around(uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, runtime::Allocation> allocations_;  // by address
};

}  // namespace heddle::checker
