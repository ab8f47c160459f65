#include "exec/jit/analysis/ring.h"

#include <algorithm>

#include "llvm/IR/Constants.h"

namespace heddle::exec::jit {

using llvm::Instruction;
using llvm::Value;

namespace {

const llvm::ConstantInt* constant(const Instruction& i) {
  return llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
}

}  // namespace

void Ring::each_value(llvm::function_ref<void(Value*)> tell) const {
  tell(index);
  const Value* at = bits;
  for (const Instruction* step : steps) {
    if (step->getOpcode() == Instruction::Add) tell(step->getOperand(step->getOperand(0) == at ? 1 : 0));
    at = step;
  }
}

std::optional<Ring> find_ring(const Value* address, const Patterns& patterns, uint64_t bytes) {
  constexpr unsigned most_steps = 8;
  Ring ring;
  uint64_t factor = 1;
  // A sum wraps where nobody looks, but not when it is extended.
  bool has_sum = false;
  const Value* value = address;
  for (;;) {
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || ring.steps.size() == most_steps) return std::nullopt;
    const llvm::ConstantInt* number = i->getNumOperands() == 2 ? constant(*i) : nullptr;
    unsigned bits_in = 0;  // the operand that leads on
    switch (i->getOpcode()) {
      case Instruction::And:
        if (number == nullptr) return std::nullopt;
        ring.mask = number->getZExtValue();
        ring.index = i->getOperand(0);
        ring.bits = i;
        break;
      case Instruction::ZExt:
        if (has_sum) return std::nullopt;
        break;
      case Instruction::Shl:
        if (number == nullptr || number->getZExtValue() >= 32) return std::nullopt;
        factor <<= number->getZExtValue();
        break;
      case Instruction::Mul:
        if (number == nullptr || number->getValue().getActiveBits() > 31) return std::nullopt;
        factor *= number->getZExtValue();
        break;
      case Instruction::Add: {
        const bool first = patterns.of(i->getOperand(0)).lane_uniform();
        if (!first && !patterns.of(i->getOperand(1)).lane_uniform()) return std::nullopt;
        bits_in = first ? 1 : 0;
        has_sum = true;
        break;
      }
      default: return std::nullopt;
    }
    if (factor == 0 || factor > bytes) return std::nullopt;
    if (ring.index != nullptr) break;
    ring.steps.push_back(i);
    value = i->getOperand(bits_in);
  }
  std::ranges::reverse(ring.steps);
  const Pattern index = patterns.of(ring.index);
  if (!index.stepped() || index.lane_step <= 0 || factor * static_cast<uint64_t>(index.lane_step) != bytes)
    return std::nullopt;
  // A mask of bits [low, high): what is below is 0 in every lane.
  const unsigned low = static_cast<unsigned>(llvm::countr_zero(ring.mask));
  if (low > lane_zeros(index) || !llvm::isMask_64(ring.mask >> low)) return std::nullopt;
  ring.mask |= llvm::maskTrailingOnes<uint64_t>(low);
  // The lanes of a vector span less than the ring, and its products stay within their types.
  const uint64_t span = static_cast<uint64_t>(index.lane_step) * (patterns.lanes() - 1);
  if (span >= ring.mask) return std::nullopt;
  uint64_t most = ring.mask;
  for (const Instruction* i : ring.steps) {
    const unsigned width = i->getType()->getIntegerBitWidth();
    if (i->getOpcode() == Instruction::Shl) most <<= constant(*i)->getZExtValue();
    if (i->getOpcode() == Instruction::Mul) most *= constant(*i)->getZExtValue();
    if (most >= uint64_t{1} << std::min(width - 1, 40U)) return std::nullopt;
  }
  return ring;
}

}  // namespace heddle::exec::jit
