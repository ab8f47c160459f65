// The low end of an estimate: what decides where a wrong answer would keep a kernel from running.
#pragma once

#include <cstdint>

#include "analysis/registers/estimate.h"

namespace heddle::analysis {

// The estimate less how far it may be above what NVIDIA's assembler uses (spec/registers).
uint32_t least_registers(uint32_t estimate, const arch::Architecture&);

// What counts for a block of so many threads: the estimate, or where the block runs by the low end alone,
// what lets it.
uint32_t registers_in_block(uint32_t estimate, uint32_t threads, const arch::Architecture&);

}  // namespace heddle::analysis
