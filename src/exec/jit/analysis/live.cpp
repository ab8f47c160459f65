#include "exec/jit/analysis/live.h"

#include "llvm/IR/CFG.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;

LiveValues live_out(const LiveIn& live, BasicBlock& block) {
  LiveValues now;
  for (BasicBlock* next : llvm::successors(&block)) {
    if (auto found = live.find(next); found != live.end())
      now.insert(found->second.begin(), found->second.end());
    for (llvm::PHINode& phi : next->phis())
      if (auto* v = llvm::dyn_cast<Instruction>(phi.getIncomingValueForBlock(&block))) now.insert(v);
  }
  for (llvm::Value* operand : block.getTerminator()->operands())
    if (auto* v = llvm::dyn_cast<Instruction>(operand)) now.insert(v);
  return now;
}

LiveIn live_in(llvm::Function& function) {
  LiveIn live;
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock& block : llvm::reverse(function)) {
      LiveValues now = live_out(live, block);
      for (Instruction& i : llvm::reverse(block)) {
        now.erase(&i);
        if (llvm::isa<llvm::PHINode>(i)) continue;
        for (llvm::Value* operand : i.operands())
          if (auto* v = llvm::dyn_cast<Instruction>(operand)) now.insert(v);
      }
      LiveValues& known = live[&block];
      for (Instruction* v : now) changed |= known.insert(v).second;
    }
  }
  return live;
}

}  // namespace heddle::exec::jit
