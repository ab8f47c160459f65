#include "analysis/thread_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "analysis/accesses.h"
#include "isa/isa.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;
using module::Space;

// Registers of 32 bits have their sums modulo 2^32: kept as the number nearest to 0.
int64_t reduced(int64_t value, unsigned bits) { return bits == 32 ? static_cast<int32_t>(value) : value; }

int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

ThreadSum number(int64_t value, unsigned bits) { return {.base = reduced(value, bits), .bits = bits}; }

ThreadSum plus(const ThreadSum& a, const ThreadSum& b, int64_t times = 1) {
  ThreadSum sum{.base = reduced(add(a.base, multiply(b.base, times)), a.bits), .bits = a.bits};
  for (std::size_t i = 0; i < sum.factors.size(); ++i)
    sum.factors[i] = reduced(add(a.factors[i], multiply(b.factors[i], times)), a.bits);
  return sum;
}

std::size_t component_of(Word word) { return word == Word::y ? 1 : word == Word::z ? 2 : 0; }

unsigned bits_of(isa::Type type) { return isa::info(type).bits; }
bool is_signed(isa::Type type) { return isa::info(type).kind == isa::TypeKind::signed_; }
bool is_integer(isa::Type type) {
  const isa::TypeKind kind = isa::info(type).kind;
  return kind == isa::TypeKind::signed_ || kind == isa::TypeKind::unsigned_ || kind == isa::TypeKind::untyped;
}

}  // namespace

ThreadSums::ThreadSums(const module::Image& image, uint32_t entry, const LaunchValues& values)
    : image_(image),
      number_(entry),
      entry_(image.functions[entry]),
      values_(values),
      written_at_(entry_.register_slots + 1, nowhere),
      known_(entry_.register_slots + 1) {
  for (std::size_t i = 0; i < 3; ++i) counts_[i] = values.block[i], counts_[3 + i] = values.grid[i];
  for (uint32_t i = 0; i < entry_.code.size(); ++i)
    each_register(image, entry_, entry_.code[i], [&](RegisterAccess access) {
      if (!access.write) return;
      uint32_t& at = written_at_[access.slot];
      at = at == nowhere && entry_.code[i].guard == module::none ? i : several;
    });
}

ThreadSums::Extent ThreadSums::extent(const ThreadSum& sum) const {
  Extent extent{sum.base, sum.base};
  for (std::size_t i = 0; i < sum.factors.size(); ++i) {
    const Wide last = Wide{sum.factors[i]} * (counts_[i] - 1);
    (last < 0 ? extent.lowest : extent.highest) += last;
  }
  return extent;
}

std::optional<ThreadSum> ThreadSums::of_register(uint32_t slot) {
  Known& known = known_[slot];
  if (known.done) return known.sum;
  known.done = true;  // a register that is made of itself is nothing
  if (const uint32_t at = written_at_[slot]; at < several) {
    const std::optional<ThreadSum> sum = compute(entry_.code[at], slot);
    known_[slot].sum = sum;
  }
  return known_[slot].sum;
}

std::optional<ThreadSum> ThreadSums::of_address(const Operand& address) {
  ThreadSum sum = number(static_cast<int64_t>(address.value), 64);
  if (address.index != module::none) {
    if (address.index >= values_.symbol_address.size()) return std::nullopt;
    sum.base = add(sum.base, static_cast<int64_t>(values_.symbol_address[address.index]));
  }
  if (address.reg == module::none) return sum;
  const std::optional<ThreadSum> base = of_register(address.reg);
  if (!base || base->bits != 64) return std::nullopt;
  return plus(sum, *base);
}

std::optional<ThreadSum> ThreadSums::of_special(const Operand& operand, unsigned bits) const {
  using enum isa::SpecialRegister;
  const std::size_t component = component_of(operand.component);
  const auto variable = [&](std::size_t which) {
    ThreadSum sum = number(0, bits);
    if (counts_[which] > 1) sum.factors[which] = 1;
    return sum;
  };
  switch (operand.special) {
    case tid: return variable(component);
    case ctaid: return variable(3 + component);
    case ntid: return number(counts_[component], bits);
    case nctaid: return number(counts_[3 + component], bits);
    default: break;
  }
  const std::size_t index = static_cast<std::size_t>(operand.special) - static_cast<std::size_t>(envreg0);
  if (operand.special >= envreg0 && index < 32 && !values_.environment.empty())
    return number(index < values_.environment.size() ? values_.environment[index] : 0, bits);
  return std::nullopt;
}

