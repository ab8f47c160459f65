// Exclusive ors of a row of lanes with a number that the lanes share: butterflies, swizzles. Where the row
// begins at a multiple of its length, (row + lane) ^ n = (row ^ high bits of n) + (lane ^ low bits of n): one
// row again, whose lanes have changed places.
#include <algorithm>
#include <bit>

#include "exec/jit/analysis/pattern.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::exec::jit {

namespace {

// Flips are kept as numbers of the value's type.
constexpr unsigned narrowest = 16;

}  // namespace

// Where a row of lanes so far apart begins, that many bits must be zero; as many are the lanes'.
unsigned Patterns::row_zeros(int64_t lane_step) const {
  return static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(lane_step)) +
                               std::countr_zero(lanes()));
}

bool Patterns::begins_anywhere(const Pattern& row) const {
  const auto step = static_cast<uint64_t>(row.vector_step);
  return std::min<unsigned>(row.zeros, std::countr_zero(step)) < row_zeros(row.lane_step);
}

// Its row begins anywhere; vectors of an affine one begin where rows do if the first does.
bool Patterns::may_test_row(const llvm::Instruction& i, const Pattern& row) const {
  if (!context_.tests_rows || !row.stepped() || row.lane_step <= 0) return false;
  if (!std::has_single_bit(static_cast<uint64_t>(row.lane_step)) || !begins_anywhere(row)) return false;
  if (static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(row.vector_step))) <
      row_zeros(row.lane_step))
    return false;
  return context_.tested_rows == nullptr || context_.tested_rows->contains(&i);
}

Pattern Patterns::exclusive_or(const llvm::Instruction& i) const {
  const Pattern a = of(i.getOperand(0)), b = of(i.getOperand(1));
  if (a.kind == Pattern::unknown || b.kind == Pattern::unknown) return {};
  if (a.lane_uniform() == b.lane_uniform()) {
    Pattern p = pointwise(i);
    p.zeros = static_cast<uint8_t>(std::min(lane_zeros(a), lane_zeros(b)));
    return p;
  }
  const Pattern &row = a.lane_uniform() ? b : a, &number = a.lane_uniform() ? a : b;
  const Pattern varies = Pattern::of_vector(std::min(lane_zeros(row), lane_zeros(number)));
  const unsigned width = i.getType()->isIntegerTy() ? i.getType()->getIntegerBitWidth() : 0;
  if (row.kind == Pattern::vector || width < narrowest || width > 64) return varies;
  if (row.lane_step <= 0 || !std::has_single_bit(static_cast<uint64_t>(row.lane_step))) return varies;
  const unsigned needed = row_zeros(row.lane_step), of_number = lane_zeros(number);
  const bool is_tested = may_test_row(i, row);
  const auto vector_step = static_cast<uint64_t>(row.vector_step);
  const unsigned of_row = is_tested ? needed : std::min<unsigned>(row.zeros, std::countr_zero(vector_step));
  const bool moves_lanes =
      of_number >= static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(row.lane_step)));
  if (of_row < needed || needed >= width || !moves_lanes) return varies;
  const auto zeros = static_cast<uint8_t>(std::min(of_row, std::max(of_number, needed)));
  const bool in_order = row.kind == Pattern::affine && row.vector_step == row.lane_step * int64_t{lanes()} &&
                        !carries(row, width);
  const int64_t apart = !number.uniform() ? 0 : in_order || row.kind == Pattern::xored ? row.vector_step : 0;
  if (of_number < needed) return fit({Pattern::xored, row.lane_step, apart, zeros}, i.getType());
  Pattern all = row;
  all.zeros = static_cast<uint8_t>(std::min<unsigned>(is_tested ? needed : row.zeros, of_number));
  if (number.uniform() && row.kind == Pattern::affine && !carries(all, width)) return all;
  if (row.kind == Pattern::xored) return fit({Pattern::xored, row.lane_step, apart, zeros}, i.getType());
  return {Pattern::per_vector, row.lane_step, 0, zeros};
}

// Where an operand is such a row; nothing: as for every other pattern.
std::optional<Pattern> Patterns::of_xored(const llvm::Instruction& i) const {
  const auto is_xored = [&](unsigned operand) { return of(i.getOperand(operand)).kind == Pattern::xored; };
  const unsigned count = i.getNumOperands();
  if (count == 0 || count > 2 || !(is_xored(0) || (count == 2 && is_xored(1)))) return std::nullopt;
  const unsigned at = is_xored(0) ? 0 : 1;
  const Pattern row = of(i.getOperand(at));
  const auto* number = count == 2 ? llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1)) : nullptr;
  const unsigned width = i.getType()->isIntegerTy() ? i.getType()->getIntegerBitWidth() : 0;
  switch (i.getOpcode()) {
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint()) return std::nullopt;
      [[fallthrough]];
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      const Pattern other = of(i.getOperand(1 - at));
      if (other.kind == Pattern::unknown) return Pattern{};
      const unsigned zeros = std::min(lane_zeros(other), unsigned{row.zeros});
      if (!other.lane_uniform()) return Pattern::of_vector(std::min(lane_zeros(row), zeros));
      const bool negative = i.getOpcode() == llvm::Instruction::Sub && at == 1;
      const int sign = negative ? -1 : 1;
      // A number that differs from vector to vector moves rows onto others.
      const int64_t apart = other.uniform() ? sign * row.vector_step : 0;
      return fit({Pattern::xored, sign * row.lane_step, apart, static_cast<uint8_t>(zeros)}, i.getType());
    }
    case llvm::Instruction::And:
      if (number == nullptr || width > 64) return std::nullopt;
      return whole_bits(row, number->getZExtValue(), width);
    case llvm::Instruction::LShr: {
      if (number == nullptr || width > 64 || row.lane_step <= 0) return std::nullopt;
      const unsigned needed = row_zeros(row.lane_step);
      const uint64_t bits = number->getLimitedValue(width);
      if (!std::has_single_bit(static_cast<uint64_t>(row.lane_step)) || row.zeros < needed)
        return std::nullopt;
      if (bits < needed || bits >= width) return std::nullopt;
      return Pattern{Pattern::per_vector, 0, 0,
                     static_cast<uint8_t>(row.zeros > bits ? row.zeros - bits : 0)};
    }
    case llvm::Instruction::Trunc:
      return width < narrowest ? std::optional(Pattern::of_vector(std::min(lane_zeros(row), width)))
                               : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace heddle::exec::jit
