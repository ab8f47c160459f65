#include "timing/lower_1x.h"

#include <algorithm>
#include <bit>

#include "exec/count_places.h"

namespace heddle::timing {

Lower1x::Lower1x(const module::Function& function, const Machine& machine,
                 const std::vector<uint32_t>& writers, const std::vector<uint32_t>& readers)
    : function_(function),
      m_(machine),
      writers_(writers),
      readers_(readers),
      shared_loads_(function.register_slots, none_) {}

void Lower1x::lower(const module::Instruction& instruction, Operation& o, Body& body) {
  take_integers(instruction, o);
  take_special_register(instruction, o);
  if (o.accesses) take_address(instruction, o, body);
  take_shared_operand(instruction, o, body);
  forget(instruction, o, body);
}

std::string_view Lower1x::opcode(const module::Instruction& instruction) const {
  return isa::name(instruction.opcode);
}

const module::Operand& Lower1x::operand(const module::Instruction& instruction, uint32_t number) const {
  return function_.operands[instruction.first_operand + number];
}

const module::Operand* Lower1x::address_of(const module::Instruction& instruction) const {
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (operand(instruction, i).kind == module::OperandKind::address) return &operand(instruction, i);
  return nullptr;
}

bool Lower1x::is_arithmetic(const Operation& o) const {
  return o.unit == Unit::f32 || o.unit == Unit::i32 || o.unit == Unit::imul;
}

void Lower1x::become_integer(Operation& o) const {
  constexpr auto unit = static_cast<std::size_t>(Unit::i32);
  o.unit = Unit::i32;
  o.issue = m_.issue;
  o.busy = m_.busy[unit];
  o.latency = m_.latency[unit];
}

// Addresses have 32 bits, whatever registers they come in, and a product takes several instructions, for
// which the assembler puts a shift where it can.
void Lower1x::take_integers(const module::Instruction& instruction, Operation& o) const {
  const std::string_view name = opcode(instruction);
  if (o.unit == Unit::i32 && (name == "add" || name == "sub" || name == "shl")) become_integer(o);
  if (o.unit != Unit::imul || name != "mul") return;
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (operand(instruction, i).kind == module::OperandKind::immediate &&
        std::has_single_bit(operand(instruction, i).value))
      return become_integer(o);
}

// Threads' and blocks' numbers and sizes are 16 bits wide, in registers and in shared memory: they are
// converted.
void Lower1x::take_special_register(const module::Instruction& instruction, Operation& o) const {
  if (o.unit != Unit::none || opcode(instruction) != "mov" || instruction.operand_count != 2) return;
  if (operand(instruction, 1).kind == module::OperandKind::special) become_integer(o);
}

// The instructions that bring an address to where the access takes it from: for shared memory a register of
// another kind, which reaches so far; for global memory the sum itself.
void Lower1x::take_address(const module::Instruction& instruction, Operation& o, const Body& body) {
  const module::Operand* const address = address_of(instruction);
  if (address == nullptr || address->reg == module::none) return;
  const bool is_global = address->space == module::Space::global || address->space == module::Space::generic;
  uint32_t instructions = 0;
  Ticks latency = m_.address_latency;
  if (is_global) {
    instructions = address->value == 0 ? 0 : m_.global_offset;
    latency = m_.latency[static_cast<std::size_t>(Unit::i32)];
  } else if (address->space == module::Space::shared) {
    instructions = fill(address->reg);
    if (opcode(instruction) == "ld" && address->value >= m_.address_reach) ++instructions;
  }
  if (instructions == 0) return;
  o.issue += instructions * m_.issue;
  o.late = static_cast<uint16_t>(instructions * latency);
  const auto reads = body.reads(o);
  o.late_read = static_cast<uint16_t>(std::ranges::find(reads, address->reg) - reads.begin());
}

// Instructions that fill an address register, unless one has the value already.
uint32_t Lower1x::fill(uint32_t slot) {
  const auto found = std::ranges::find(addresses_, slot);
  if (found != addresses_.end()) {
    std::rotate(addresses_.begin(), found, found + 1);
    return 0;
  }
  if (addresses_.size() == m_.address_registers) addresses_.pop_back();
  addresses_.insert(addresses_.begin(), slot);
  return 1;
}

// The assembler fills address registers anew behind labels and barriers.
void Lower1x::forget(const module::Instruction& instruction, const Operation& o, const Body& body) {
  const auto next = static_cast<uint32_t>(&instruction - function_.code.data()) + 1;
  if (o.unit == Unit::barrier || (next < function_.code.size() && exec::begins_count(function_, next)))
    addresses_.clear();
  for (const uint32_t slot : body.writes(o)) std::erase(addresses_, slot);
}

// An instruction can have one operand in shared memory, and is as fast as with registers unless it adds to a
// product (spec/timing/machines.toml, shared_operand): a load whose result one instruction of arithmetic
// reads is none of its own.
void Lower1x::take_shared_operand(const module::Instruction& instruction, Operation& o, Body& body) {
  const module::Operand* const address = address_of(instruction);
  if (opcode(instruction) == "ld" && address != nullptr && address->space == module::Space::shared) {
    if (o.writes != 1) return;
    const uint32_t slot = body.writes(o)[0];
    if (writers_[slot] == 1 && readers_[slot] == 1)
      shared_loads_[slot] = static_cast<uint32_t>(body.operations.size());
    return;
  }
  if (!is_arithmetic(o)) return;
  for (const uint32_t slot : body.reads(o)) {
    if (shared_loads_[slot] == none_) continue;
    Operation& load = body.operations[shared_loads_[slot]];
    const bool adds = o.unit == Unit::f32 && o.reads > 2;
    load.is_operand = true;
    load.busy = adds ? m_.shared_operand : 0;
    load.issue = load.issue - m_.issue + load.busy;
    return;
  }
}

}  // namespace heddle::timing
