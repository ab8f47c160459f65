#include "profiler/predication.h"

#include <algorithm>
#include <optional>

#include "analysis/accesses.h"
#include "analysis/predication.h"
#include "profiler/classify.h"

namespace heddle::profiler {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

const isa::SlotValues& words(const module::Image& image, const module::Instruction& instruction) {
  return image.mnemonics[instruction.mnemonic].values;
}

bool is_argument(const module::Image& image, const module::Instruction& instruction) {
  const Word space = words(image, instruction)[Slot::space];
  return instruction.opcode == Opcode::ld && (space == Word::param || space == Word::param_entry);
}

// Registers that are the same in all lanes of a warp, by what the code says: arguments of a kernel, %ctaid
// and what is computed of these.
class Alike {
 public:
  Alike(const module::Image& image, const module::Function& function)
      : image_(image), function_(function), differs_(function.register_slots + 1, !function.entry) {
    if (!function.entry) return;
    for (bool changed = true; changed;) {
      changed = false;
      for (const module::Instruction& instruction : function.code) {
        if (!may_differ(instruction)) continue;
        analysis::each_register(image, function, instruction, [&](analysis::RegisterAccess access) {
          if (!access.write || differs_[access.slot]) return;
          differs_[access.slot] = changed = true;
        });
      }
    }
  }
  bool is(uint32_t slot) const { return !differs_[slot]; }

 private:
  bool may_differ(const module::Instruction& instruction) const {
    switch (classify(image_, instruction).kind) {
      case InstructionClass::arithmetic:
      case InstructionClass::integer:
      case InstructionClass::special:
      case InstructionClass::convert:
      case InstructionClass::misc: break;
      default:
        if (!is_argument(image_, instruction)) return true;
    }
    bool differs = false;
    analysis::each_register(image_, function_, instruction, [&](analysis::RegisterAccess access) {
      differs = differs || (access.read && differs_[access.slot]);
    });
    for (uint32_t k = 0; k < instruction.operand_count; ++k) {
      const Operand& operand = function_.operands[instruction.first_operand + k];
      if (operand.kind == OperandKind::special) differs = differs || !is_alike(operand.special);
    }
    return differs;
  }
  static bool is_alike(isa::SpecialRegister special) {
    switch (special) {
      case isa::SpecialRegister::ntid:
      case isa::SpecialRegister::nctaid:
      case isa::SpecialRegister::ctaid: return true;
      default: return false;
    }
  }
  const module::Image& image_;
  const module::Function& function_;
  std::vector<bool> differs_;
};

// How many instructions of the machine it is about; nothing: it does not stand under a predicate.
std::optional<uint32_t> instructions_of(const module::Image& image, const module::Instruction& instruction) {
  if (instruction.guard != module::none) return std::nullopt;
  const isa::SlotValues& w = words(image, instruction);
  switch (classify(image, instruction).kind) {
    case InstructionClass::arithmetic:
    case InstructionClass::integer:
    case InstructionClass::special:
    case InstructionClass::convert:
    case InstructionClass::memory:
    case InstructionClass::misc: break;
    default: return std::nullopt;
  }
  switch (instruction.opcode) {
    // Of many instructions, some with branches of their own.
    case Opcode::div:
    case Opcode::rem: return std::nullopt;
    case Opcode::sqrt:
    case Opcode::rcp: return w.has(Slot::rnd) ? std::nullopt : std::optional(1U);
    case Opcode::cvta: return 0;  // addresses are the same
    case Opcode::ld: return is_argument(image, instruction) ? 0 : 1;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::neg: {  // of 64 bits, by halves
      const isa::Type type = w.type();
      return isa::info(type).bits == 64 && isa::info(type).kind != isa::TypeKind::floating ? 2 : 1;
    }
    default: return 1;
  }
}

// That does nothing but go on.
bool is_way_out(const module::Instruction& instruction) {
  return instruction.opcode == Opcode::bra && instruction.guard == module::none;
}

}  // namespace

Predication::Predication(const module::Image& image, const module::Function& function,
                         arch::Capability capability) {
  const analysis::PredicationLimit& limit = analysis::predication_limit(capability);
  std::optional<Alike> alike;
  for (const module::Block& block : function.blocks) {
    if (block.first == block.end || block.successors.size() != 2) continue;
    const uint32_t branch = block.end - 1;
    const module::Instruction& jump = function.code[branch];
    if (jump.opcode != Opcode::bra || jump.guard == module::none || block.end >= function.code.size())
      continue;
    // What it jumps over, which nobody else comes to and which goes on where it jumps to.
    const uint32_t over = function.block_of[block.end];
    const module::Block& body = function.blocks[over];
    if (body.first != block.end || body.predecessors.size() != 1 || body.successors.size() != 1) continue;
    const uint32_t join = body.successors.front();
    if (join == over || std::ranges::find(block.successors, over) == block.successors.end() ||
        std::ranges::find(block.successors, join) == block.successors.end())
      continue;
    uint32_t count = 0;
    uint32_t end = body.end;
    if (is_way_out(function.code[end - 1])) --end;
    for (uint32_t i = body.first; i < end && count <= limit.differing; ++i) {
      const auto more = instructions_of(image, function.code[i]);
      count += more ? *more : limit.differing + 1;
    }
    if (count > limit.differing) continue;
    if (count > limit.alike) {
      if (!alike) alike.emplace(image, function);
      if (alike->is(jump.guard)) continue;
    }
    if (ends_.empty()) ends_.resize(function.code.size());
    ends_[branch] = body.end;
  }
}

}  // namespace heddle::profiler
