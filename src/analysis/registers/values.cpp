// Where the values of a function are to an assembler: in registers, or in something that takes none.
#include "analysis/registers/values.h"

#include <algorithm>
#include <array>

#include "analysis/registers/describe.h"

namespace heddle::analysis::registers {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::none;
using module::Operand;
using module::OperandKind;

// Integer operations that the uniform datapath has.
constexpr std::array uniform_opcodes{Opcode::add,  Opcode::sub,  Opcode::mul, Opcode::mad,  Opcode::shl,
                                     Opcode::shr,  Opcode::and_, Opcode::or_, Opcode::xor_, Opcode::not_,
                                     Opcode::min,  Opcode::max,  Opcode::cvt, Opcode::setp, Opcode::selp,
                                     Opcode::mov,  Opcode::neg,  Opcode::bfe, Opcode::lop3, Opcode::shf,
                                     Opcode::prmt, Opcode::popc};

// What is uniform and which blocks lanes do alone depend on each other: looked at again so often at most.
constexpr uint32_t most_rounds = 4;
}  // namespace

Values::Values(const module::Image& image, const module::Function& function, const Machine& machine)
    : image_(image),
      function_(function),
      machine_(machine),
      values_(function.register_slots),
      needed_(function.code.size(), true),
      definitions_of_(function.register_slots) {
  widths();
  count();
  find_address_uses();
  find_shared_addresses();
  count_pair_uses();
  parted_.assign(function_.blocks.size(), false);
  with_lanes_.assign(function_.register_slots, false);
  for (uint32_t round = 0; round < most_rounds; ++round) {
    for (Value& value : values_) value.place = Place::register_, value.of = none;
    for (uint32_t i = 0; i < function_.code.size(); ++i) classify(i);
    std::vector<bool> parted = find_parted();
    const bool settled = !find_lane_uses();
    if (parted == parted_ && settled) break;
    parted_ = std::move(parted);
  }
  drop_what_nobody_reads();
}

void Values::widths() {
  width_.assign(function_.register_slots, 0);
  for (const module::RegisterInfo& info : function_.registers) {
    const unsigned bits = isa::info(info.type).bits;
    const uint8_t width = bits <= 1 ? 0 : bits <= 32 ? 1 : 2;
    width_[info.slot] = std::max(width_[info.slot], width);
    if (bits > 64) width_[info.slot + 1] = 2;
  }
}

void Values::count() {
  for (uint32_t i = 0; i < function_.code.size(); ++i)
    registers_of(at(i), [&](RegisterAccess access) {
      Value& value = values_[access.slot];
      if (access.read) ++value.uses, value.last_use = i;
      if (access.write) definitions_of_[access.slot].push_back(i);
      if (!access.write) return;
      if (value.definitions++ == 0) value.definition = i;
      value.guarded |= at(i).guard != none;
      if (access.read) value.definitions += 2;  // changed in place
    });
  for (uint32_t i = 0; i < function_.code.size(); ++i)
    registers_of(at(i), [&](RegisterAccess access) {
      Value& value = values_[access.slot];
      if (access.read && value.definition != none &&
          function_.block_of[i] != function_.block_of[value.definition])
        value.used_elsewhere = true;
    });
  for (const auto* list : {&function_.signature.params, &function_.signature.results})
    for (const module::Parameter& p : *list)
      if (p.in_register && p.reg != none) values_[p.reg].definitions += 2;
}

// Of an addition with one constant operand: the other one's slot.
uint32_t Values::plus_constant(const module::Instruction& x) const {
  if ((x.opcode != Opcode::add && x.opcode != Opcode::sub) || x.operand_count != 3 || x.guard != none)
    return none;
  if (is_float(words(x).type()) || words(x).has(Slot::cc)) return none;
  const Operand& a = operand(x, 1);
  const Operand& b = operand(x, 2);
  if (a.kind == OperandKind::reg && constant(b)) return a.reg;
  if (b.kind == OperandKind::reg && constant(a) && x.opcode == Opcode::add) return b.reg;
  return none;
}

bool Values::constant(const Operand& o) const {
  return o.kind == OperandKind::immediate ||
         (o.kind == OperandKind::reg && values_[o.reg].place == Place::constant);
}

// Backward: whether a sum is only an address is known before its operands are looked at.
void Values::find_address_uses() {
  for (uint32_t i = static_cast<uint32_t>(function_.code.size()); i-- > 0;) {
    const module::Instruction& x = at(i);
    const uint32_t base = plus_constant(x);
    const bool moves = x.opcode == Opcode::cvta && operand(x, 0).kind == OperandKind::reg &&
                       values_[operand(x, 0).reg].other_uses == 0;
    const bool sums = (x.opcode == Opcode::add || x.opcode == Opcode::sub) && !is_float(words(x).type()) &&
                      isa::info(words(x).type()).bits == 64 && x.opcode == Opcode::add;
    for (uint32_t k = 0; k < x.operand_count; ++k)
      look_at_use(operand(x, k), reaches(x), (base != none && k != 0) || moves, sums);
    if (x.guard != none) ++values_[x.guard].other_uses;
  }
}