std::optional<ThreadSum> ThreadSums::of_operand(const Operand& operand, unsigned bits) {
  if (bits != 32 && bits != 64) return std::nullopt;
  switch (operand.kind) {
    case OperandKind::immediate: return number(static_cast<int64_t>(operand.value), bits);
    case OperandKind::special: return of_special(operand, bits);
    case OperandKind::symbol:
      if (operand.space != Space::global || bits != 64 || operand.index >= values_.symbol_address.size())
        return std::nullopt;
      return number(add(static_cast<int64_t>(values_.symbol_address[operand.index]),
                        static_cast<int64_t>(operand.value)),
                    64);
    case OperandKind::reg: {
      if (operand.negated) return std::nullopt;
      const std::optional<ThreadSum> sum = of_register(operand.reg);
      if (!sum || sum->bits != bits) return std::nullopt;
      return sum;
    }
    default: return std::nullopt;
  }
}

// Of a parameter of the launch.
std::optional<ThreadSum> ThreadSums::load(const module::Instruction& instruction, uint32_t slot) const {
  const Operand* address = nullptr;
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (const Operand& operand = entry_.operands[instruction.first_operand + i];
        operand.kind == OperandKind::address)
      address = &operand;
  if (address == nullptr || address->space != Space::param || address->reg != module::none ||
      address->index == module::none)
    return std::nullopt;
  const module::Symbol& symbol = image_.symbols[address->index];
  if (symbol.owner != number_ || std::ranges::none_of(entry_.signature.params, [&](const auto& parameter) {
        return parameter.name == symbol.name;
      }))
    return std::nullopt;
  const isa::Type type = image_.mnemonics[instruction.mnemonic].values.type();
  const unsigned bits = bits_of(type);
  if (!is_integer(type) || (bits != 32 && bits != 64)) return std::nullopt;
  uint64_t place = symbol.offset + address->value;
  const Operand& target = entry_.operands[instruction.first_operand];
  const Operand* own = &target;
  if (target.kind == OperandKind::vector)
    for (uint32_t i = 0; i < target.child_count; ++i)
      if (const Operand& child = entry_.operands[target.first_child + i];
          child.kind == OperandKind::reg && child.reg == slot) {
        own = &child;
        place += uint64_t{i} * (bits / 8);
      }
  if (own->kind != OperandKind::reg || bits_of(own->declared) != bits) return std::nullopt;
  if (place + bits / 8 > values_.parameters.size()) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, values_.parameters.data() + place, bits / 8);
  return number(static_cast<int64_t>(value), bits);
}

// Of a sum of 32 bits that of 64, if it does not overflow for any thread.
std::optional<ThreadSum> ThreadSums::widened(const ThreadSum& sum, bool is_signed) const {
  constexpr Wide whole = Wide{1} << 32;
  const Wide lowest = is_signed ? -(Wide{1} << 31) : 0, end = lowest + whole;
  const Extent of = extent(sum);
  for (const Wide shift : {Wide{0}, whole, -whole})
    if (of.lowest + shift >= lowest && of.highest + shift < end) {
      ThreadSum wide = sum;
      wide.bits = 64;
      wide.base += static_cast<int64_t>(shift);
      return wide;
    }
  return std::nullopt;
}

std::optional<ThreadSum> ThreadSums::product(const std::optional<ThreadSum>& a,
                                             const std::optional<ThreadSum>& b, unsigned bits) const {
  if (!a || !b || (!a->is_number() && !b->is_number())) return std::nullopt;
  const ThreadSum& sum = a->is_number() ? *b : *a;
  return plus(number(0, bits), sum, a->is_number() ? a->base : b->base);
}

std::optional<ThreadSum> ThreadSums::logical(Opcode opcode, const ThreadSum& a, const ThreadSum& b) const {
  if (a.is_number() && b.is_number()) {
    switch (opcode) {
      case Opcode::and_: return number(a.base & b.base, a.bits);
      case Opcode::or_: return number(a.base | b.base, a.bits);
      default: return std::nullopt;
    }
  }
  // What has no bit in common with a sum is added to it.
  const ThreadSum &sum = a.is_number() ? b : a, &bits = a.is_number() ? a : b;
  if (opcode != Opcode::or_ || !bits.is_number() || bits.base < 0) return std::nullopt;
  uint64_t any = static_cast<uint64_t>(sum.base);
  for (const int64_t factor : sum.factors) any |= static_cast<uint64_t>(factor);
  if (static_cast<int>(std::bit_width(static_cast<uint64_t>(bits.base))) > std::countr_zero(any))
    return std::nullopt;
  return plus(sum, bits);
}

