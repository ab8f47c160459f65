#include "timing/program.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/accesses.h"
#include "analysis/clocks.h"
#include "exec/count_places.h"
#include "timing/lower_1x.h"
#include "timing/tables.h"

namespace heddle::timing {

namespace {

bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto blank = list.find(' ');
    if (list.substr(0, blank) == word) return true;
    if (blank == std::string_view::npos) return false;
    list.remove_prefix(blank + 1);
  }
  return false;
}

bool has_word(const module::Mnemonic& mnemonic, std::string_view word) {
  return std::any_of(mnemonic.values.words.begin(), mnemonic.values.words.end(),
                     [&](isa::Word w) { return w != isa::Word::none && isa::spelling(w) == word; });
}

bool has_type(const module::Mnemonic& mnemonic, std::string_view types) {
  return std::any_of(mnemonic.values.words.begin(), mnemonic.values.words.end(), [&](isa::Word w) {
    return w != isa::Word::none && isa::type_of(w) != isa::Type::none && lists(types, isa::spelling(w));
  });
}

bool has_feature(const arch::Device& device, std::string_view feature) {
  for (std::size_t f = 0; f < arch::feature_count; ++f)
    if (arch::name(static_cast<arch::Feature>(f)) == feature)
      return device.has(static_cast<arch::Feature>(f));
  return false;
}

bool fits(const OperationRecord& record, const module::Mnemonic& mnemonic, const arch::Device& device) {
  if (!record.types.empty() && !has_type(mnemonic, record.types)) return false;
  if (device.capability() < record.from) return false;
  if (!record.feature.empty() && !has_feature(device, record.feature)) return false;
  return record.words.empty() || has_word(mnemonic, record.words);
}

module::Space space_of(const module::Function& function, const module::Instruction& instruction) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i) {
    const module::Operand& o = function.operands[instruction.first_operand + i];
    if (o.kind == module::OperandKind::address) return o.space;
  }
  return module::Space::generic;
}

// A load of a parameter is an operand of what uses it; one of a constant table too.
bool of_parameters(const module::Function& function, const module::Instruction& instruction) {
  return space_of(function, instruction) == module::Space::param;
}

// What goes to a function that is called, or comes from it: it does so in registers.
bool passes(const module::Mnemonic& mnemonic) {
  return mnemonic.values[isa::Slot::space] == isa::Word::param;
}

bool accesses_memory(std::string_view opcode) {
  return opcode == "ld" || opcode == "ldu" || opcode == "st" || opcode == "atom" || opcode == "red" ||
         opcode == "cp" || opcode == "ldmatrix" || opcode == "stmatrix" || opcode == "tex" ||
         opcode == "tld4";
}

Asked asked_of(const module::Function& function, const module::Instruction& instruction,
               std::string_view opcode) {
  if (opcode == "tex" || opcode == "tld4") return Asked::textures;
  const module::Space space = space_of(function, instruction);
  return space == module::Space::shared   ? Asked::shared
         : space == module::Space::const_ ? Asked::constants
                                          : Asked::global;
}

class BodyMaker {
 public:
  BodyMaker(const module::Image& image, const Machine& machine, const module::Function& function)
      : image_(image), machine_(machine), function_(function) {}

  Body make() {
    body_.slots = function_.register_slots;
    same_in_all_.resize(body_.slots);
    writers_.resize(body_.slots);
    readers_.resize(body_.slots);
    for (const module::Instruction& instruction : function_.code)
      analysis::each_register(image_, function_, instruction, [&](analysis::RegisterAccess access) {
        if (access.write) ++writers_[access.slot];
        if (access.read) ++readers_[access.slot];
      });
    find_loops();
    if (machine_.address_registers != 0) of_1x_.emplace(function_, machine_, writers_, readers_);
    for (const module::Instruction& instruction : function_.code) add(instruction);
    body_.run_end.resize(function_.code.size());
    auto end = static_cast<uint32_t>(function_.code.size());
    for (uint32_t i = end; i-- > 0;) {
      body_.run_end[i] = end;
      if (exec::begins_count(function_, i)) end = i;
    }
    return std::move(body_);
  }

