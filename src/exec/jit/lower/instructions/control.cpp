// Control flow (PTX ISA 9.7.12), traps and the like (9.7.19).
#include <algorithm>

#include "exec/fault.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "module/layout.h"
#include "module/math_function.h"

namespace heddle::exec::jit {

void lower_bra(Lowering& l) { l.ir().CreateBr(l.body().block_at(static_cast<uint32_t>(l.operand(0).value))); }

void lower_brx_idx(Lowering& l) {
  const std::vector<uint32_t>& table = l.function().tables[l.operand(1).index];
  llvm::Value* index = l.get_bits(0);
  llvm::BasicBlock* outside = llvm::BasicBlock::Create(l.context(), "outside", l.body().program().thread);
  llvm::SwitchInst* choice = l.ir().CreateSwitch(index, outside, static_cast<unsigned>(table.size()));
  for (uint32_t i = 0; i < table.size(); ++i)
    choice->addCase(l.ir().getInt32(i), l.body().block_at(table[i]));
  l.ir().SetInsertPoint(outside);
  l.body().trap(static_cast<uint32_t>(FaultKind::invalid_pc));
}

void lower_call_direct(Lowering& l) {
  for (int i = 0; i < l.instruction().operand_count; ++i) {
    if (l.operand(i).kind != module::OperandKind::function) continue;
    const uint32_t callee = l.operand(i).index;
    // What the host provides besides math is evaluated by the reference executor.
    if (l.image().functions[callee].defined || module::math_function(l.image().functions[callee]) != nullptr)
      l.body().call(l.instruction(), callee);
    else
      l.step();
    return;
  }
}

// Whom a pointer may mean is known: the list that the call gives, or whose address is taken and whose
// parameters and results are those of the prototype.
void lower_call_indirect(Lowering& l) {
  const module::Operand* pointer = nullptr;
  std::vector<uint32_t> candidates;
  for (int i = 0; i < l.instruction().operand_count; ++i) {
    const module::Operand& o = l.operand(i);
    if (o.kind == module::OperandKind::reg) pointer = &o;
    if (o.kind == module::OperandKind::table) candidates = l.function().tables[o.index];
    if (o.kind != module::OperandKind::prototype) continue;
    const module::Signature& wanted = l.function().prototypes[o.index];
    const auto& functions = l.image().functions;
    for (uint32_t f = 0; f < functions.size(); ++f)
      if (functions[f].address_taken && !functions[f].entry && same_shape(wanted, functions[f].signature))
        candidates.push_back(f);
  }
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  l.body().call(l.instruction(), l.get_bits(*pointer), candidates);
}

void lower_ret(Lowering& l) { l.body().leave(); }
void lower_exit(Lowering& l) { l.body().exit(); }

void lower_trap(Lowering& l) { l.body().trap(static_cast<uint32_t>(FaultKind::trap)); }

// Without a debugger a breakpoint ends the grid.
void lower_brkpt(Lowering& l) {
  l.op(Op::trap, l.ir().getVoidTy(), {l.imm(static_cast<uint32_t>(FaultKind::trap))});
}

void lower_nanosleep(Lowering& l) { l.op(Op::sleep, l.ir().getVoidTy(), {}); }

// Nothing that a program could observe.
void lower_pmevent(Lowering&) {}
void lower_pmevent_mask(Lowering&) {}
void lower_setmaxnreg(Lowering&) {}

// The stack's top is known to the reference executor alone.
void lower_alloca(Lowering& l) { l.need_reference("alloca"); }
void lower_stacksave(Lowering& l) { l.need_reference("stacksave"); }
void lower_stackrestore(Lowering& l) { l.need_reference("stackrestore"); }

}  // namespace heddle::exec::jit
