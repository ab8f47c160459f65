// Which instructions look at a clock of the device.
#pragma once

#include "module/image.h"

namespace heddle::analysis {

// %clock, %clock_hi, %clock64, %globaltimer and its halves (PTX ISA 10).
bool is_clock(isa::SpecialRegister);
bool reads_clock(const module::Function&, const module::Instruction&);
// The kernel, or a function that it may call.
bool reads_clock(const module::Image&, uint32_t entry);

}  // namespace heddle::analysis
