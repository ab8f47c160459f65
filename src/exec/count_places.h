// Where warps are counted (observe::Count): the instructions with which a basic block begins, those behind a
// call, since lanes that exit in a function do not come back, and those under a guard.
#pragma once

#include <cstdint>

#include "module/flow.h"
#include "module/image.h"
#include "observe/observer.h"

namespace heddle::exec {

// Whether warps that come to this instruction are counted there.
inline bool begins_count(const module::Function& function, uint32_t instruction) {
  if (function.blocks[function.block_of[instruction]].first == instruction) return true;
  return module::flow_of(isa::info(function.code[instruction - 1].form)) == module::Flow::call;
}

}  // namespace heddle::exec