std::optional<ThreadSum> ThreadSums::compute(const module::Instruction& instruction, uint32_t slot) {
  const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
  const auto operand = [&](uint32_t i) -> const Operand& {
    return entry_.operands[instruction.first_operand + i];
  };
  const isa::Type type = words.type();
  const auto value = [&](uint32_t i, unsigned bits) { return of_operand(operand(i), bits); };
  if (instruction.opcode == Opcode::ld) return load(instruction, slot);
  if (instruction.opcode == Opcode::cvt) {
    const isa::Type to = words.type(Slot::dtype), from = words.type(Slot::atype);
    if (!is_integer(to) || !is_integer(from) || words.has(Slot::sat) ||
        bits_of(operand(0).declared) != bits_of(to))
      return std::nullopt;
    const bool wide = operand(1).kind == OperandKind::reg && bits_of(operand(1).declared) == 64;
    std::optional<ThreadSum> sum = value(1, wide ? 64 : 32);
    if (!sum || bits_of(from) < 32) return std::nullopt;
    if (wide && bits_of(from) == 32) sum = plus(number(0, 32), *sum);
    if (bits_of(to) == sum->bits) return sum;
    if (bits_of(to) == 32) return plus(number(0, 32), *sum);
    return bits_of(to) == 64 ? widened(*sum, is_signed(from)) : std::nullopt;
  }
  const unsigned bits = bits_of(type);
  if (!is_integer(type) || (bits != 32 && bits != 64) || instruction.operand_count < 2) return std::nullopt;
  if (const Operand& target = operand(0); target.kind != OperandKind::reg) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::mov: return value(1, bits);
    case Opcode::cvta:
      if (words[Slot::space] != Word::global) return std::nullopt;
      return value(1, bits);
    case Opcode::add:
    case Opcode::sub: {
      if (words.has(Slot::sat) || words.has(Slot::cc)) return std::nullopt;
      const auto a = value(1, bits), b = value(2, bits);
      if (!a || !b) return std::nullopt;
      return plus(*a, *b, instruction.opcode == Opcode::add ? 1 : -1);
    }
    case Opcode::neg: {
      const auto a = value(1, bits);
      if (!a) return std::nullopt;
      return plus(number(0, bits), *a, -1);
    }
    case Opcode::shl: {
      const auto a = value(1, bits), by = value(2, 32);
      if (!a || !by || !by->is_number() || by->base < 0 || by->base >= bits) return std::nullopt;
      return plus(number(0, bits), *a, int64_t{1} << by->base);
    }
    case Opcode::and_:
    case Opcode::or_: {
      const auto a = value(1, bits), b = value(2, bits);
      if (!a || !b) return std::nullopt;
      return logical(instruction.opcode, *a, *b);
    }
    case Opcode::mul:
    case Opcode::mad: {
      if (words.has(Slot::sat) || words.has(Slot::cc)) return std::nullopt;
      const bool wide = words.is(Slot::mode, Word::wide);
      if (!wide && !words.is(Slot::mode, Word::lo)) return std::nullopt;
      auto a = value(1, bits), b = value(2, bits);
      if (wide) {
        if (bits != 32 || !a || !b) return std::nullopt;
        a = widened(*a, is_signed(type)), b = widened(*b, is_signed(type));
      }
      const unsigned result = wide ? 64 : bits;
      const auto made = product(a, b, result);
      if (instruction.opcode == Opcode::mul || !made) return made;
      const auto c = value(3, result);
      if (!c) return std::nullopt;
      return plus(*made, *c);
    }
    default: return std::nullopt;
  }
}

// ---- what branches say

