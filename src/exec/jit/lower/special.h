// Special registers as values (PTX ISA 10).
#pragma once

#include "exec/jit/lower/program_lowering.h"

namespace heddle::exec::jit {

// An integer of the register's own width; nullptr for one that only the reference executor knows.
llvm::Value* read_special(ProgramLowering& program, isa::SpecialRegister which, isa::Word component);
// Of the block, in its cluster.
llvm::Value* cluster_rank(ProgramLowering& program);
// Where in the window an offset in the block's shared memory lies.
llvm::Value* shared_memory_of_block(ProgramLowering& program, uint64_t offset, unsigned bits);
bool reads_unknown_special(const module::Function& function, const module::Instruction& instruction,
                           Observed observed);

}  // namespace heddle::exec::jit
