#include "profiler/habits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "analysis/accesses.h"
#include "profiler/tables.h"

namespace heddle::profiler {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

constexpr uint32_t several = module::none - 1;
constexpr unsigned most_steps = 8;        // of a chain of instructions that is followed
constexpr uint32_t short_loop_most = 16;  // instructions of a loop that is short: a jump is a good part of it

struct Angle {
  double value;
  bool single;
};

class Finder {
 public:
  Finder(const module::Image& image, const module::Function& function)
      : image_(image), function_(function), writers_(function.register_slots + 1, module::none) {
    for (uint32_t i = 0; i < function.code.size(); ++i)
      analysis::each_register(image, function, function.code[i], [&](analysis::RegisterAccess access) {
        if (!access.write) return;
        uint32_t& writer = writers_[access.slot];
        writer = writer == module::none ? i : several;
      });
  }

  std::optional<Counter> of(uint32_t i) const {
    const module::Instruction& instruction = function_.code[i];
    switch (instruction.opcode) {
      case Opcode::div:
      case Opcode::rem: return of_division(instruction);
      case Opcode::rcp: return of_reciprocal(instruction, 1);
      case Opcode::cvt: return of_conversion(i);
      case Opcode::mul: return of_product(i);
      case Opcode::call: return of_call(i);
      case Opcode::bra: return of_branch(i);
      default: return std::nullopt;
    }
  }

 private:
  const isa::SlotValues& words(const module::Instruction& instruction) const {
    return image_.mnemonics[instruction.mnemonic].values;
  }
  const Operand& operand(const module::Instruction& instruction, unsigned i) const {
    return function_.operands[instruction.first_operand + i];
  }
  // The instruction that alone writes the register; nullptr: there is none, or several do.
  const module::Instruction* writer(const Operand& operand) const {
    if (operand.kind != OperandKind::reg) return nullptr;
    const uint32_t i = writers_[operand.reg];
    return i < function_.code.size() ? &function_.code[i] : nullptr;
  }
  isa::Type type(const module::Instruction& instruction) const { return words(instruction).type(); }
  bool is_floating(isa::Type type) const { return isa::info(type).kind == isa::TypeKind::floating; }

  // 5.1.1, 5.1.4: of integers; of single precision, rounded.
  std::optional<Counter> of_division(const module::Instruction& instruction) const {
    if (!is_floating(type(instruction)))
      return operand(instruction, 2).kind == OperandKind::immediate ? std::nullopt
                                                                    : std::optional(Counter::slow_divide);
    if (const auto root = of_reciprocal(instruction, 2)) return root;
    if (isa::info(type(instruction)).bits != 32 || !words(instruction).has(Slot::rnd)) return std::nullopt;
    return Counter::slow_quotient;
  }

  // 5.1.2: one over a square root.
  std::optional<Counter> of_reciprocal(const module::Instruction& instruction, unsigned below) const {
    if (instruction.opcode == Opcode::div) {
      const auto above = constant(operand(instruction, 1));
      if (!above || above->value != 1) return std::nullopt;
    }
    const module::Instruction* root = writer(operand(instruction, below));
    if (root == nullptr || root->opcode != Opcode::sqrt || !words(instruction).has(Slot::rnd))
      return std::nullopt;
    return Counter::slow_root;
  }

  // 5.1.3: a double constant that single precision came to. Of the ways there and back the way back is told.
  std::optional<Counter> of_conversion(uint32_t i) const {
    const module::Instruction& instruction = function_.code[i];
    const isa::SlotValues& w = words(instruction);
    if (w.type(Slot::dtype) == isa::Type::f32 && w.type(Slot::atype) == isa::Type::f64) {
      bool literal = false;
      return is_detour(operand(instruction, 1), literal, most_steps) && literal
                 ? std::optional(Counter::slow_double)
                 : std::nullopt;
    }
    if (w.type(Slot::dtype) == isa::Type::u64 && w.type(Slot::atype) == isa::Type::u32)
      return of_index(i, operand(instruction, 1));
    return std::nullopt;
  }
  bool is_detour(const Operand& value, bool& literal, unsigned steps) const {
    if (value.kind == OperandKind::immediate) return literal = true;
    const module::Instruction* from = writer(value);
    if (from == nullptr || steps == 0) return false;
    switch (from->opcode) {
      case Opcode::cvt: return words(*from).type(Slot::atype) == isa::Type::f32;
      case Opcode::mov:
      case Opcode::neg:
      case Opcode::abs:
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::div:
      case Opcode::fma:
        for (unsigned k = 1; k < from->operand_count; ++k)
          if (!is_detour(operand(*from, k), literal, steps - 1)) return false;
        return true;
      default: return false;
    }
  }

