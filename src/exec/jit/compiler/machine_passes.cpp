// The passes behind vectors and threads alike, down to machine code; and those of threads on their own.
#include "exec/jit/codegen/machine.h"
#include "exec/jit/fiber/emit.h"
#include "exec/jit/fiber/in_step.h"
#include "exec/jit/fiber/stacks.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/math/expand.h"
#include "exec/jit/math/rare_nans.h"
#include "exec/jit/math/share.h"
#include "exec/jit/passes/compilation.h"

namespace heddle::exec::jit::pass {

namespace {

bool has_steps(const llvm::Module& module) {
  for (const llvm::Function& f : module) {
    for (const llvm::User* user : f.users()) {
      if (is_op(user, Op::step)) return true;
    }
  }
  return false;
}

// What LLVM was in the middle of stays as it is.
void leave(Compilation& c, std::string why) {
  (void)c.slow.release(), (void)c.program.module.release();
  (void)c.program.context.release();
  c.give_up(std::move(why));
  c.is_final = true;
}

Tier tier_of(const Compilation& c) { return c.tier.value_or(Tier::quick); }

}  // namespace

void in_step(Compilation& c) {
  c.recursive = !c.program.functions.empty();
  c.slot_bytes = 0;
  c.uses_shared = true;
  c.uses_steps = has_steps(*c.program.module);
  keep_in_step(c.program, *c.image, c.shape.block);
}

void emit_threads(Compilation& c) { jit::emit_threads(c.program, *c.image, c.function, c.shape); }

void share_math(Compilation& c) { jit::share_math(*c.program.module, c.machine->host()); }

void expand_math(Compilation& c) {
  c.weaver.reset();
  const bool rare_nans = c.runs(Pass::rare_nans);
  for (llvm::Function& f : *c.program.module) {
    if (f.isDeclaration()) continue;
    if (rare_nans) expect_few_nans(f);
    jit::expand_math(f, c.machine->host(), c.program.flush_mode);
  }
  c.emitted = c.program.module->getInstructionCount();
}

void optimise(Compilation& c) {
  if (auto problem = c.machine->optimise(*c.program.module, tier_of(c), c.disabled,
                                         c.times_llvm ? &c.times.of_llvm : nullptr))
    leave(c, std::move(*problem));
}

void machine_code(Compilation& c) {
  const unsigned most_on_stack = !c.by_threads() ? Machine::values_on_stack
                                 : c.recursive   ? Machine::values_of_functions
                                                 : Machine::values_on_thread_stack;
  auto object = c.machine->emit(*c.program.module, tier_of(c), most_on_stack);
  if (!object) return leave(c, object.error());
  // Of who waits each warp, or block, has a stack of its own.
  const bool waits = c.by_warps() || (c.path == pass_table::vectors && c.program.needs.blocks_wait);
  if (waits && object->largest_frame > most_of_vector_stack)
    return leave(c, "a frame of " + std::to_string(object->largest_frame) + " bytes");
  c.object = std::move(object->bytes);
}

}  // namespace heddle::exec::jit::pass