void ThreadSums::add_comparison(const module::Instruction& instruction, bool is,
                                std::vector<ThreadBound>& to) {
  const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
  const isa::Type type = words.type();
  if (!is_integer(type) || words.has(Slot::bool_) || instruction.operand_count < 4) return;
  const unsigned bits = bits_of(type);
  std::array<std::optional<ThreadSum>, 2> sides;
  for (uint32_t i = 0; i < 2; ++i) {
    std::optional<ThreadSum> side = of_operand(entry_.operands[instruction.first_operand + 2 + i], bits);
    if (!side) return;
    // Of 64 bits the sums do not overflow, if they are as small as this.
    constexpr Wide most = Wide{1} << 62;
    if (bits == 32) side = widened(*side, is_signed(type));
    if (!side || extent(*side).highest > most) return;
    if (extent(*side).lowest < (is_signed(type) ? -most : Wide{0})) return;
    sides[i] = side;
  }
  const ThreadSum difference = plus(*sides[0], *sides[1], -1);
  if (difference.is_number()) return;
  constexpr Wide far = Wide{1} << 100;
  const Wide equal = -Wide{difference.base};
  ThreadBound bound{difference.factors, -far, far};
  switch (words[Slot::cmp]) {
    case Word::eq:
      if (!is) return;
      bound.lowest = bound.highest = equal;
      break;
    case Word::ne:
      if (is) return;
      bound.lowest = bound.highest = equal;
      break;
    case Word::lt:
    case Word::lo: (is ? bound.highest : bound.lowest) = is ? equal - 1 : equal; break;
    case Word::le:
    case Word::ls: (is ? bound.highest : bound.lowest) = is ? equal : equal + 1; break;
    case Word::gt:
    case Word::hi: (is ? bound.lowest : bound.highest) = is ? equal + 1 : equal; break;
    case Word::ge:
    case Word::hs: (is ? bound.lowest : bound.highest) = is ? equal : equal - 1; break;
    default: return;
  }
  to.push_back(bound);
}

void ThreadSums::add_condition(uint32_t slot, bool is, std::vector<ThreadBound>& to, unsigned depth) {
  constexpr unsigned deep = 16;
  const uint32_t at = written_at_[slot];
  if (at >= several || depth > deep) return;
  const module::Instruction& instruction = entry_.code[at];
  if (instruction.opcode == Opcode::setp) {
    // The second predicate is the contrary.
    if (entry_.operands[instruction.first_operand].reg == slot) add_comparison(instruction, is, to);
    return;
  }
  const bool both = instruction.opcode == (is ? Opcode::and_ : Opcode::or_);
  const bool one = instruction.opcode == Opcode::not_ || instruction.opcode == Opcode::mov;
  if (!both && !one) return;
  for (uint32_t i = 1; i < instruction.operand_count; ++i)
    if (const Operand& operand = entry_.operands[instruction.first_operand + i];
        operand.kind == OperandKind::reg)
      add_condition(operand.reg, is != (operand.negated != (instruction.opcode == Opcode::not_)), to,
                    depth + 1);
}

void ThreadSums::find_dominators() {
  const std::size_t count = entry_.blocks.size();
  before_.assign(count, std::vector<bool>(count, true));
  before_[0].assign(count, false);
  before_[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 1; b < count; ++b) {
      std::vector<bool> common(count, !entry_.blocks[b].predecessors.empty());
      for (const uint32_t from : entry_.blocks[b].predecessors)
        for (std::size_t i = 0; i < count; ++i) common[i] = common[i] && before_[from][i];
      common[b] = true;
      if (common == before_[b]) continue;
      before_[b] = std::move(common);
      changed = true;
    }
  }
}

std::vector<ThreadBound> ThreadSums::bounds(uint32_t number) {
  std::vector<ThreadBound> found;
  const module::Instruction& instruction = entry_.code[number];
  if (instruction.guard != module::none) add_condition(instruction.guard, !instruction.guard_negated, found);
  constexpr std::size_t most_blocks = 512;
  if (entry_.blocks.size() > most_blocks) return found;
  if (before_.empty()) find_dominators();
  const uint32_t own = entry_.block_of[number];
  for (uint32_t b = 0; b < entry_.blocks.size(); ++b) {
    if (!before_[own][b] || entry_.blocks[b].predecessors.size() != 1) continue;
    const module::Block& from = entry_.blocks[entry_.blocks[b].predecessors.front()];
    const module::Instruction& last = entry_.code[from.end - 1];
    if (last.opcode != Opcode::bra || last.guard == module::none || from.successors.size() != 2) continue;
    const Operand& label = entry_.operands[last.first_operand];
    if (label.kind != OperandKind::label) continue;
    const bool jumped = entry_.block_of[label.value] == b;
    add_condition(last.guard, jumped != last.guard_negated, found);
  }
  return found;
}

}  // namespace heddle::analysis
