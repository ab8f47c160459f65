// What NVIDIA's assembler would report for a kernel, as far as that can be told from PTX: an estimate.
#pragma once

#include <cstdint>

#include "arch/device.h"
#include "module/image.h"

namespace heddle::analysis {

struct RegisterEstimate {
  uint32_t registers = 0;      // of a thread
  uint32_t spilled_bytes = 0;  // of a thread, for what the limits leave no register
};
// Of the kernel and all that it may call. Its directives limit it, and `limit`, as -maxrregcount; 0: none.
RegisterEstimate estimate_registers(const module::Image&, uint32_t entry, const arch::Architecture&,
                                    uint32_t limit = 0);

}  // namespace heddle::analysis
