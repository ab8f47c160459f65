// What passes through a call: the bytes of arguments and results, between the registers and .param variables
// of two activations.
#pragma once

#include <cstdint>
#include <span>

#include "exec/interp/step.h"

namespace heddle::exec::interp {

struct CallOperands {  // of a call instruction; parts that were not written are empty
  std::span<const module::Operand> results, params;
  const module::Operand* target = nullptr;     // function, or a register with a code handle
  const module::Operand* prototype = nullptr;  // prototype or table of an indirect call
};
CallOperands call_operands(const module::Function& function, const module::Instruction& call);

// One argument's bytes, zero-extended to `to`.size(); false when they lie outside the thread's local memory.
bool read_argument(Step& call, const module::Operand& argument, int lane, std::span<std::byte> to);
// The caller's side of a result.
bool write_result(Step& call, const module::Operand& result, int lane, std::span<const std::byte> from);

// The callee's side: all parameters of the lanes of a new activation, and all results of lanes that return.
void bind_arguments(Step& call, Activation& callee);
void return_results(Warp& warp, Activation& callee, Mask lanes);

}  // namespace heddle::exec::interp
