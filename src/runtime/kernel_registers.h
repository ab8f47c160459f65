// What a kernel's registers leave of a block. The numbers are estimates: docs/reference/registers.md.
#pragma once

#include <cstdint>

#include "runtime/module.h"

namespace heddle::runtime {

// Of a thread: the low end of the estimate, which decides what is refused.
uint32_t least_registers(const Kernel&);
// Of a block, as if registers were no limit: what the device takes, or what the kernel was compiled for.
uint32_t promised_threads(const Kernel&);
// A block of so many has room in the register file whatever the kernel takes: nothing is estimated for it.
bool always_fits(const Kernel&, uint64_t threads);

}  // namespace heddle::runtime