  // 6.3: an index that a loop counts up in 32 bits without a sign, and widens each time.
  std::optional<Counter> of_product(uint32_t i) const {
    const module::Instruction& instruction = function_.code[i];
    if (!words(instruction).is(Slot::mode, Word::wide) || type(instruction) != isa::Type::u32)
      return std::nullopt;
    return of_index(i, operand(instruction, 1));
  }
  std::optional<Counter> of_index(uint32_t i, const Operand& index) const {
    const auto loop = loop_of(i);
    if (!loop || !counts_in(*loop, index, most_steps) || !is_address(function_.code[i])) return std::nullopt;
    return Counter::slow_index;
  }
  struct Loop {
    uint32_t first, end;  // places of blocks in order
  };
  // The innermost loop around.
  std::optional<Loop> loop_of(uint32_t i) const {
    const uint32_t place = function_.blocks[function_.block_of[i]].order;
    std::optional<Loop> inner;
    for (const module::Block& head : function_.blocks)
      if (head.latch != module::none && head.order <= place && place < head.latch &&
          (!inner || head.order > inner->first))
        inner = Loop{head.order, head.latch};
    return inner;
  }
  bool is_in(const Loop& loop, uint32_t i) const {
    const uint32_t place = function_.blocks[function_.block_of[i]].order;
    return loop.first <= place && place < loop.end;
  }
  // Whether it is a sum, product or shift of what the loop adds to itself.
  bool counts_in(const Loop& loop, const Operand& value, unsigned steps) const {
    if (value.kind != OperandKind::reg || steps == 0) return false;
    const uint32_t from = writers_[value.reg];
    if (from == several) return adds_to_itself(loop, value.reg);
    if (from >= function_.code.size() || !is_in(loop, from)) return false;
    const module::Instruction& instruction = function_.code[from];
    switch (instruction.opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::mad:
      case Opcode::shl:
        for (unsigned k = 1; k < instruction.operand_count; ++k)
          if (counts_in(loop, operand(instruction, k), steps - 1)) return true;
        return false;
      default: return false;
    }
  }
  bool adds_to_itself(const Loop& loop, uint32_t slot) const {
    for (uint32_t i = 0; i < function_.code.size(); ++i) {
      if (function_.code[i].opcode != Opcode::add || !is_in(loop, i)) continue;
      bool reads = false, writes = false;
      analysis::each_register(image_, function_, function_.code[i], [&](analysis::RegisterAccess access) {
        if (access.slot != slot) return;
        reads = reads || access.read;
        writes = writes || access.write;
      });
      if (reads && writes) return true;
    }
    return false;
  }
  // Whether its result is a place in memory, or what is added to a pointer for one.
  bool is_address(const module::Instruction& index) const {
    const uint32_t slot = operand(index, 0).reg;
    for (const module::Instruction& user : function_.code) {
      if (user.opcode == Opcode::add && user.operand_count == 3 &&
          (operand(user, 1).reg == slot || operand(user, 2).reg == slot) && is_base(operand(user, 0).reg))
        return true;
    }
    return is_base(slot);
  }
  bool is_base(uint32_t slot) const {
    return std::ranges::any_of(function_.code, [&](const module::Instruction& instruction) {
      for (unsigned k = 0; k < instruction.operand_count; ++k)
        if (operand(instruction, k).kind == OperandKind::address && operand(instruction, k).reg == slot)
          return true;
      return false;
    });
  }

  // 6.2: the way back of a loop of a few instructions.
  std::optional<Counter> of_branch(uint32_t i) const {
    const module::Instruction& instruction = function_.code[i];
    for (unsigned k = 0; k < instruction.operand_count; ++k) {
      const Operand& target = operand(instruction, k);
      if (target.kind != OperandKind::label || target.value >= function_.code.size()) continue;
      const uint64_t head = target.value;
      if (head <= i && i - head < short_loop_most) return Counter::slow_loop;
    }
    return std::nullopt;
  }

