#include "profiler/classify.h"

#include <array>

namespace heddle::profiler {

namespace {

using Table = std::array<OpcodeClass, isa::opcode_count>;

Table make_table() {
  Table table{};
  for (OpcodeClass& one : table) one = {{}, InstructionClass::misc, Operation::none};
  for (const OpcodeClass& one : opcode_classes())
    table[static_cast<std::size_t>(isa::find_opcode(one.opcode))] = one;
  return table;
}

// The type that decides: of the sources where they have another than the result.
isa::Type type_of(const isa::SlotValues& values) {
  for (const isa::Slot slot : {isa::Slot::type, isa::Slot::stype, isa::Slot::dtype})
    if (const isa::Type type = values.type(slot); type != isa::Type::none) return type;
  return isa::Type::none;
}

Counter arithmetic_of(uint8_t bits) {
  switch (bits) {
    case 16: return Counter::thread_fp16;
    case 32: return Counter::thread_fp32;
    case 64: return Counter::thread_fp64;
    default: return Counter::thread_integer;
  }
}

Counter operation_of(Operation operation, uint8_t bits) {
  const auto first = bits == 16 ? Counter::hp_add : bits == 64 ? Counter::dp_add : Counter::sp_add;
  const unsigned place = operation == Operation::add ? 0 : operation == Operation::mul ? 1 : 2;
  return static_cast<Counter>(static_cast<unsigned>(first) + place);
}

}  // namespace

Classified classify(const module::Image& image, const module::Instruction& instruction) {
  static const Table table = make_table();
  const OpcodeClass& by_opcode = table[static_cast<std::size_t>(instruction.opcode)];
  Classified out{by_opcode.kind, Operation::none, 0, 1, false};
  out.guarded_branch = instruction.opcode == isa::Opcode::bra && instruction.guard != module::none;
  if (out.kind != InstructionClass::arithmetic && out.kind != InstructionClass::special) return out;
  const isa::TypeInfo& type = isa::info(type_of(image.mnemonics[instruction.mnemonic].values));
  if (type.kind != isa::TypeKind::floating) return out;
  out.elements = type.elements;
  out.bits = static_cast<uint8_t>(type.bits / type.elements);
  out.operation = by_opcode.operation;
  return out;
}

void count_class(const Classified& what, uint64_t warps, uint64_t threads, uint64_t on,
                 std::span<uint64_t> counters) {
  const auto add = [&](Counter counter, uint64_t value) {
    counters[static_cast<std::size_t>(counter)] += value;
  };
  add(Counter::inst, warps);
  add(Counter::thread_inst, threads);
  add(Counter::thread_inst_on, on);
  switch (what.kind) {
    case InstructionClass::arithmetic:
      add(arithmetic_of(what.bits), on);
      if (what.operation != Operation::none && what.bits >= 16)
        add(operation_of(what.operation, what.bits), on * what.elements);
      break;
    case InstructionClass::special:
      add(arithmetic_of(what.bits), on);
      if (what.bits == 32) add(Counter::sp_special, on);
      break;
    case InstructionClass::integer: add(Counter::thread_integer, on); break;
    case InstructionClass::convert: add(Counter::thread_convert, on); break;
    case InstructionClass::control:
      add(Counter::thread_control, on);
      add(Counter::control_inst, warps);
      break;
    case InstructionClass::memory:
      add(Counter::thread_memory, on);
      add(Counter::memory_inst, warps);
      break;
    case InstructionClass::texture:
      add(Counter::thread_memory, on);
      add(Counter::texture_inst, warps);
      break;
    case InstructionClass::surface:
      add(Counter::thread_memory, on);
      add(Counter::surface_inst, warps);
      break;
    case InstructionClass::exchange: add(Counter::thread_exchange, on); break;
    case InstructionClass::matrix:
      add(Counter::matrix_inst, warps);
      add(Counter::thread_misc, on);
      break;
    case InstructionClass::barrier:
      add(Counter::barriers, warps);
      add(Counter::thread_misc, on);
      break;
    case InstructionClass::misc: add(Counter::thread_misc, on); break;
  }
}

}  // namespace heddle::profiler
