#include "analysis/low_zeros.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "analysis/accesses.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

constexpr unsigned all_zero = 32;  // of the value 0

bool of_floating(const module::Image& image, const module::Instruction& instruction) {
  const isa::SlotValues& words = image.mnemonics[instruction.mnemonic].values;
  return std::ranges::any_of(std::array{Slot::type, Slot::dtype, Slot::stype}, [&](Slot slot) {
    return isa::info(words.type(slot)).kind == isa::TypeKind::floating;
  });
}

}  // namespace

LowZeros::LowZeros(const module::Image& image, const module::Function& function)
    : image_(image), function_(function), zeros_(function.register_slots + 1, all_zero) {
  for (const module::Parameter& parameter : function.signature.params)
    if (parameter.in_register) zeros_[parameter.reg] = 0;
  find_sums();
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < function.code.size(); ++i) {
      const module::Instruction& instruction = function.code[i];
      const unsigned result = added_[i] == 0 ? result_of(instruction) : of_number(added_[i]);
      each_register(image, function, instruction, [&](RegisterAccess access) {
        if (!access.write || zeros_[access.slot] <= result) return;
        zeros_[access.slot] = static_cast<uint8_t>(result);
        changed = true;
      });
    }
  }
}

// A pointer that goes on by 4 bytes four times in a block goes on by 16 from one time through it to the next.
void LowZeros::find_sums() {
  added_.resize(function_.code.size());
  struct Sum {
    uint32_t slot;
    uint64_t constant;
  };
  for (const module::Block& block : function_.blocks) {
    std::map<uint32_t, Sum> sums;  // by slot, of those that were written
    for (uint32_t i = block.first; i < block.end; ++i) {
      const module::Instruction& x = function_.code[i];
      const auto operand = [&](unsigned n) -> const Operand& {
        return function_.operands[x.first_operand + n];
      };
      const bool adds = x.opcode == Opcode::add && x.operand_count == 3 && x.guard == module::none &&
                        operand(0).kind == OperandKind::reg && operand(1).kind == OperandKind::reg &&
                        operand(2).kind == OperandKind::immediate && !of_floating(image_, x);
      Sum sum{module::none, 0};
      if (adds) {
        const auto before = sums.find(operand(1).reg);
        sum = before == sums.end() ? Sum{operand(1).reg, 0} : before->second;
        sum.constant += operand(2).value;
      }
      each_register(image_, function_, x, [&](RegisterAccess access) {
        if (access.write) sums[access.slot] = sum;
      });
      if (adds && sum.slot == operand(0).reg) added_[i] = sum.constant;
    }
  }
}

unsigned LowZeros::of_address(const Operand& operand) const {
  unsigned zeros = of_number(operand.value);
  if (operand.index != module::none) zeros = std::min(zeros, of_symbol(operand.index));
  if (operand.reg != module::none) zeros = std::min<unsigned>(zeros, zeros_[operand.reg]);
  return zeros;
}

unsigned LowZeros::of_number(uint64_t value) {
  return value == 0 ? all_zero : static_cast<unsigned>(std::countr_zero(value));
}

unsigned LowZeros::of_symbol(uint32_t index) const {
  const module::Symbol& symbol = image_.symbols[index];
  if (symbol.space == module::Space::shared)
    for (const module::Function::SharedPlace& place : function_.shared_layout)
      if (place.symbol == index) return of_number(place.offset);
  return of_number(symbol.align);
}

unsigned LowZeros::of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::reg: return operand.negated ? 0 : zeros_[operand.reg];
    case OperandKind::immediate: return of_number(operand.value);
    case OperandKind::symbol: return std::min(of_symbol(operand.index), of_number(operand.value));
    default: return 0;
  }
}

unsigned LowZeros::result_of(const module::Instruction& instruction) const {
  const auto operand = [&](unsigned i) -> const Operand& {
    return function_.operands[instruction.first_operand + i];
  };
  const unsigned count = instruction.operand_count;
  if (instruction.opcode != Opcode::mov && of_floating(image_, instruction)) return 0;
  switch (instruction.opcode) {
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::cvt: return count == 2 && operand(0).kind == OperandKind::reg ? of(operand(1)) : 0;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::or_:
    case Opcode::xor_: return count == 3 ? std::min(of(operand(1)), of(operand(2))) : 0;
    case Opcode::and_: return count == 3 ? std::max(of(operand(1)), of(operand(2))) : 0;
    case Opcode::mul: return count == 3 ? of_product(operand(1), operand(2), instruction) : 0;
    case Opcode::mad:
      return count == 4 ? std::min(of_product(operand(1), operand(2), instruction), of(operand(3))) : 0;
    case Opcode::shl:
      if (count != 3 || operand(2).kind != OperandKind::immediate) return 0;
      return static_cast<unsigned>(std::min<uint64_t>(all_zero, of(operand(1)) + operand(2).value));
    default: return 0;
  }
}

unsigned LowZeros::of_product(const Operand& a, const Operand& b,
                              const module::Instruction& instruction) const {
  if (image_.mnemonics[instruction.mnemonic].values.is(Slot::mode, Word::hi)) return 0;
  return std::min(all_zero, of(a) + of(b));
}

}  // namespace heddle::analysis
