// Special registers as values (PTX ISA 10).
#pragma once

#include "exec/jit/lower/program_lowering.h"

namespace heddle::exec::jit {

// An integer of the register's own width; nullptr for one that only the reference executor knows.
llvm::Value* read_special(ProgramLowering& program, isa::SpecialRegister which, isa::Word component);
bool reads_unknown_special(const module::Function& function, const module::Instruction& instruction,
                           Observed observed);

}  // namespace heddle::exec::jit
