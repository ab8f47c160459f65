#include "exec/jit/analysis/idle_threads.h"

#include <array>

#include "exec/jit/ir/ops.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

using llvm::Instruction;

// One thread on its way through a region, as far as its place in the block alone decides.
class Walk {
 public:
  explicit Walk(std::array<uint32_t, 3> place) : place_(place) {}

  bool does_nothing(const llvm::Function& region) {
    const llvm::BasicBlock* block = &region.getEntryBlock();
    for (int blocks = 0; blocks < most_blocks; ++blocks) {
      for (const Instruction& i : *block)
        if (!i.isTerminator() && !is_nothing(i)) return false;
      const Instruction* end = block->getTerminator();
      if (llvm::isa<llvm::ReturnInst>(end)) return true;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
      if (branch == nullptr) return false;
      unsigned way = 0;
      if (branch->isConditional()) {
        const llvm::ConstantInt* condition = number(branch->getCondition());
        if (condition == nullptr) return false;
        way = condition->isZero() ? 1 : 0;
      }
      block = branch->getSuccessor(way);
    }
    return false;
  }

 private:
  static constexpr int most_blocks = 16, most_depth = 8;

  // A value that lives on across the next barrier is where it was.
  static bool is_kept(const llvm::CallInst& store) {
    const llvm::Value* value = store.getArgOperand(1);
    return is_op(value, Op::slot_load) &&
           immediate(*llvm::cast<llvm::CallInst>(value), 0) == immediate(store, 0);
  }
  static bool is_nothing(const Instruction& i) {
    if (is_op(&i, Op::slot_store)) return is_kept(llvm::cast<llvm::CallInst>(i));
    if (const auto op = op_of(&i)) return effect(*op) == Effect::none || *op == Op::slot_load;
    return !i.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(i);
  }

  // What the thread's place makes of it; nullptr where that is not all that decides.
  llvm::ConstantInt* number(llvm::Value* value, int depth = 0) const {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant;
    if (is_op(value, Op::tid)) {
      const uint64_t dimension = immediate(*llvm::cast<llvm::CallInst>(value), 0);
      return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(value->getType(), place_[dimension]));
    }
    auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || depth > most_depth || llvm::isa<llvm::PHINode, llvm::CallBase>(i)) return nullptr;
    llvm::SmallVector<llvm::Constant*, 3> operands;
    for (llvm::Value* operand : i->operands()) {
      operands.push_back(number(operand, depth + 1));
      if (operands.back() == nullptr) return nullptr;
    }
    return llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::ConstantFoldInstOperands(i, operands, i->getModule()->getDataLayout()));
  }

  const std::array<uint32_t, 3> place_;
};

}  // namespace

unsigned threads_at_work(llvm::Function& region, const Dim3& block) {
  for (auto left = static_cast<unsigned>(block.count()); left > 0; --left) {
    const unsigned last = left - 1;
    const std::array<uint32_t, 3> place{last % block.x, last / block.x % block.y, last / block.x / block.y};
    if (!Walk(place).does_nothing(region)) return left;
  }
  return 0;
}

}  // namespace heddle::exec::jit
