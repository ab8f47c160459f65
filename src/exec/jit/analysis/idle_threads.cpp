#include "exec/jit/analysis/idle_threads.h"

#include <array>
#include <optional>

#include "exec/jit/ir/ops.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

using llvm::APInt;
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
        const auto condition = number(branch->getCondition());
        if (!condition) return false;
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

  std::optional<APInt> number(const llvm::Value* value, int depth = 0) const {
    if (depth > most_depth) return std::nullopt;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant->getValue();
    if (is_op(value, Op::tid)) return APInt(32, place_[immediate(*llvm::cast<llvm::CallInst>(value), 0)]);
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || op_of(i) || i->getNumOperands() > 2 || !i->getType()->isIntegerTy())
      return std::nullopt;
    if (llvm::isa<llvm::PHINode>(i) || i->getNumOperands() == 0) return std::nullopt;
    const auto a = number(i->getOperand(0), depth + 1);
    if (!a) return std::nullopt;
    if (i->getNumOperands() == 1) return converted(*i, *a);
    const auto b = number(i->getOperand(1), depth + 1);
    if (!b) return std::nullopt;
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(i))
      return APInt(1, llvm::ICmpInst::compare(*a, *b, compare->getPredicate()) ? 1 : 0);
    return combined(*i, *a, *b);
  }

  static std::optional<APInt> converted(const Instruction& i, const APInt& a) {
    const unsigned width = i.getType()->getIntegerBitWidth();
    switch (i.getOpcode()) {
      case Instruction::ZExt: return a.zext(width);
      case Instruction::SExt: return a.sext(width);
      case Instruction::Trunc: return a.trunc(width);
      default: return std::nullopt;
    }
  }

  static std::optional<APInt> combined(const Instruction& i, const APInt& a, const APInt& b) {
    const bool shifts = b.ult(a.getBitWidth());
    switch (i.getOpcode()) {
      case Instruction::Add: return a + b;
      case Instruction::Sub: return a - b;
      case Instruction::Mul: return a * b;
      case Instruction::And: return a & b;
      case Instruction::Or: return a | b;
      case Instruction::Xor: return a ^ b;
      case Instruction::Shl: return shifts ? std::optional(a.shl(b)) : std::nullopt;
      case Instruction::LShr: return shifts ? std::optional(a.lshr(b)) : std::nullopt;
      case Instruction::AShr: return shifts ? std::optional(a.ashr(b)) : std::nullopt;
      default: return std::nullopt;
    }
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
