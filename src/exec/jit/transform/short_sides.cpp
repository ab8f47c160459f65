#include "exec/jit/transform/short_sides.h"

#include <optional>

#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

// Values that may differ between threads by more than which way they came.
class Differing {
 public:
  explicit Differing(llvm::Function& thread) {
    for (bool more = true; more;) {
      more = false;
      for (const Instruction& i : llvm::instructions(thread))
        if (!values_.contains(&i) && differs(i)) more = values_.insert(&i).second;
    }
  }
  bool operator()(const Value* value) const { return values_.contains(value); }

 private:
  bool differs(const Instruction& i) const {
    if (const auto op = op_of(&i)) {
      if (llvm::is_contained({Op::parameter, Op::ctaid, Op::nctaid, Op::ntid}, *op)) return false;
      if (*op == Op::load) return values_.contains(i.getOperand(0));
      if (effect(*op) != Effect::none || *op == Op::tid || *op == Op::laneid) return true;
    }
    return llvm::any_of(i.operands(), [&](const llvm::Use& use) { return values_.contains(use.get()); });
  }

  llvm::DenseSet<const Value*> values_;
};

// Whether it is, or becomes, part of an address.
bool leads_to_address(const Value* value) {
  llvm::SmallPtrSet<const Value*, 32> seen{value};
  llvm::SmallVector<const Value*, 32> work{value};
  while (!work.empty()) {
    const Value* of = work.pop_back_val();
    for (const llvm::User* user : of->users()) {
      const auto* i = llvm::cast<Instruction>(user);
      if (const auto op = op_of(i); op && effect(*op) == Effect::memory && i->getOperand(0) == of)
        return true;
      const bool results = !i->getType()->isVoidTy() && !i->getType()->isFloatingPointTy();
      if (!results || (op_of(i) && effect(*op_of(i)) != Effect::none)) continue;
      if (!seen.insert(i).second) continue;
      if (seen.size() > cost::most_uses_of_a_side) return true;
      work.push_back(i);
    }
  }
  return false;
}

// What a side costs; nothing where it does more than compute.
std::optional<unsigned> cost_of(const BasicBlock& side) {
  unsigned cost = 0;
  for (const Instruction& i : side) {
    if (i.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
    if (llvm::isa<llvm::PHINode>(i) || op_of(&i) || !llvm::isSafeToSpeculativelyExecute(&i)) return {};
    switch (i.getOpcode()) {
      case Instruction::BitCast: break;
      case Instruction::FDiv:
      case Instruction::FRem: return {};
      case Instruction::Call:
        if (!llvm::isa<llvm::IntrinsicInst>(i)) return {};
        cost += 1;
        break;
      default: cost += i.getType()->isIntegerTy(64) || i.getType()->isDoubleTy() ? 2 : 1;
    }
  }
  return cost;
}

class Sides {
 public:
  explicit Sides(llvm::Function& thread) : thread_(thread), differs_(thread) {}

  // The innermost first: what lies around them may be short, too, then.
  unsigned choose() {
    unsigned chosen = 0;
    for (bool more = true; more;) {
      more = false;
      llvm::SmallVector<BasicBlock*, 32> blocks;
      for (BasicBlock& block : thread_) blocks.push_back(&block);
      gone_.clear();
      for (BasicBlock* block : llvm::reverse(blocks))
        if (!gone_.contains(block) && choose(*block)) more = true, ++chosen;
    }
    return chosen;
  }

 private:
  // A way from `branch` to `end` that nobody else goes: a block, or nothing.
  static bool is_side(const BasicBlock* side, const BasicBlock* branch, const BasicBlock* end) {
    const auto* jump = llvm::dyn_cast<llvm::BranchInst>(side->getTerminator());
    return side->getSinglePredecessor() == branch && jump != nullptr && jump->isUnconditional() &&
           jump->getSuccessor(0) == end;
  }

  bool choose(BasicBlock& block) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || branch->isUnconditional() || !differs_(branch->getCondition())) return false;
    BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1), *end = nullptr;
    if (yes == no) return false;
    if (is_side(yes, &block, no))
      end = no;
    else if (is_side(no, &block, yes))
      end = yes;
    else if (BasicBlock* both = yes->getSingleSuccessor();
             both != nullptr && is_side(yes, &block, both) && is_side(no, &block, both))
      end = both;
    if (end == nullptr || end == &block) return false;
    unsigned spent = 0;
    for (BasicBlock* side : {yes, no}) {
      if (side == end) continue;
      const auto of = cost_of(*side);
      if (!of) return false;
      spent += *of;
    }
    if (spent > cost::most_of_a_side) return false;
    BasicBlock *from_yes = yes == end ? &block : yes, *from_no = no == end ? &block : no;
    for (llvm::PHINode& phi : end->phis()) {
      if (phi.getIncomingValueForBlock(from_yes) == phi.getIncomingValueForBlock(from_no)) continue;
      if (!phi.getType()->isSingleValueType() || leads_to_address(&phi)) return false;
    }
    join(*branch, *end, *from_yes, *from_no);
    return true;
  }

  void join(llvm::BranchInst& branch, BasicBlock& end, BasicBlock& from_yes, BasicBlock& from_no) {
    BasicBlock& block = *branch.getParent();
    for (BasicBlock* side : {&from_yes, &from_no})
      if (side != &block)
        block.splice(branch.getIterator(), side, side->begin(), side->getTerminator()->getIterator());
    llvm::IRBuilder<> builder(&branch);
    for (llvm::PHINode& phi : end.phis()) {
      Value *a = phi.getIncomingValueForBlock(&from_yes), *b = phi.getIncomingValueForBlock(&from_no);
      Value* value = a == b ? a : builder.CreateSelect(branch.getCondition(), a, b);
      phi.removeIncomingValue(&from_yes, false);
      phi.removeIncomingValue(&from_no, false);
      phi.addIncoming(value, &block);
    }
    builder.CreateBr(&end);
    branch.eraseFromParent();
    for (BasicBlock* side : {&from_yes, &from_no}) {
      if (side == &block) continue;
      gone_.insert(side);
      side->eraseFromParent();
    }
    if (llvm::MergeBlockIntoPredecessor(&end)) gone_.insert(&end);
  }

  llvm::Function& thread_;
  llvm::SmallPtrSet<BasicBlock*, 8> gone_;
  const Differing differs_;
};

}  // namespace

unsigned choose_short_sides(llvm::Function& thread) { return Sides(thread).choose(); }

}  // namespace heddle::exec::jit