// An immediate operand, or a register that has one, or the address of a variable.
bool Values::fixed(const Operand& o) const {
  if (o.kind == OperandKind::immediate) return true;
  if (o.kind != OperandKind::reg || !single(o.reg) || values_[o.reg].definition == none) return false;
  const module::Instruction& x = at(values_[o.reg].definition);
  return x.opcode == Opcode::mov &&
         (operand(x, 1).kind == OperandKind::immediate || operand(x, 1).kind == OperandKind::symbol);
}

// Backward: what is only an address of shared memory, perhaps with a constant added.
void Values::find_shared_addresses() {
  only_shared_.assign(function_.register_slots, true);
  for (uint32_t i = static_cast<uint32_t>(function_.code.size()); i-- > 0;) {
    const module::Instruction& x = at(i);
    const bool sum = x.opcode == Opcode::add && x.operand_count == 3 && x.guard == none &&
                     (fixed(operand(x, 1)) || fixed(operand(x, 2)));
    const bool passes = sum && operand(x, 0).kind == OperandKind::reg && only_shared_[operand(x, 0).reg];
    registers_of(x, [&](RegisterAccess access) {
      if (!access.read) return;
      bool address = false;
      if (reaches(x))
        for (uint32_t k = 0; k < x.operand_count; ++k) {
          const Operand& o = operand(x, k);
          address |=
              o.kind == OperandKind::address && o.reg == access.slot && o.space == module::Space::shared;
        }
      if (!address && !passes) only_shared_[access.slot] = false;
    });
  }
}

// Uses of the whole of a value of 64 bits: other operations are made by halves.
void Values::count_pair_uses() {
  constexpr std::array by_halves{Opcode::add,  Opcode::sub, Opcode::shl,  Opcode::shr,
                                 Opcode::and_, Opcode::or_, Opcode::xor_, Opcode::setp};
  pair_uses_.assign(function_.register_slots, 0);
  for (const module::Instruction& x : function_.code) {
    if (std::find(by_halves.begin(), by_halves.end(), x.opcode) != by_halves.end()) continue;
    registers_of(x, [&](RegisterAccess access) {
      if (access.read) ++pair_uses_[access.slot];
    });
  }
}

void Values::look_at_use(const Operand& o, bool reaches_memory, bool only_address, bool sums) {
  switch (o.kind) {
    case OperandKind::reg:
      // Definitions are counted too: they are one each, of single values exactly one.
      if (!only_address) ++values_[o.reg].other_uses;
      if (!sums) ++values_[o.reg].unscaled_uses;
      break;
    case OperandKind::address:
      if (o.reg == none) break;
      if (!reaches_memory) ++values_[o.reg].other_uses;
      ++values_[o.reg].unscaled_uses;
      break;
    case OperandKind::vector:
    case OperandKind::list:
    case OperandKind::bracket:
      for (uint32_t i = 0; i < o.child_count; ++i)
        look_at_use(function_.operands[o.first_child + i], false, false, false);
      break;
    default: break;
  }
}

// The worst place among the operands that an instruction reads: whether the result can be there too.
Place Values::of_operands(const module::Instruction& x) const {
  Place worst = Place::constant;
  const auto take = [&worst](Place p) {
    if (p == Place::register_ || worst == Place::register_)
      worst = Place::register_;
    else if (p > worst)
      worst = p;
  };
  for (uint32_t i = 1; i < x.operand_count; ++i) {
    const Operand& o = operand(x, i);
    switch (o.kind) {
      case OperandKind::immediate:
      case OperandKind::absent: break;
      case OperandKind::symbol: take(o.space == module::Space::global ? Place::bank : Place::constant); break;
      case OperandKind::special: take(of_special(o.special)); break;
      case OperandKind::reg: take(place(o.reg)); break;
      default: take(Place::register_);
    }
  }
  return worst;
}

// An index of a block is a uniform value where lanes and branches have no part in what is made of it:
// `S2UR UR8, SR_CTAID.X`.
bool Values::is_block_index(const module::Instruction& x) const {
  if (!machine_.rules.uniform_addresses || machine_.timed || x.opcode != Opcode::mov) return false;
  const Operand& a = operand(x, 1);
  return a.kind == OperandKind::special && a.special == isa::SpecialRegister::ctaid;
}

