#include "exec/jit/transform/alike_phis.h"

#include <algorithm>

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

bool computes(const llvm::Instruction& i) {
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst,
                   llvm::SelectInst>(i);
}

// The operation that every way has; its operands are there before the ways part.
const llvm::Instruction* of_every_way(const llvm::PHINode& phi, const llvm::DominatorTree& dominators) {
  const auto* first = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(0));
  if (first == nullptr || !computes(*first) || phi.getNumIncomingValues() < 2) return nullptr;
  for (const llvm::Value* value : phi.incoming_values()) {
    const auto* other = llvm::dyn_cast<llvm::Instruction>(value);
    if (other == nullptr || !other->isSameOperationAs(first)) return nullptr;
    if (!std::equal(first->op_begin(), first->op_end(), other->op_begin(), other->op_end())) return nullptr;
  }
  for (const llvm::Value* operand : first->operands()) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(operand);
    if (made != nullptr && !dominators.dominates(made, phi.getParent())) return nullptr;
  }
  return first;
}

}  // namespace

llvm::PreservedAnalyses AlikePhis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (llvm::BasicBlock& block : function)
      for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
        const llvm::Instruction* operation = of_every_way(phi, dominators);
        if (operation == nullptr) continue;
        llvm::Instruction* here = operation->clone();
        for (const llvm::Value* value : phi.incoming_values()) here->andIRFlags(value);
        here->insertBefore(&*block.getFirstInsertionPt());
        phi.replaceAllUsesWith(here);
        phi.eraseFromParent();
        again = changed = true;
      }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace heddle::exec::jit
