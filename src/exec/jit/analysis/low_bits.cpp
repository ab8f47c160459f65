#include "exec/jit/analysis/low_bits.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

constexpr unsigned deepest = 8;  // of sums in sums

class LowBits {
 public:
  explicit LowBits(const Patterns& patterns) : patterns_(patterns) {}

  std::optional<uint64_t> of(const llvm::Value& value, unsigned count, unsigned depth) const {
    const uint64_t mask = (uint64_t{1} << count) - 1;
    if (count == 0) return 0;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return number->getBitWidth() <= 64 ? std::optional(number->getZExtValue() & mask) : std::nullopt;
    if (!value.getType()->isIntegerTy() || value.getType()->getScalarSizeInBits() < count)
      return std::nullopt;
    if (lane_zeros(patterns_.of(&value)) >= count) return 0;
    const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr || depth == deepest) return std::nullopt;
    const auto operand = [&](unsigned number, unsigned bits) {
      return of(*i->getOperand(number), bits, depth + 1);
    };
    switch (i->getOpcode()) {
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt:
      case llvm::Instruction::Trunc: return operand(0, count);
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Or: {
        const auto a = operand(0, count), b = operand(1, count);
        if (!a || !b) return std::nullopt;
        const bool sub = i->getOpcode() == llvm::Instruction::Sub,
                   either = i->getOpcode() == llvm::Instruction::Or;
        return (either ? *a | *b : sub ? *a - *b : *a + *b) & mask;
      }
      case llvm::Instruction::Shl: {
        const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
        if (by == nullptr || by->getZExtValue() >= 64) return std::nullopt;
        const auto shift = static_cast<unsigned>(by->getZExtValue());
        const auto a = operand(0, count > shift ? count - shift : 0);
        return a ? std::optional((*a << shift) & mask) : std::nullopt;
      }
      case llvm::Instruction::Mul: {
        const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
        if (by == nullptr || by->isZero() || by->getBitWidth() > 64) return std::nullopt;
        const auto zeros = static_cast<unsigned>(by->getValue().countr_zero());
        const auto a = operand(0, count > zeros ? count - zeros : 0);
        return a ? std::optional((*a * by->getZExtValue()) & mask) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

 private:
  const Patterns& patterns_;
};

}  // namespace

std::optional<uint64_t> low_bits(const llvm::Value& value, unsigned count, const Patterns& patterns) {
  return LowBits(patterns).of(value, count, 0);
}

}  // namespace heddle::exec::jit
