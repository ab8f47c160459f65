// How many times the banks of shared memory must be asked to serve one access of a warp. Every generation's
// rule: OpenCL Programming Guide C.3.3 and C.4.3, CUDA C Programming Guide G.3.3, G.4.3 and G.5.3; from 5.0
// on as an H200 does it (tests/hw/h200/access).
#pragma once

#include <cstdint>

#include "arch/device.h"
#include "model/warp_access.h"

namespace heddle::model {

struct BankAccess {
  uint32_t requests = 0;    // half-warps on capability 1.x, else 1
  uint32_t wavefronts = 0;  // times that the banks are asked
  uint32_t ideal = 0;       // if no two lanes disagreed about a bank
  uint32_t conflicts() const { return wavefronts - ideal; }
};

// `bank_bytes` is the mode of capability 3.x: one of arch.shared.bank_bytes, 0 for the first.
BankAccess bank_access(const arch::Architecture&, const WarpAccess&, uint32_t bank_bytes = 0);

}  // namespace heddle::model
