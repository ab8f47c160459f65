#include "exec/jit/codegen/locked_fences.h"

#include "exec/jit/ir/ops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

constexpr unsigned most_steps = 64;

bool is_locked(const llvm::Instruction& i) {
  return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i);
}

// Others see nothing of it: what the thread keeps for itself, and that it gave way.
bool is_own(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return call->hasFnAttr(gives_way);
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
  if (load == nullptr && store == nullptr) return false;
  if (i.isAtomic() || i.isVolatile()) return false;
  const llvm::Value* object =
      llvm::getUnderlyingObject(load != nullptr ? load->getPointerOperand() : store->getPointerOperand());
  return llvm::isa<llvm::Argument, llvm::AllocaInst>(object);
}

// Whether the next thing in that direction that others could see is a locked one, on every way.
class Search {
 public:
  explicit Search(bool backwards) : backwards_(backwards) {}
  bool meets_lock(const llvm::Instruction& from) {
    for (const llvm::Instruction* at = next(from); at != nullptr; at = next(*at)) {
      if (--steps_ == 0) return false;
      if (is_locked(*at)) return true;
      if (at->mayReadOrWriteMemory() && !is_own(*at)) return false;
    }
    const llvm::BasicBlock& block = *from.getParent();
    return backwards_ ? all(llvm::predecessors(&block)) : all(llvm::successors(&block));
  }

 private:
  const llvm::Instruction* next(const llvm::Instruction& at) const {
    return backwards_ ? at.getPrevNode() : at.getNextNode();
  }
  template <class Blocks>
  bool all(const Blocks& blocks) {
    if (blocks.empty()) return false;
    for (const llvm::BasicBlock* block : blocks) {
      if (!seen_.insert(block).second) continue;
      // The block's own last or first instruction counts, too; neither can be a lock or in the way.
      if (backwards_ ? !meets_lock(*block->getTerminator()) : !meets_lock_from(*block)) return false;
    }
    return true;
  }
  bool meets_lock_from(const llvm::BasicBlock& block) {
    const llvm::Instruction& first = block.front();
    if (is_locked(first)) return true;
    if (first.mayReadOrWriteMemory() && !is_own(first)) return false;
    return meets_lock(first);
  }

  const bool backwards_;
  unsigned steps_ = most_steps;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen_;
};

}  // namespace

void drop_locked_fences(llvm::Function& function) {
  llvm::SmallVector<llvm::FenceInst*> fences;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&i)) fences.push_back(fence);
  for (llvm::FenceInst* fence : fences)
    if (Search(true).meets_lock(*fence) || Search(false).meets_lock(*fence)) fence->eraseFromParent();
}

}  // namespace heddle::exec::jit