// Finds indices of blocks that are brought together with values of lanes after all.
bool Values::find_lane_uses() {
  std::vector<uint32_t> open;
  std::vector<std::vector<uint32_t>> made_of(values_.size());  // backward, among uniform values
  std::vector<bool> seen(values_.size());
  const auto uniform = [this](uint32_t slot) { return place(slot) == Place::uniform; };
  for (const module::Instruction& x : function_.code) {
    const uint32_t result =
        x.operand_count != 0 && operand(x, 0).kind == OperandKind::reg ? operand(x, 0).reg : none;
    const bool stays_uniform = result != none && x.opcode != Opcode::setp &&
                               (uniform(result) || values_[result].place >= Place::copy);
    const bool access = reaches(x);
    registers_of(x, [&](RegisterAccess a) {
      if (!a.read || !uniform(a.slot)) return;
      if (stays_uniform)
        made_of[result].push_back(a.slot);
      else if (!access && result != none && !seen[a.slot])
        seen[a.slot] = true, open.push_back(a.slot);
    });
  }
  bool found = false;
  while (!open.empty()) {
    const uint32_t slot = open.back();
    open.pop_back();
    const uint32_t definition = values_[slot].definition;
    if (definition != none && is_block_index(at(definition)) && !with_lanes_[slot])
      with_lanes_[slot] = found = true;
    for (const uint32_t from : made_of[slot])
      if (!seen[from]) seen[from] = true, open.push_back(from);
  }
  return found;
}

Place Values::of_special(isa::SpecialRegister special) const {
  using isa::SpecialRegister;
  switch (special) {
    case SpecialRegister::ntid:
    case SpecialRegister::nctaid: return Place::bank;
    default: return Place::register_;
  }
}

void Values::classify(uint32_t i) {
  const module::Instruction& x = at(i);
  if (x.operand_count == 0 || x.guard != none) return;
  const Operand& d = operand(x, 0);
  if (d.kind != OperandKind::reg || !single(d.reg)) return;
  const Value& value = values_[d.reg];
  const isa::SlotValues& w = words(x);
  if (x.opcode == Opcode::ld) {
    const Operand& a = operand(x, 1);
    if (a.kind == OperandKind::address && a.reg == none && function_.entry && a.space == module::Space::param)
      put(d.reg, Place::bank);
    else if (a.kind == OperandKind::address && a.reg == none && a.space == module::Space::const_)
      put(d.reg, Place::bank);
    return;
  }
  if (x.opcode == Opcode::mov || x.opcode == Opcode::cvta) {
    const Operand& a = operand(x, 1);
    if (a.kind == OperandKind::reg && width_[a.reg] == width_[d.reg] && single(a.reg)) {
      const bool moves =
          x.opcode == Opcode::mov || w.is(Slot::space, Word::global) || w.is(Slot::space, Word::const_);
      if (moves) put(d.reg, Place::copy, a.reg);
      return;
    }
    if (x.opcode == Opcode::mov && a.kind == OperandKind::reg) return;
  }
  const uint32_t base = plus_constant(x);
  // other_uses: its own definition
  if (base != none && value.other_uses <= 1 && base != d.reg && unchanged(resolved(base), i, d.reg)) {
    put(d.reg, Place::offset, base);
    const Operand& a = operand(x, 1);
    const auto added = static_cast<int64_t>((a.kind == OperandKind::immediate ? a : operand(x, 2)).value);
    values_[d.reg].constant = x.opcode == Opcode::sub ? -added : added;
    return;
  }
  if (machine_.rules.scaled_addresses && !machine_.timed && is_scaled_address(x)) {
    const Operand& a = operand(x, 1);
    if (a.kind == OperandKind::reg && place(a.reg) == Place::register_ && a.reg != d.reg &&
        unchanged(resolved(a.reg), i, d.reg)) {
      put(d.reg, Place::offset, a.reg);
      return;
    }
  }
  if (extends_with_zeros(x) && value.uses != 0 && pair_uses_[d.reg] == 0) {
    const Operand& a = operand(x, 1);
    if (a.kind == OperandKind::reg && place(a.reg) == Place::register_ && a.reg != d.reg &&
        unchanged(resolved(a.reg), i, d.reg)) {
      put(d.reg, Place::copy, a.reg);
      return;
    }
  }
  if (machine_.scales && is_scaled(x) && value.unscaled_uses <= 1 && value.uses != 0 &&
      (value.uses == 1 || x.opcode == Opcode::mul || machine_.timed)) {
    const Operand& a = operand(x, 1);
    if (a.kind == OperandKind::reg && place(a.reg) == Place::register_ && a.reg != d.reg &&
        unchanged(resolved(a.reg), i, d.reg)) {
      put(d.reg, Place::scaled, a.reg);
      return;
    }
  }
  if (std::find(uniform_opcodes.begin(), uniform_opcodes.end(), x.opcode) == uniform_opcodes.end()) return;
  if (is_block_index(x) && !with_lanes_[d.reg]) {
    put(d.reg, Place::uniform);
    return;
  }
  const bool floats = is_float(w.type()) || is_float(w.type(Slot::dtype)) || is_float(w.type(Slot::atype));
  const Place worst = of_operands(x);
  if (worst == Place::register_) return;
  if (x.opcode == Opcode::mov) {
    put(d.reg, worst);
  } else if (worst == Place::constant) {
    put(d.reg, Place::constant);
  } else if (machine_.uniform && !floats && !parted_[function_.block_of[i]]) {
    put(d.reg, Place::uniform);
  }
}

