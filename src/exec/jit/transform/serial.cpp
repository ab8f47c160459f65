#include "exec/jit/transform/serial.h"

#include "exec/jit/ir/ops.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "module/image.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

bool is_known_before(const Instruction& i) {
  const auto op = op_of(&i);
  return op && effect(*op) == Effect::none &&
         llvm::all_of(llvm::cast<llvm::CallInst>(i).args(),
                      [](const llvm::Use& use) { return llvm::isa<llvm::Constant>(use); });
}

namespace {

// The same step from turn to turn of the loop, or none.
bool moves_evenly(const Value* value, const Loop& loop, unsigned depth = 0) {
  const auto* i = llvm::dyn_cast<Instruction>(value);
  if (i == nullptr || !loop.contains(i)) return true;
  if (depth > 8) return false;
  const auto even = [&](unsigned operand) { return moves_evenly(i->getOperand(operand), loop, depth + 1); };
  const auto fixed = [&](unsigned operand) {
    const auto* other = llvm::dyn_cast<Instruction>(i->getOperand(operand));
    return other == nullptr || !loop.contains(other);
  };
  switch (i->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub: return even(0) && even(1);
    case Instruction::Or:
      return llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint() && even(0) && even(1);
    case Instruction::Mul:
    case Instruction::Shl: return even(0) && fixed(1);
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc: return even(0);
    case Instruction::PHI: {
      const auto* phi = llvm::cast<llvm::PHINode>(i);
      if (phi->getParent() != loop.getHeader() || loop.getLoopLatch() == nullptr) return false;
      const auto* next = llvm::dyn_cast<Instruction>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
      if (next == nullptr || next->getOpcode() != Instruction::Add) return false;
      const Value* step = next->getOperand(next->getOperand(0) == phi ? 1 : 0);
      const auto* made = llvm::dyn_cast<Instruction>(step);
      return (next->getOperand(0) == phi || next->getOperand(1) == phi) &&
             (made == nullptr || !loop.contains(made));
    }
    default: return false;
  }
}

// Each lane reads from a line of the cache of its own.
bool lies_apart(const Pattern& address) {
  constexpr int64_t line = 64;
  return address.kind == Pattern::vector || address.lane_step >= line || address.lane_step <= -line;
}

// What the inner loops of a part do.
struct Work {
  unsigned loads = 0, along = 0, arithmetic = 0;  // `along`: of the loads, through rows of the lanes' own
};

class Finder {
 public:
  Finder(const Flow& fast, const Flow& slow, const Patterns& of_fast, const Patterns& of_slow)
      : fast_(fast), slow_(slow), of_fast_(of_fast), of_slow_(of_slow) {}

  std::vector<SerialPart> find() {
    std::vector<SerialPart> parts;
    llvm::DenseSet<const BasicBlock*> taken;
    for (const BasicBlock* block : slow_.order()) {
      if (taken.contains(block)) continue;
      SerialPart part;
      if (!outline(block, part) || !is_possible(part) || !pays(part)) continue;
      taken.insert(part.blocks.begin(), part.blocks.end());
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  bool outline(const BasicBlock* block, SerialPart& part) const {
    if (!fast_.is_divergent(block) || !slow_.is_divergent(block)) return false;
    const BasicBlock* end = slow_.meeting_of(block);
    if (end == nullptr) return false;
    const auto inside = slow_.masked_by(block);
    if (inside.empty() || inside.contains(block)) return false;
    for (const BasicBlock* b : slow_.order()) {
      if (!inside.contains(b)) continue;
      part.blocks.push_back(b);
      for (const BasicBlock* before : llvm::predecessors(b))
        if (before != block && !inside.contains(before)) return false;
    }
    part.branch = block, part.end = end;
    return slow_.position(end) > slow_.position(part.blocks.back());
  }

  static bool fits_memory(const llvm::Type* type) {
    if (type->isPointerTy()) return true;
    const unsigned bits = type->getScalarSizeInBits();
    return !type->isVectorTy() && (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64);
  }

  bool is_possible(const SerialPart& part) const {
    const auto inside = [&](const Value* value) {
      const auto* i = llvm::dyn_cast<Instruction>(value);
      return i != nullptr && llvm::is_contained(part.blocks, i->getParent());
    };
    for (const llvm::PHINode& phi : part.end->phis()) {
      if (!fits_memory(phi.getType())) return false;
      for (const Value* value : phi.incoming_values())
        if (inside(value) && of_slow_.of(&phi).kind != Pattern::vector) return false;
    }
    for (const BasicBlock* block : part.blocks) {
      if (!llvm::isa<llvm::BranchInst>(block->getTerminator())) return false;
      for (const Instruction& i : *block) {
        for (const Value* operand : i.operands())
          if (llvm::isa<Instruction>(operand) && !inside(operand) && !fits_memory(operand->getType()))
            return false;
        if (i.isTerminator()) continue;
        if (!fits_memory(i.getType()) && !(is_op(&i, Op::prefetch) && i.getType()->isVoidTy())) return false;
        if (const auto op = op_of(&i)) {
          if (*op == Op::prefetch || is_known_before(i)) continue;
          if (*op != Op::load) return false;
          const auto& load = llvm::cast<llvm::CallInst>(i);
          const auto space = static_cast<module::Space>(immediate(load, 1));
          if (space == module::Space::local || space == module::Space::generic) return false;
          if ((immediate(load, 2) & access_strong) != 0) return false;
          continue;
        }
        if (i.mayReadOrWriteMemory() && !llvm::isa<llvm::DbgInfoIntrinsic>(i)) return false;
        for (const llvm::User* user : i.users())
          if (!inside(user) && llvm::cast<Instruction>(user)->getParent() != part.end) return false;
      }
    }
    return true;
  }

  bool pays(const SerialPart& part) const {
    Work work;
    bool parts = false;
    for (const BasicBlock* block : part.blocks) {
      const Loop* loop = slow_.loops().getLoopFor(block);
      if (loop == nullptr || !llvm::is_contained(part.blocks, loop->getHeader())) continue;
      parts |= slow_.is_divergent_loop(loop);
      for (const Instruction& i : *block) {
        if (is_op(&i, Op::load)) {
          const Value* address = i.getOperand(0);
          ++work.loads;
          // Lanes side by side are so as long as no index wraps, which fast code asks and slow code cannot.
          work.along += lies_apart(of_fast_.of(address)) && moves_evenly(address, *loop);
        } else if (i.getType()->isFloatingPointTy() || i.getOpcode() == Instruction::Mul) {
          ++work.arithmetic;
        }
      }
    }
    // Half of what is read lies along rows; a vector does arithmetic for many, but not that much faster.
    return parts && work.along != 0 && 2 * work.along >= work.loads && work.arithmetic <= 4 * work.loads;
  }

  const Flow &fast_, &slow_;
  const Patterns &of_fast_, &of_slow_;
};

}  // namespace

std::vector<SerialPart> find_serial_parts(const Flow& fast, const Flow& slow, const Patterns& of_fast,
                                          const Patterns& of_slow) {
  return Finder(fast, slow, of_fast, of_slow).find();
}

}  // namespace heddle::exec::jit
