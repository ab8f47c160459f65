#include "exec/interp/evaluate.h"

#include "exec/interp/block.h"
#include "exec/interp/evals.gen.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"
#include "observe/operands.h"

namespace heddle::exec::interp {

namespace {

void run(Step& step) {
  if (const Eval eval = find_eval(step.instruction().form); eval != nullptr) return eval(step);
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "the reference executor does not know '" + std::string(isa::info(step.instruction().form).id) + "'");
}

// Sources are looked at before a result takes the place of one. A call of a device math function puts its
// numbers there itself.
void run_with_values(Step& step, observe::Place place) {
  Watch& watch = step.warp().run().watch;
  const std::span<const Number> numbers = watch.numbers().of(place.function, place.instruction);
  if (numbers.empty()) return run(step);
  const Mask lanes = step.lanes();
  std::vector<uint64_t> bits(numbers.size() * observe::warp_lanes);
  const auto take = [&](bool results) {
    for (std::size_t n = 0; n < numbers.size(); ++n)
      if (numbers[n].operand != nullptr && numbers[n].result == results)
        step.each([&](int lane) {
          bits[n * observe::warp_lanes + static_cast<unsigned>(lane)] =
              step.get_bits(*numbers[n].operand, lane);
        });
  };
  take(false);
  const bool of_call = numbers[0].operand == nullptr;
  if (of_call) watch.number_bits().assign(bits.size(), 0);
  const Dim3 block = step.warp().block().index();
  const uint32_t warp = step.warp().index();
  run(step);
  if (step.faulted() || step.handed_on()) return;
  take(true);
  if (!of_call) watch.number_bits() = std::move(bits);
  watch.tell_values(place, block, warp, lanes);
}

observe::Executed executed(Warp& warp, const Activation& activation, const module::Instruction& instruction) {
  const Dim3 block = warp.block().index();
  const module::Function& function = *activation.function;
  return {.place = {static_cast<uint32_t>(&function - warp.run().image.functions.data()),
                    static_cast<uint32_t>(&instruction - function.code.data())},
          .block = {block.x, block.y, block.z},
          .warp = warp.index(),
          .call = activation.number,
          .came = warp.current().lanes};
}

void run_with_operands(Step& step, observe::Place place, observe::OperandSink& sink) {
  const module::Instruction& instruction = step.instruction();
  const module::Image& image = step.warp().run().image;
  const isa::FormInfo& form =
      isa::forms(instruction.opcode)[image.mnemonics[instruction.mnemonic].alternative];
  observe::Executed told = executed(step.warp(), step.activation(), instruction);
  told.lanes = step.lanes();
  const std::size_t count = std::min<std::size_t>(instruction.operand_count, form.operands.size());
  std::vector<uint64_t> bits(count * observe::warp_lanes);
  const auto take = [&](bool results) {
    for (std::size_t o = 0; o < count; ++o) {
      const module::Operand& operand = step.function().operands[instruction.first_operand + o];
      if (operand.kind != module::OperandKind::reg && operand.kind != module::OperandKind::immediate)
        continue;
      if (isa::info(operand.declared).bits > 64) continue;
      if ((form.operands[o].access != isa::Access::read) != results) continue;
      step.each([&](int lane) {
        bits[o * observe::warp_lanes + static_cast<unsigned>(lane)] = step.get_bits(operand, lane);
      });
    }
  };
  take(false);
  run_with_values(step, place);
  // Also of one that faults: of what it did that is what interests.
  if (!step.faulted() && !step.handed_on()) take(true);
  told.operands = bits.data();
  sink.executed(told);
}

}  // namespace

void tell_switched_off(Warp& warp, const Activation& activation, const module::Instruction& instruction,
                       Mask came) {
  observe::Executed told = executed(warp, activation, instruction);
  told.came = came;
  warp.run().watch.operand_sink()->executed(told);
}

void evaluate(Step& step) {
  Warp& warp = step.warp();
  Watch& watch = warp.run().watch;
  if (!watch.accesses() && !watch.values()) return run(step);
  const module::Image& image = warp.run().image;
  const module::Function& function = step.function();
  const observe::Place place{static_cast<uint32_t>(&function - image.functions.data()),
                             static_cast<uint32_t>(&step.instruction() - function.code.data())};
  if (watch.accesses()) watch.begin_instruction();
  if (watch.operand_sink() != nullptr)
    run_with_operands(step, place, *watch.operand_sink());
  else if (watch.values())
    run_with_values(step, place);
  else
    run(step);
  if (watch.accesses()) watch.end_instruction(place, warp.block().index(), warp.index());
}

void eval_refused(Step& step) {
  step.fault(
      FaultKind::illegal_instruction, std::countr_zero(step.lanes()),
      "'" + std::string(isa::name(step.instruction().opcode)) + "' is not executed by any executor yet");
}

}  // namespace heddle::exec::interp