// The upper half of the result is zero, for which there is a register.
bool Values::extends_with_zeros(const module::Instruction& x) const {
  if (machine_.timed || machine_.rules.adds_pairs || x.opcode != Opcode::cvt) return false;
  const isa::SlotValues& w = words(x);
  return isa::info(w.type(Slot::dtype)).bits == 64 && isa::info(w.type(Slot::atype)).bits == 32 &&
         isa::info(w.type(Slot::atype)).kind == isa::TypeKind::unsigned_ && !is_float(w.type(Slot::dtype));
}

// An index times 4, 8 or 16 that only accesses of shared memory add: they multiply it themselves.
bool Values::is_scaled_address(const module::Instruction& x) const {
  constexpr uint64_t least = 2, most = 4;
  const uint32_t slot = operand(x, 0).reg;
  if (x.opcode != Opcode::shl || width_[slot] != 1 || values_[slot].uses == 0 || !only_shared_[slot])
    return false;
  const Operand& by = operand(x, 2);
  return by.kind == OperandKind::immediate && by.value >= least && by.value <= most;
}

// Whether the value that a sum is made of lasts as long as the sum is used.
bool Values::unchanged(uint32_t root, uint32_t i, uint32_t sum) const {
  if (single(root)) return true;
  const Value& value = values_[sum];
  if (value.used_elsewhere) return false;
  const auto& list = definitions_of_[root];
  const auto next = std::lower_bound(list.begin(), list.end(), i);
  return next == list.end() || *next >= value.last_use;
}

// A product with a constant, or a shift by one, of 64 bits.
bool Values::is_scaled(const module::Instruction& x) const {
  const isa::SlotValues& w = words(x);
  if (operand(x, 0).kind != OperandKind::reg || width_[operand(x, 0).reg] != 2) return false;
  if (x.opcode == Opcode::mul)
    return w.is(Slot::mode, Word::wide) && constant(operand(x, 2)) && !is_float(w.type());
  if (x.opcode == Opcode::shl) return constant(operand(x, 2));
  if (x.opcode == Opcode::cvt) return !is_float(w.type(Slot::dtype)) && !is_float(w.type(Slot::atype));
  return false;
}

void Values::drop_what_nobody_reads() {
  std::vector<uint32_t> readers(values_.size());
  for (const Value& value : values_) readers[static_cast<std::size_t>(&value - values_.data())] = value.uses;
  std::vector<uint32_t> open;
  const auto dead = [&](uint32_t i) {
    const module::Instruction& x = at(i);
    if (has_effect(image_, x)) return false;
    bool writes = false, read = false;
    registers_of(x, [&](RegisterAccess access) {
      if (!access.write) return;
      writes = true;
      read |= readers[access.slot] != 0;
    });
    return writes && !read;
  };
  for (uint32_t i = static_cast<uint32_t>(function_.code.size()); i-- > 0;)
    if (dead(i)) open.push_back(i);
  while (!open.empty()) {
    const uint32_t i = open.back();
    open.pop_back();
    if (!needed_[i]) continue;
    needed_[i] = false;
    registers_of(at(i), [&](RegisterAccess access) {
      if (!access.read || access.write || --readers[access.slot] != 0) return;
      const uint32_t definition = values_[access.slot].definition;
      if (definition != none && dead(definition)) open.push_back(definition);
    });
  }
}

// Blocks that lanes may do without the others.
std::vector<bool> Values::find_parted() const {
  std::vector<bool> list;
  for (const module::Block& block : function_.blocks) list.push_back(parts(block));
  return diverged(function_, list);
}

bool Values::zero(const Operand& o) const {
  if (o.kind == OperandKind::immediate) return o.value == 0;
  if (o.kind != OperandKind::reg) return false;
  const uint32_t slot = resolved(o.reg);
  if (values_[slot].place != Place::constant) return false;
  const module::Instruction& x = at(values_[slot].definition);
  return x.opcode == Opcode::mov && operand(x, 1).kind == OperandKind::immediate && operand(x, 1).value == 0;
}

}  // namespace heddle::analysis::registers