 private:
  void add(const module::Instruction& instruction) {
    const module::Mnemonic& mnemonic = image_.mnemonics[instruction.mnemonic];
    Operation o;
    o.first_register = static_cast<uint32_t>(body_.registers.size());
    for (const bool writes : {false, true})
      analysis::each_register(image_, function_, instruction, [&](analysis::RegisterAccess access) {
        if (writes ? !access.write : !access.read) return;
        body_.registers.push_back(access.slot);
        ++(writes ? o.writes : o.reads);
      });
    const std::string_view opcode = isa::name(instruction.opcode);
    for (const OperationRecord& record : operation_records()) {
      if (record.opcode != opcode || !fits(record, mnemonic, *machine_.device)) continue;
      o.unit = record.unit;
      const auto unit = static_cast<std::size_t>(record.unit);
      o.busy = static_cast<Ticks>(static_cast<double>(machine_.busy[unit]) * record.count);
      o.issue = machine_.issue * std::max<Ticks>(1, o.busy / std::max<Ticks>(1, machine_.busy[unit]));
      o.latency = static_cast<Ticks>(static_cast<double>(machine_.latency[unit]) * record.depth);
      break;
    }
    if (opcode == "call") take_math_function(instruction, o);
    if (analysis::reads_clock(function_, instruction)) take_look_at_clock(o);
    if (opcode == "nanosleep") take_sleep(instruction, o);
    if (o.unit == Unit::memory) {
      if (of_parameters(function_, instruction) || passes(mnemonic) ||
          is_constant_operand(instruction, opcode))
        o.unit = Unit::none;
      else
        o.accesses = accesses_memory(opcode);
      if (o.accesses) o.asked = asked_of(function_, instruction, opcode);
    }
    // .cg: in the L2 cache alone; .cv: as if no cache had it (PTX ISA, cache operators).
    o.past_l1 = has_word(mnemonic, "cg") || has_word(mnemonic, "cv") ||
                (machine_.l1_read_only && !has_word(mnemonic, "nc") && !has_word(mnemonic, "ca"));
    if (has_same_value(instruction, o, opcode)) {
      same_in_all_[body_.registers[o.first_register + o.reads]] = true;
    } else {
      for (uint32_t i = 0; i < o.writes; ++i)
        same_in_all_[body_.registers[o.first_register + o.reads + i]] = false;
    }
    o.together = (opcode == "red" || opcode == "atom") && has_word(mnemonic, "add") &&
                 (reads_same(o) || (sums_in_warp(mnemonic) && has_same_address(instruction)));
    o.fixed_order = o.unit == Unit::control && opcode != "nanosleep";
    if (o.fixed_order && o.reads != 0) o.late = static_cast<uint16_t>(machine_.decision);
    // A branch behind a branch: the assembler turns the first, so that one of them goes to each side.
    const bool jumps = opcode == "bra" && instruction.guard == module::none;
    if (jumps && behind_branch_) o.unit = Unit::none, o.fixed_order = false;
    behind_branch_ = opcode == "bra" && !jumps;
    // Where lanes meet are instructions of the assembler's, in front of the branch and at the place.
    o.meets = behind_branch_ && machine_.meeting_instructions != 0 && lanes_meet(instruction);
    if (o.meets) o.issue *= 1 + machine_.meeting_instructions;
    if (of_1x_) of_1x_->lower(instruction, o, body_);
    body_.operations.push_back(o);
  }

  // An H200 has the next instruction 2 clocks behind a look at %clock64 (tests/hw/h200/clocks), whatever the
  // PTX instruction that it is an operand of. %clock takes it 8; of other devices nothing is known.
  void take_look_at_clock(Operation& o) const {
    constexpr auto unit = static_cast<std::size_t>(Unit::i32);
    o.unit = Unit::i32;
    o.issue = 2 * machine_.issue;
    o.busy = machine_.busy[unit];
    o.latency = machine_.latency[unit];
  }

  // Of an immediate, or a register that one move alone writes.
  std::optional<uint64_t> constant(const module::Operand& operand) const {
    if (operand.kind == module::OperandKind::immediate) return operand.value;
    if (operand.kind != module::OperandKind::reg || writers_[operand.reg] != 1) return std::nullopt;
    for (const module::Instruction& i : function_.code) {
      if (isa::name(i.opcode) != "mov" || i.operand_count != 2) continue;
      const module::Operand *to = &function_.operands[i.first_operand], *from = to + 1;
      if (to->kind == module::OperandKind::reg && to->reg == operand.reg &&
          from->kind == module::OperandKind::immediate)
        return from->value;
    }
    return std::nullopt;
  }

