#include "profiler/joined_loads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/accesses.h"

namespace heddle::profiler {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

constexpr unsigned all_zero = 32;  // of the value 0
constexpr uint64_t widest = 16;

// How many low bits of registers are known to be 0.
class LowZeros {
 public:
  LowZeros(const module::Image& image, const module::Function& function)
      : image_(image), function_(function), zeros_(function.register_slots + 1, all_zero) {
    for (const module::Parameter& parameter : function.signature.params)
      if (parameter.in_register) zeros_[parameter.reg] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const module::Instruction& instruction : function.code) {
        const unsigned result = result_of(instruction);
        analysis::each_register(image, function, instruction, [&](analysis::RegisterAccess access) {
          if (!access.write || zeros_[access.slot] <= result) return;
          zeros_[access.slot] = static_cast<uint8_t>(result);
          changed = true;
        });
      }
    }
  }

  unsigned of_address(const Operand& operand) const {
    unsigned zeros = of_number(operand.value);
    if (operand.index != module::none) zeros = std::min(zeros, of_symbol(operand.index));
    if (operand.reg != module::none) zeros = std::min<unsigned>(zeros, zeros_[operand.reg]);
    return zeros;
  }

 private:
  static unsigned of_number(uint64_t value) {
    return value == 0 ? all_zero : static_cast<unsigned>(std::countr_zero(value));
  }
  unsigned of_symbol(uint32_t index) const {
    const module::Symbol& symbol = image_.symbols[index];
    if (symbol.space == module::Space::shared)
      for (const module::Function::SharedPlace& place : function_.shared_layout)
        if (place.symbol == index) return of_number(place.offset);
    return of_number(symbol.align);
  }
  unsigned of(const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::reg: return operand.negated ? 0 : zeros_[operand.reg];
      case OperandKind::immediate: return of_number(operand.value);
      case OperandKind::symbol: return std::min(of_symbol(operand.index), of_number(operand.value));
      default: return 0;
    }
  }
  unsigned result_of(const module::Instruction& instruction) const {
    const auto operand = [&](unsigned i) -> const Operand& {
      return function_.operands[instruction.first_operand + i];
    };
    const unsigned count = instruction.operand_count;
    if (instruction.opcode != Opcode::mov && of_floating(instruction)) return 0;
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
  bool of_floating(const module::Instruction& instruction) const {
    const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
    return std::ranges::any_of(std::array{Slot::type, Slot::dtype, Slot::stype}, [&](Slot slot) {
      return isa::info(words.type(slot)).kind == isa::TypeKind::floating;
    });
  }
  unsigned of_product(const Operand& a, const Operand& b, const module::Instruction& instruction) const {
    if (image_.mnemonics[instruction.mnemonic].values.is(Slot::mode, Word::hi)) return 0;
    return std::min(all_zero, of(a) + of(b));
  }

  const module::Image& image_;
  const module::Function& function_;
  std::vector<uint8_t> zeros_;  // by slot
};

struct Load {
  uint32_t instruction;
  uint64_t offset;
};
// Base register, symbol, guard, bytes of a lane.
using Base = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
using Loads = std::map<Base, std::vector<Load>>;

const Operand* address_of(const module::Function& function, const module::Instruction& instruction) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (const Operand& operand = function.operands[instruction.first_operand + i];
        operand.kind == OperandKind::address)
      return &operand;
  return nullptr;
}

// Bytes of a lane; 0: not a load that may be joined.
uint32_t loaded_bytes(const module::Image& image, const module::Instruction& instruction) {
  if (instruction.opcode != Opcode::ld) return 0;
  const isa::SlotValues& words = image.mnemonics[instruction.mnemonic].values;
  const Word space = words[Slot::space];
  if (space != Word::shared && space != Word::shared_cta) return 0;
  if (words.has(Slot::volatile_) || words.has(Slot::sem) || words.has(Slot::mmio)) return 0;
  const uint32_t bytes = isa::info(words.type()).bits / 8;
  if (bytes != 4 && bytes != 8) return 0;
  if (words.is(Slot::vec, Word::v2)) return 2 * bytes;
  return words.has(Slot::vec) ? 0 : bytes;
}

// Whether loads before it and behind it stay apart: it may write what they read, waits for who does, or is
// made with a branch: exact quotients and roots go another way for rare operands, and a block ends there.
bool parts_loads(Opcode opcode, const isa::SlotValues& words) {
  switch (opcode) {
    case Opcode::ld: return words.has(Slot::volatile_) || words.has(Slot::sem) || words.has(Slot::mmio);
    case Opcode::st: {
      const Word space = words[Slot::space];
      return space != Word::global && space != Word::local && space != Word::param;
    }
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt: return words.has(Slot::rnd);
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::call:
    case Opcode::cp:
    case Opcode::fence:
    case Opcode::membar:
    case Opcode::mbarrier: return true;
    default: return false;
  }
}

}  // namespace

bool joins_loads(const arch::Architecture& arch) { return arch.capability.major >= 5; }

JoinedLoads::JoinedLoads(const module::Image& image, const module::Function& function) {
  std::optional<LowZeros> zeros;  // when there is something to ask
  Loads open;
  const auto join = [&](const Base& base, std::vector<Load>& loads) {
    if (loads.size() < 2) return;
    const uint32_t bytes = std::get<3>(base);
    std::ranges::sort(loads, {}, [](const Load& load) { return std::pair(load.offset, load.instruction); });
    for (std::size_t i = 0; i < loads.size();) {
      std::size_t end = i + 1;
      while (end < loads.size() && loads[end].offset == loads[end - 1].offset + bytes &&
             (end - i) * bytes < widest)
        ++end;
      std::size_t count = std::bit_floor(end - i);
      if (count > 1) {
        if (!zeros) zeros.emplace(image, function);
        const unsigned known = zeros->of_address(*address_of(function, function.code[loads[i].instruction]));
        while (count > 1 && (uint64_t{1} << std::min(known, 8U)) < count * bytes) count /= 2;
      }
      if (count > 1) {
        if (bytes_.empty()) bytes_.resize(function.code.size());
        bytes_[loads[i].instruction] = static_cast<uint8_t>(count * bytes);
        for (std::size_t k = i + 1; k < i + count; ++k) bytes_[loads[k].instruction] = follows;
      }
      i += count;
    }
  };
  const auto join_all = [&] {
    for (auto& [base, loads] : open) join(base, loads);
    open.clear();
  };
  for (const module::Block& block : function.blocks) {
    for (uint32_t i = block.first; i < block.end; ++i) {
      const module::Instruction& instruction = function.code[i];
      if (parts_loads(instruction.opcode, image.mnemonics[instruction.mnemonic].values)) join_all();
      if (const uint32_t bytes = loaded_bytes(image, instruction); bytes != 0)
        if (const Operand* address = address_of(function, instruction))
          open[{address->reg, address->index, instruction.guard, bytes}].push_back({i, address->value});
      if (open.empty()) continue;
      // Whoever is based on a register that changes ends here.
      analysis::each_register(image, function, instruction, [&](analysis::RegisterAccess access) {
        if (!access.write) return;
        for (auto it = open.begin(); it != open.end();)
          if (std::get<0>(it->first) == access.slot || std::get<2>(it->first) == access.slot) {
            join(it->first, it->second);
            it = open.erase(it);
          } else {
            ++it;
          }
      });
    }
    join_all();
  }
}

}  // namespace heddle::profiler
