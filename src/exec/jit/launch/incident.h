// What went wrong in native code, on its way to a Fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/launch.h"
#include "module/image.h"

namespace heddle::exec::jit {

struct Incident {
  FaultKind kind = FaultKind::illegal_address;
  uint32_t site = module::none;    // CompiledKernel::sites
  std::optional<uint32_t> thread;  // of the block; nothing: one of a group
  uint64_t address = 0;            // as the program sees it in `space`
  uint32_t bytes = 0;              // 0: no access
  bool write = false;
  module::Space space = module::Space::generic;
  std::string detail;
};

// The access of a site's instruction: what is known of it without a thread.
struct SiteAccess {
  module::Space space = module::Space::generic;
  uint32_t bytes = 0;                // of one thread; 0: no access that is known
  bool read = false, write = false;  // both: an atomic
  bool of_cluster = false;           // in shared memory: of any block of the cluster
};
SiteAccess access_of(const module::Image& image, const Site& site);

// A load may have become part of the machine instruction that uses its value. The sites of loads whose values
// the instruction of a site uses, directly or by way of a few others.
std::vector<uint32_t> loads_used_by(const module::Image& image, const CompiledKernel& kernel, uint32_t site);

Fault make_fault(const Launch& launch, const CompiledKernel& kernel, const Context& context,
                 const Incident& incident);
// Where an instruction without a line of its own was called from, for a fault of a step.
void add_line(Fault& fault, const module::Image& image, const CompiledKernel& kernel, uint32_t site);

// In words, as the reference executor has them. `rank`: of the block in its cluster.
std::string describe_access(const Launch& launch, uint32_t rank, FaultKind kind, module::Space space,
                            uint64_t address, uint32_t bytes, bool write, uint64_t local_bytes);

}  // namespace heddle::exec::jit
