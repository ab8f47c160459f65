// What is kept of a compiled kernel, as bytes: the payload of a cache entry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/jit/abi/lanes.h"
#include "exec/jit/abi/site.h"

namespace heddle::exec::jit {

struct KernelRecord {
  std::string object;       // empty: not for machine code, `reason` says why
  std::string slow_object;  // of the slow parts, when they are apart
  uint64_t slow_parts = 0;
  std::string reason;
  std::vector<Site> sites;
  std::vector<AccessLanes> lanes;
  uint64_t slot_bytes = 0, local_bytes = 0;
  uint64_t local_granule = 0;
  uint64_t merged_blocks = 1;
  uint64_t vector_instructions = 0;  // of vector code that was too long for quick code
  bool uses_shared = false, uses_steps = false, by_threads = false, by_warps = false, blocks_wait = false;
  bool watches = false;
  bool flush_mode = false, recursive = false;
};

std::string write_record(const KernelRecord& record);
std::optional<KernelRecord> read_record(std::string_view bytes);

}  // namespace heddle::exec::jit
