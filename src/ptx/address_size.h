// The address size of modules from before .address_size.
#pragma once

#include "ptx/ast.h"

namespace heddle::ptx {

// PTX 2.3 brought .address_size and 32 as what holds without it (PTX ISA 11.1.3). Compilers of before wrote
// the same header for 32-bit and for 64-bit programs, and drivers of 64-bit systems run both: such a module
// has 64-bit addresses if it keeps any address in a 64-bit register.
unsigned inferred_address_bits(const Module& module);

}  // namespace heddle::ptx