  // ---- calls of device math functions: 5.1.4
  std::optional<Counter> of_call(uint32_t i) const {
    const auto name = math_name(function_.code[i]);
    if (name.empty()) return std::nullopt;
    const bool is_single = name.ends_with('f');
    const std::string_view stem = is_single ? name.substr(0, name.size() - 1) : name;
    if (stem == "pow") {
      const auto base = argument(i, 0), exponent = argument(i, 1);
      if ((base && (base->value == 2 || base->value == 10)) || (exponent && is_special(exponent->value)))
        return Counter::slow_power;
    }
    if (stem == "sin" || stem == "cos") {
      if (is_times_pi(i)) return Counter::slow_angle;
      if (stem == "cos" && has_sine(i)) return Counter::slow_pair;
    }
    constexpr std::array with_intrinsic{"sinf",   "cosf", "tanf",  "sincosf", "expf",
                                        "exp10f", "logf", "log2f", "log10f",  "powf"};
    return std::ranges::find(with_intrinsic, name) != with_intrinsic.end()
               ? std::optional(Counter::slow_function)
               : std::nullopt;
  }
  // "sinf" of a call of __nv_sinf.
  std::string_view math_name(const module::Instruction& call) const {
    for (unsigned k = 0; k < call.operand_count; ++k) {
      const Operand& target = operand(call, k);
      if (target.kind != OperandKind::function || target.index == module::none) continue;
      const module::Function& function = image_.functions[target.index];
      const std::string_view name = function.name;
      return !function.defined && name.starts_with("__nv_") ? name.substr(5) : std::string_view();
    }
    return {};
  }
  // What was last stored for the call: the place of the number-th parameter.
  const Operand* stored(uint32_t call, unsigned number) const {
    const module::Instruction& instruction = function_.code[call];
    const Operand* list = nullptr;
    for (unsigned k = 0; k < instruction.operand_count; ++k)
      if (operand(instruction, k).kind == OperandKind::list) list = &operand(instruction, k);
    if (list == nullptr || number >= list->child_count) return nullptr;
    const Operand& parameter = function_.operands[list->first_child + number];
    if (parameter.kind == OperandKind::reg || parameter.kind == OperandKind::immediate) return &parameter;
    const uint32_t first = function_.blocks[function_.block_of[call]].first;
    for (uint32_t i = call; i-- > first;) {
      const module::Instruction& store = function_.code[i];
      if (store.opcode == Opcode::st && store.operand_count >= 2 &&
          operand(store, 0).index == parameter.index && operand(store, 0).kind == OperandKind::address)
        return &operand(store, 1);
    }
    return nullptr;
  }
  std::optional<Angle> argument(uint32_t call, unsigned number) const {
    const Operand* value = stored(call, number);
    return value == nullptr ? std::nullopt : constant(*value);
  }
  std::optional<Angle> constant(const Operand& value) const {
    const Operand* number = &value;
    if (const module::Instruction* from = writer(value); from != nullptr && from->opcode == Opcode::mov)
      number = &operand(*from, 1);
    if (number->kind != OperandKind::immediate) return std::nullopt;
    if (isa::info(value.type).bits == 32)
      return Angle{std::bit_cast<float>(static_cast<uint32_t>(number->value)), true};
    return Angle{std::bit_cast<double>(number->value), false};
  }
  // Small whole powers, and thirds, for which there are cbrt and rcbrt.
  static bool is_special(double power) {
    constexpr double third = 1.0 / 3, most_whole = 5, near = 1e-6;
    return (std::floor(power) == power && std::fabs(power) <= most_whole) ||
           std::fabs(std::fabs(power) - third) < near;
  }
  bool is_times_pi(uint32_t call) const {
    const Operand* value = stored(call, 0);
    const module::Instruction* from = value == nullptr ? nullptr : writer(*value);
    if (from == nullptr || from->opcode != Opcode::mul) return false;
    for (const unsigned k : {1U, 2U})
      if (const auto factor = constant(operand(*from, k))) {
        // Of degrees, too: pi / 180.
        for (const double part : {1.0, 2.0, 1.0 / 180})
          if (std::fabs(std::fabs(factor->value) / (std::numbers::pi * part) - 1) <
              (factor->single ? 1e-6 : 1e-14))
            return true;
      }
    return false;
  }
  bool has_sine(uint32_t call) const {
    const Operand* angle = stored(call, 0);
    if (angle == nullptr || angle->kind != OperandKind::reg) return false;
    const bool is_single = math_name(function_.code[call]) == "cosf";
    const module::Block& block = function_.blocks[function_.block_of[call]];
    for (uint32_t i = block.first; i < block.end; ++i) {
      if (function_.code[i].opcode != Opcode::call ||
          math_name(function_.code[i]) != (is_single ? "sinf" : "sin"))
        continue;
      const Operand* other = stored(i, 0);
      if (other != nullptr && other->kind == OperandKind::reg && other->reg == angle->reg) return true;
    }
    return false;
  }

  const module::Image& image_;
  const module::Function& function_;
  std::vector<uint32_t> writers_;  // by slot
};

}  // namespace

Habits::Habits(const module::Image& image, const module::Function& function) {
  const Finder finder(image, function);
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (const auto counter = finder.of(i)) {
      if (numbers_.empty()) numbers_.resize(function.code.size());
      numbers_[i] = static_cast<uint16_t>(static_cast<unsigned>(*counter) + 1);
    }
}

}  // namespace heddle::profiler
