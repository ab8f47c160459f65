#include "exec/interp/evaluate.h"

#include "exec/interp/evals.gen.h"

namespace heddle::exec::interp {

void evaluate(Step& step) {
  if (const Eval eval = find_eval(step.instruction().form); eval != nullptr) return eval(step);
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "the reference executor does not know '" + std::string(isa::info(step.instruction().form).id) + "'");
}

void eval_refused(Step& step) {
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "'" + std::string(isa::name(step.instruction().opcode)) + "' is not executed by any executor yet");
}

}  // namespace heddle::exec::interp
