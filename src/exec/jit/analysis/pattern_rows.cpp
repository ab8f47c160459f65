// How values vary from one row of the block to the next: what turns accesses of a column by each lane into
// accesses of pieces of memory (tiles.cpp).
#include <algorithm>

#include "exec/jit/analysis/pattern.h"
#include "exec/jit/ir/ops.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::exec::jit {

namespace {

int64_t sign_extended(int64_t step, const llvm::Type* type) {
  const unsigned width = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
  return width < 64 ? llvm::SignExtend64(static_cast<uint64_t>(step), width) : step;
}

int64_t times(int64_t step, uint64_t factor) {
  return static_cast<int64_t>(static_cast<uint64_t>(step) * factor);
}

}  // namespace

unsigned row_of(const Geometry& g, unsigned vectors) {
  const unsigned unit = vectors * g.lanes, row = g.block.x;
  if (g.block.y * g.block.z == 1 || unit % row != 0 || unit == row) return 0;
  if (row % g.lanes != 0 && g.lanes % row != 0) return 0;
  return g.block.z == 1 || g.block.y % (unit / row) == 0 ? row : 0;
}

Pattern Patterns::with_affine_rows(Pattern p) const {
  if (context_.row == 0 || p.kind != Pattern::affine) return p;
  const int64_t row = context_.row, width = lanes();
  // Rows in one vector, or vectors in a row.
  p.rows = row >= width || p.vector_step == p.lane_step * width;
  if (p.rows) p.row_step = row >= width ? p.vector_step * (row / width) : p.lane_step * row;
  return p;
}

Pattern Patterns::with_rows(const llvm::Instruction& i, Pattern p) const {
  if (p.kind == Pattern::affine) return with_affine_rows(p);
  if (llvm::isa<llvm::PHINode>(i)) return p;  // join has seen to it
  const auto step = row_step_of(i);
  p.rows = step.has_value();
  p.row_step = step ? sign_extended(*step, i.getType()) : 0;
  return p;
}

std::optional<int64_t> Patterns::row_step_of(const llvm::Instruction& i) const {
  const auto step = [&](unsigned operand) -> std::optional<int64_t> {
    const Pattern p = of(i.getOperand(operand));
    return p.rows || p.kind == Pattern::unknown ? std::optional(p.row_step) : std::nullopt;
  };
  const auto constant = [&](unsigned operand) -> std::optional<uint64_t> {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(operand));
    if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
    return number->getZExtValue();
  };
  if (const auto op = op_of(&i)) {
    if (*op == Op::tid) return immediate(llvm::cast<llvm::CallInst>(i), 0) == 1 ? 1 : 0;
    if (*op == Op::generic) return step(0);
    if (!is_math(*op)) return std::nullopt;
  }
  switch (i.getOpcode()) {
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint()) break;
      [[fallthrough]];
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      const auto a = step(0), b = step(1);
      if (!a || !b) return std::nullopt;
      return i.getOpcode() == llvm::Instruction::Sub ? *a - *b : *a + *b;
    }
    case llvm::Instruction::Mul:
      if (const auto a = step(0); a && constant(1)) return times(*a, *constant(1));
      break;
    case llvm::Instruction::Shl:
      if (const auto a = step(0); a && constant(1) && *constant(1) < 64)
        return times(*a, uint64_t{1} << *constant(1));
      break;
    case llvm::Instruction::And:
      if (const auto a = step(0); a && constant(1) && llvm::isMask_64(*constant(1)) &&
                                  (static_cast<uint64_t>(*a) & *constant(1)) == 0)
        return 0;
      break;
    case llvm::Instruction::Trunc:
    case llvm::Instruction::Freeze: return step(0);
    case llvm::Instruction::BitCast:
      if (i.getType()->isIntegerTy() && i.getOperand(0)->getType()->isIntegerTy()) return step(0);
      break;
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      const auto a = step(0);
      if (!a || *a == 0) return a;
      const bool allowed = context_.assume_no_wrap &&
                           i.getOperand(0)->getType()->getIntegerBitWidth() >= 32 &&
                           (context_.row_extensions == nullptr || context_.row_extensions->contains(&i));
      return allowed ? a : std::nullopt;
    }
    case llvm::Instruction::Select: {
      const auto c = step(0), a = step(1), b = step(2);
      return c && *c == 0 && a && b && *a == *b ? a : std::nullopt;
    }
    default: break;
  }
  if (i.mayReadOrWriteMemory() || i.mayHaveSideEffects()) return std::nullopt;
  for (const llvm::Value* operand : i.operands()) {
    if (llvm::isa<llvm::BasicBlock, llvm::Function>(operand)) continue;
    const Pattern p = of(operand);
    if (p.kind != Pattern::unknown && (!p.rows || p.row_step != 0)) return std::nullopt;
  }
  return 0;
}

void Patterns::find_row_guards() {
  for (llvm::BasicBlock* block : flow_.order())
    for (llvm::Instruction& i : *block) {
      if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(i)) continue;
      const Pattern to = patterns_.lookup(&i);
      if (to.kind != Pattern::affine && to.kind != Pattern::unknown && to.rows && to.row_step != 0)
        row_guarded_.insert(&i);
    }
}

}  // namespace heddle::exec::jit
