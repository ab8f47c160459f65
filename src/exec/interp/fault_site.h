// Where a fault happened, as a value: fills a Fault with kernel, function, block, thread, instruction and
// line.
#pragma once

#include <string>

#include "exec/fault.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

// Notes the fault in the warp's Run and returns it, so that a memory fault can add its address. Only the
// first fault of a launch counts: a later one goes to a place that nobody reads.
Fault& raise(Warp& warp, const Activation& activation, uint32_t instruction, int lane, FaultKind kind,
             std::string detail);

// "k.cu:12" of an instruction, or "function+index" where the program has no .loc.
std::string place_text(const module::Image& image, const module::Function& function, uint32_t instruction);

}  // namespace heddle::exec::interp
