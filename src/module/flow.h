// Basic blocks of a function, their edges, and where lanes that part meet again.
#pragma once

#include <cstdint>
#include <span>

#include "module/image.h"

namespace heddle::module {

// What follows an instruction, by its mnemonic. All of it comes from the form's record: a label or a list of
// targets among the operands makes a jump, a function or a prototype a call, `leaves` says that the lane is
// gone.
enum class Flow : uint8_t { next, call, jump, leave };
constexpr bool ends_block(Flow flow) { return flow == Flow::jump || flow == Flow::leave; }
Flow flow_of(const isa::FormInfo& form);

// Fills blocks and block_of from code, operands and tables. `flows` is by Instruction::mnemonic. The last
// instruction must not fall through.
void build_blocks(Function& function, std::span<const Flow> flows);

}  // namespace heddle::module
