// What must be true of the code between two passes, by the properties that the table gives it.
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/compilation.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::exec::jit {

namespace {

using llvm::Instruction;

std::string text_of(const Instruction& i) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << i;
  return text;
}

// A step finds its instruction, and a fault its place, by the debug location.
std::string without_place(const llvm::Function& thread, std::size_t sites) {
  for (const Instruction& i : llvm::instructions(thread)) {
    const auto op = op_of(&i);
    if (!op || effect(*op) == Effect::none) continue;
    const llvm::DebugLoc& place = i.getDebugLoc();
    if (!place || place.getLine() == 0 || place.getLine() > sites) return "no place: " + text_of(i);
  }
  return "";
}

std::string with_memory(const llvm::Function& thread) {
  for (const Instruction& i : llvm::instructions(thread))
    if (llvm::isa<llvm::AllocaInst>(i)) return "memory of its own: " + text_of(i);
  return "";
}

std::string with_whole_aggregates(const llvm::Function& thread) {
  for (const Instruction& i : llvm::instructions(thread)) {
    if (!i.getType()->isStructTy()) continue;
    if (!llvm::isa<llvm::CallInst>(i)) return "several values that are no result: " + text_of(i);
    for (const llvm::User* user : i.users())
      if (llvm::cast<Instruction>(user)->getParent() != i.getParent())
        return "several values that leave their block: " + text_of(i);
  }
  return "";
}

std::string not_canonical(llvm::Function& thread) {
  unsigned returns = 0;
  for (const llvm::BasicBlock& block : thread) {
    const Instruction* end = block.getTerminator();
    if (llvm::isa<llvm::SwitchInst>(end)) return "a switch: " + text_of(*end);
    returns += llvm::isa<llvm::ReturnInst>(end) ? 1 : 0;
  }
  if (returns > 1) return std::to_string(returns) + " returns";
  const llvm::DominatorTree dominators(thread);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isLoopSimplifyForm()) return "a loop without preheader, single latch or exits of its own";
    if (!loop->isLCSSAForm(dominators)) return "a value leaves its loop without a phi";
  }
  return "";
}

std::string operations_left(const llvm::Module& module, bool math_is_fine) {
  for (const llvm::Function& f : module)
    for (const llvm::User* user : f.users())
      if (const auto op = op_of(user); op && !(math_is_fine && is_math(*op)))
        return std::string("an operation is left: ") + name(*op);
  return "";
}

}  // namespace

std::string find_broken(const Compilation& c) {
  const llvm::Module* module = c.program.module.get();
  if (module == nullptr) return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  // While vector code is made its function is there and empty.
  const bool whole = c.weaver == nullptr || (c.properties & pass_table::kernel) != 0;
  if (whole && llvm::verifyModule(*module, &out)) return text;
  for (const llvm::Function& f : *module)
    if (!whole && !f.isDeclaration() && llvm::verifyFunction(f, &out)) return text;
  const auto has = [&](pass_table::Property property) { return (c.properties & property) != 0; };
  if (has(pass_table::program)) {
    std::vector<llvm::Function*> functions{c.program.entry};
    for (const CalledFunction& f : c.program.functions) functions.push_back(f.code);
    for (llvm::Function* f : functions) {
      if (text.empty()) text = without_place(*f, c.program.sites.size());
      if (text.empty() && has(pass_table::clean)) text = with_memory(*f);
      if (text.empty() && has(pass_table::elements)) text = with_whole_aggregates(*f);
      if (text.empty() && has(pass_table::canonical)) text = not_canonical(*f);
    }
  }
  if (text.empty() && has(pass_table::kernel) && !has(pass_table::optimised))
    text = operations_left(*module, !has(pass_table::plain));
  return text;
}

}  // namespace heddle::exec::jit