  // As long as it says (PTX ISA 9.7.13: up to twice that), where the program has that as a constant.
  void take_sleep(const module::Instruction& instruction, Operation& o) const {
    const module::Operand& time = function_.operands[instruction.first_operand];
    o.unit = Unit::control;
    o.issue = machine_.issue;
    if (const auto nanoseconds = constant(time))
      o.holds = machine_.ticks(static_cast<double>(*nanoseconds & 0xffff'ffff));
  }

  // Its instructions, of which half stand one behind another (guessed): spec/timing/math.toml.
  void take_math_function(const module::Instruction& instruction, Operation& o) {
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      const module::Operand& operand = function_.operands[instruction.first_operand + i];
      if (operand.kind != module::OperandKind::function || image_.functions[operand.index].defined) continue;
      const auto& all = math_records();
      const auto record = std::ranges::find(all, image_.functions[operand.index].name, &MathRecord::name);
      if (record == all.end()) continue;
      constexpr auto single = static_cast<std::size_t>(Unit::f32),
                     twice = static_cast<std::size_t>(Unit::f64);
      const uint32_t others = record->instructions - record->doubles;
      o.unit = record->doubles != 0 ? Unit::f64 : Unit::f32;
      o.issue = machine_.issue * record->instructions;
      o.busy = record->doubles != 0 ? machine_.busy[twice] * record->doubles : machine_.busy[single] * others;
      o.latency = o.holds =
          (machine_.latency[twice] * record->doubles + machine_.latency[single] * others) / 2;
    }
  }

  // A constant at a fixed place is an operand as a register is (CUDA C Best Practices Guide 3.2.5); where
  // constants were measured, the measured chains have those too.
  bool is_constant_operand(const module::Instruction& instruction, std::string_view opcode) const {
    if (opcode != "ld" || machine_.constant_latency != 0) return false;
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      const module::Operand& o = function_.operands[instruction.first_operand + i];
      if (o.kind == module::OperandKind::address)
        return o.space == module::Space::const_ && o.reg == module::none;
    }
    return false;
  }

  static uint32_t target_of(const module::Function& function, const module::Instruction& instruction) {
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      const module::Operand& o = function.operands[instruction.first_operand + i];
      if (o.kind == module::OperandKind::label) return static_cast<uint32_t>(o.value);
    }
    return 0;
  }
  // Not where it closes a loop or leaves one: lanes meet again when all have left.
  bool lanes_meet(const module::Instruction& branch) const {
    const auto at = static_cast<uint32_t>(&branch - function_.code.data());
    const uint32_t target = target_of(function_, branch);
    if (target <= at) return false;
    return std::none_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
      return loop.begin <= at && at <= loop.end && target > loop.end;
    });
  }
  void find_loops() {
    for (uint32_t i = 0; i < function_.code.size(); ++i) {
      if (isa::name(function_.code[i].opcode) != "bra") continue;
      const uint32_t target = target_of(function_, function_.code[i]);
      if (target <= i) loops_.push_back({target, i});
    }
  }

  // Parameters, and what is made of them alone: all threads have the same. Only of registers that one
  // instruction writes.
  bool has_same_value(const module::Instruction& instruction, const Operation& o, std::string_view opcode) {
    if (o.writes != 1) return false;
    const uint32_t written = body_.registers[o.first_register + o.reads];
    if (writers_[written] != 1 || instruction.guard != module::none) return false;
    if (opcode == "ld") return of_parameters(function_, instruction);
    return opcode == "cvta" && reads_same(o);
  }
  // From 8.0 on a warp adds integers of its lanes in an instruction (redux.sync), which the assembler puts in
  // front of an addition to one word.
  bool sums_in_warp(const module::Mnemonic& mnemonic) const {
    return machine_.device->capability() >= arch::Capability{8, 0} && has_type(mnemonic, "u32 s32");
  }
  bool has_same_address(const module::Instruction& instruction) const {
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      const module::Operand& o = function_.operands[instruction.first_operand + i];
      if (o.kind == module::OperandKind::address) return o.reg != module::none && same_in_all_[o.reg];
    }
    return false;
  }
  bool reads_same(const Operation& o) const {
    for (uint32_t i = 0; i < o.reads; ++i)
      if (!same_in_all_[body_.registers[o.first_register + i]]) return false;
    return o.reads != 0;
  }

  const module::Image& image_;
  const Machine& machine_;
  const module::Function& function_;
  Body body_;
  struct Loop {
    uint32_t begin, end;  // the branch back
  };
  std::vector<Loop> loops_;
  bool behind_branch_ = false;
  std::vector<uint32_t> writers_, readers_;  // by slot: instructions that write and read it
  std::optional<Lower1x> of_1x_;
  std::vector<bool> same_in_all_;  // by slot
};

}  // namespace

Body make_body(const module::Image& image, const module::Function& function, const Machine& machine) {
  return BodyMaker(image, machine, function).make();
}

Program make_program(const module::Image& image, const Machine& machine) {
  Program program;
  for (const module::Function& function : image.functions)
    program.bodies.push_back(function.defined ? make_body(image, function, machine) : Body{});
  return program;
}

}  // namespace heddle::timing
