#include "exec/interp/evaluate.h"

#include "exec/interp/block.h"
#include "exec/interp/evals.gen.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

namespace {

void run(Step& step) {
  if (const Eval eval = find_eval(step.instruction().form); eval != nullptr) return eval(step);
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "the reference executor does not know '" + std::string(isa::info(step.instruction().form).id) + "'");
}

}  // namespace

void evaluate(Step& step) {
  Warp& warp = step.warp();
  Watch& watch = warp.run().watch;
  if (!watch.accesses()) return run(step);
  const module::Image& image = warp.run().image;
  const module::Function& function = step.function();
  const observe::Place place{static_cast<uint32_t>(&function - image.functions.data()),
                             static_cast<uint32_t>(&step.instruction() - function.code.data())};
  watch.begin_instruction();
  run(step);
  watch.end_instruction(place, warp.block().index(), warp.index());
}

void eval_refused(Step& step) {
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "'" + std::string(isa::name(step.instruction().opcode)) + "' is not executed by any executor yet");
}

}  // namespace heddle::exec::interp
