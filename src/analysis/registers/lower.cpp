#include <algorithm>
#include <array>

#include "analysis/accesses.h"
#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::none;
using module::Operand;
using module::OperandKind;

// Where a value is, if not in a register of its own.
enum class Place : uint8_t {
  register_,
  constant,  // an immediate operand
  bank,      // the bank of constants with the arguments and the launch's dimensions
  uniform,   // the file of uniform registers
  copy,      // another value
  offset,    // another value and a constant, as addresses add it
  scaled,    // another value, widened, times a constant: part of the addition that uses it
};

struct Value {
  Place place = Place::register_;
  uint32_t of = none;  // copy, offset, scaled
  uint32_t definitions = 0;
  uint32_t definition = none;   // instruction, of values with one
  uint32_t uses = 0;            // of values with a register or not, as long as something needs them
  uint32_t other_uses = 0;      // than as an address, or a sum with a constant that is only one
  uint32_t unscaled_uses = 0;   // than in additions of 64 bits
  int64_t constant = 0;         // of offset
  uint32_t last_use = 0;        // instruction
  bool used_elsewhere = false;  // in another block than that of its definition
  bool guarded = false;
};

// Integer operations that the uniform datapath has.
constexpr std::array uniform_opcodes{Opcode::add,  Opcode::sub,  Opcode::mul, Opcode::mad,  Opcode::shl,
                                     Opcode::shr,  Opcode::and_, Opcode::or_, Opcode::xor_, Opcode::not_,
                                     Opcode::min,  Opcode::max,  Opcode::cvt, Opcode::setp, Opcode::selp,
                                     Opcode::mov,  Opcode::neg,  Opcode::bfe, Opcode::lop3, Opcode::shf,
                                     Opcode::prmt, Opcode::popc};

bool is_float(isa::Type type) { return isa::info(type).kind == isa::TypeKind::floating; }

class Lowering {
 public:
  Lowering(const module::Image& image, const module::Function& function, const Machine& machine)
      : image_(image),
        function_(function),
        machine_(machine),
        values_(function.register_slots),
        needed_(function.code.size(), true),
        definitions_of_(function.register_slots) {}

  Code run() {
    widths();
    count();
    find_address_uses();
    for (uint32_t i = 0; i < function_.code.size(); ++i) classify(i);
    drop_what_nobody_reads();
    emit();
    return std::move(code_);
  }

 private:
  const module::Instruction& at(uint32_t i) const { return function_.code[i]; }
  const isa::SlotValues& words(const module::Instruction& x) const {
    return image_.mnemonics[x.mnemonic].values;
  }
  const Operand& operand(const module::Instruction& x, uint32_t i) const {
    return function_.operands[x.first_operand + i];
  }
  template <class Visit>
  void registers_of(const module::Instruction& x, Visit&& visit) const {
    each_register(image_, function_, x, visit);
  }

  void widths() {
    code_.width.assign(function_.register_slots, 0);
    for (const module::RegisterInfo& info : function_.registers) {
      const unsigned bits = isa::info(info.type).bits;
      const uint8_t width = bits <= 1 ? 0 : bits <= 32 ? 1 : 2;
      code_.width[info.slot] = std::max(code_.width[info.slot], width);
      if (bits > 64) code_.width[info.slot + 1] = 2;
    }
  }

  void count() {
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

  bool single(uint32_t slot) const { return values_[slot].definitions == 1 && !values_[slot].guarded; }

  // Of an addition with one constant operand: the other one's slot.
  uint32_t plus_constant(const module::Instruction& x) const {
    if ((x.opcode != Opcode::add && x.opcode != Opcode::sub) || x.operand_count != 3 || x.guard != none)
      return none;
    if (is_float(words(x).type()) || words(x).has(Slot::cc)) return none;
    const Operand& a = operand(x, 1);
    const Operand& b = operand(x, 2);
    if (a.kind == OperandKind::reg && constant(b)) return a.reg;
    if (b.kind == OperandKind::reg && constant(a) && x.opcode == Opcode::add) return b.reg;
    return none;
  }
  bool constant(const Operand& o) const {
    return o.kind == OperandKind::immediate ||
           (o.kind == OperandKind::reg && values_[o.reg].place == Place::constant);
  }

  static bool reaches(const module::Instruction& x) {
    return x.opcode == Opcode::ld || x.opcode == Opcode::st || x.opcode == Opcode::red ||
           x.opcode == Opcode::atom || x.opcode == Opcode::prefetch || x.opcode == Opcode::ldu;
  }

  // Backward: whether a sum is only an address is known before its operands are looked at.
  void find_address_uses() {
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
  void look_at_use(const Operand& o, bool reaches_memory, bool only_address, bool sums) {
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

  uint32_t resolved(uint32_t slot) const {
    while (values_[slot].place >= Place::copy) slot = values_[slot].of;
    return slot;
  }
  Place place(uint32_t slot) const { return values_[resolved(slot)].place; }

  // The worst place among the operands that an instruction reads: whether the result can be there too.
  Place of_operands(const module::Instruction& x) const {
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
        case OperandKind::symbol:
          take(o.space == module::Space::global ? Place::bank : Place::constant);
          break;
        case OperandKind::special: take(of_special(o.special)); break;
        case OperandKind::reg: take(place(o.reg)); break;
        default: take(Place::register_);
      }
    }
    return worst;
  }

  Place of_special(isa::SpecialRegister special) const {
    using isa::SpecialRegister;
    switch (special) {
      case SpecialRegister::ntid:
      case SpecialRegister::nctaid: return Place::bank;
      case SpecialRegister::ctaid: return machine_.uniform ? Place::uniform : Place::register_;
      default: return Place::register_;
    }
  }

  void put(uint32_t slot, Place where, uint32_t of = none) {
    values_[slot].place = where;
    values_[slot].of = of;
  }

  void classify(uint32_t i) {
    const module::Instruction& x = at(i);
    if (x.operand_count == 0 || x.guard != none) return;
    const Operand& d = operand(x, 0);
    if (d.kind != OperandKind::reg || !single(d.reg)) return;
    const Value& value = values_[d.reg];
    const isa::SlotValues& w = words(x);
    if (x.opcode == Opcode::ld) {
      const Operand& a = operand(x, 1);
      if (a.kind == OperandKind::address && a.reg == none && function_.entry &&
          a.space == module::Space::param)
        put(d.reg, Place::bank);
      else if (a.kind == OperandKind::address && a.reg == none && a.space == module::Space::const_)
        put(d.reg, Place::bank);
      return;
    }
    if (x.opcode == Opcode::mov || x.opcode == Opcode::cvta) {
      const Operand& a = operand(x, 1);
      if (a.kind == OperandKind::reg && code_.width[a.reg] == code_.width[d.reg] && single(a.reg)) {
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
    if (is_scaled(x) && value.unscaled_uses <= 1 && value.uses != 0) {
      const Operand& a = operand(x, 1);
      if (a.kind == OperandKind::reg && place(a.reg) == Place::register_ && a.reg != d.reg &&
          unchanged(resolved(a.reg), i, d.reg)) {
        put(d.reg, Place::scaled, a.reg);
        return;
      }
    }
    if (std::find(uniform_opcodes.begin(), uniform_opcodes.end(), x.opcode) == uniform_opcodes.end()) return;
    const bool floats = is_float(w.type()) || is_float(w.type(Slot::dtype)) || is_float(w.type(Slot::atype));
    const Place worst = of_operands(x);
    if (worst == Place::register_) return;
    if (x.opcode == Opcode::mov) {
      put(d.reg, worst);
    } else if (worst == Place::constant) {
      put(d.reg, Place::constant);
    } else if (machine_.uniform && !floats) {
      put(d.reg, Place::uniform);
    }
  }

  // Whether the value that a sum is made of lasts as long as the sum is used.
  bool unchanged(uint32_t root, uint32_t i, uint32_t sum) const {
    if (single(root)) return true;
    const Value& value = values_[sum];
    if (value.used_elsewhere) return false;
    const auto& list = definitions_of_[root];
    const auto next = std::lower_bound(list.begin(), list.end(), i);
    return next == list.end() || *next >= value.last_use;
  }

  // A product with a constant, or a shift by one, of 64 bits.
  bool is_scaled(const module::Instruction& x) const {
    const isa::SlotValues& w = words(x);
    if (operand(x, 0).kind != OperandKind::reg || code_.width[operand(x, 0).reg] != 2) return false;
    if (x.opcode == Opcode::mul)
      return w.is(Slot::mode, Word::wide) && constant(operand(x, 2)) && !is_float(w.type());
    if (x.opcode == Opcode::shl) return constant(operand(x, 2));
    if (x.opcode == Opcode::cvt) return !is_float(w.type(Slot::dtype)) && !is_float(w.type(Slot::atype));
    return false;
  }

  bool has_effect(const module::Instruction& x) const {
    switch (x.opcode) {
      case Opcode::ld: return words(x).is(Slot::volatile_, Word::volatile_);
      case Opcode::st:
      case Opcode::red:
      case Opcode::atom:
      case Opcode::bar:
      case Opcode::barrier:
      case Opcode::bra:
      case Opcode::brx:
      case Opcode::call:
      case Opcode::ret:
      case Opcode::exit:
      case Opcode::trap:
      case Opcode::membar:
      case Opcode::fence:
      case Opcode::cp:
      case Opcode::mbarrier:
      case Opcode::vote:
      case Opcode::shfl:
      case Opcode::match:
      case Opcode::redux:
      case Opcode::sust:
      case Opcode::sured:
      case Opcode::stmatrix:
      case Opcode::wmma:
      case Opcode::mma:
      case Opcode::wgmma:
      case Opcode::tcgen05:
      case Opcode::prefetch:
      case Opcode::prefetchu:
      case Opcode::nanosleep:
      case Opcode::setmaxnreg:
      case Opcode::brkpt:
      case Opcode::pmevent:
      case Opcode::griddepcontrol:
      case Opcode::elect:
      case Opcode::activemask:
      case Opcode::stackrestore:
      case Opcode::multimem:
      case Opcode::discard:
      case Opcode::applypriority:
      case Opcode::clusterlaunchcontrol:
      case Opcode::createpolicy:
      case Opcode::tensormap:
      case Opcode::alloca: return true;
      default: return false;
    }
  }

  void drop_what_nobody_reads() {
    std::vector<uint32_t> readers(values_.size());
    for (const Value& value : values_)
      readers[static_cast<std::size_t>(&value - values_.data())] = value.uses;
    std::vector<uint32_t> open;
    const auto dead = [&](uint32_t i) {
      const module::Instruction& x = at(i);
      if (has_effect(x)) return false;
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

  // ---- operations
  void emit() {
    find_loops();
    find_diverged();
    code_.blocks.reserve(function_.blocks.size());
    for (const module::Block& block : function_.blocks) {
      Range range{static_cast<uint32_t>(code_.operations.size()), 0};
      for (uint32_t i = block.first; i < block.end; ++i)
        if (needed_[i]) emit(i);
      range.end = static_cast<uint32_t>(code_.operations.size());
      code_.blocks.push_back(range);
      code_.successors.push_back(block.successors);
      code_.predecessors.push_back(block.predecessors);
    }
    insert();
  }

  void add_use(uint32_t slot, uint32_t& elsewhere, uint32_t& elsewhere_width) {
    for (; values_[slot].place >= Place::copy; slot = values_[slot].of)
      if (values_[slot].place == Place::scaled) factor_ = factor_of(slot);
    if (values_[slot].place == Place::register_) {
      uses_.push_back(slot);
      return;
    }
    if (values_[slot].place != Place::constant) ++elsewhere;
    if (values_[slot].place == Place::bank) bank_ = slot;
    other_ = slot;
    elsewhere_width = std::max<uint32_t>(elsewhere_width, code_.width[slot]);
  }

  // The sum of a base that needs no register and a product.
  bool address_sum(const module::Instruction& x) const {
    return x.opcode == Opcode::add && !is_float(words(x).type()) && bank_ != none && factor_ != none;
  }
  // A number for what a scaled value is multiplied with: equal ones are one.
  uint32_t factor_of(uint32_t slot) const {
    const module::Instruction& x = at(values_[slot].definition);
    if (x.operand_count < 3) return 1;
    const Operand& by = operand(x, 2);
    const uint64_t factor = by.kind == OperandKind::immediate ? by.value : 0;
    return static_cast<uint32_t>(x.opcode == Opcode::shl ? uint64_t{1} << (factor & 31) : factor);
  }

  // The block in which something that never changes is made for a use in this one: outside of the loops.
  void find_loops() {
    const auto count = static_cast<uint32_t>(function_.blocks.size());
    home_.resize(count);
    for (uint32_t b = 0; b < count; ++b) home_[b] = b;
    for (uint32_t b = 0; b < count; ++b)
      for (const uint32_t to : function_.blocks[b].successors) {
        if (to > b || to == 0) continue;
        for (uint32_t k = to; k <= b; ++k) home_[k] = std::min(home_[k], home_[to - 1]);
      }
  }
  void find_diverged() {
    const auto shuffles = [](const module::Instruction& x) { return x.opcode == Opcode::shfl; };
    if (std::none_of(function_.code.begin(), function_.code.end(), shuffles)) return;
    std::vector<bool> parts;
    for (const module::Block& block : function_.blocks) {
      const uint32_t guard = block.first == block.end ? none : at(block.end - 1).guard;
      parts.push_back(guard != none && place(guard) == Place::register_);
    }
    diverged_ = diverged(function_, parts);
  }
  void hold(uint32_t block, uint32_t what, uint32_t width) {
    if (width == 0 || what == none) return;
    const uint32_t home = home_[block];
    for (const Held& h : held_)
      if (h.home == home && h.what == what && h.width == width) {
        uses_.push_back(h.value);
        return;
      }
    const auto value = static_cast<uint32_t>(code_.width.size());
    code_.width.push_back(static_cast<uint8_t>(width));
    held_.push_back({home, what, width, value});
    uses_.push_back(value);
    Operation o;
    o.instruction = function_.blocks[block].first;
    o.latency = 20;
    o.first = static_cast<uint32_t>(code_.values.size());
    o.definitions = 1;
    code_.values.push_back(value);
    if (home == block)
      code_.operations.push_back(o);
    else
      before_.emplace_back(home, o);
  }

  // What is made before a loop was found in it, behind the blocks where it belongs.
  void insert() {
    if (before_.empty()) return;
    std::sort(before_.begin(), before_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second.first < b.second.first;
    });
    std::vector<Operation> all;
    all.reserve(code_.operations.size() + before_.size());
    auto next = before_.begin();
    for (uint32_t b = 0; b < code_.blocks.size(); ++b) {
      Range& range = code_.blocks[b];
      const auto first = static_cast<uint32_t>(all.size());
      auto end = range.end;
      const auto is_jump = [](const Operation& o) {
        return o.stays && o.definitions == 0 && o.memory == Memory::none;
      };
      const bool jump = end > range.first && is_jump(code_.operations[end - 1]);
      for (uint32_t i = range.first; i < end - (jump ? 1 : 0); ++i) all.push_back(code_.operations[i]);
      for (; next != before_.end() && next->first == b; ++next) all.push_back(next->second);
      if (jump) all.push_back(code_.operations[end - 1]);
      range = {first, static_cast<uint32_t>(all.size())};
    }
    code_.operations = std::move(all);
  }

  void emit(uint32_t i) {
    const module::Instruction& x = at(i);
    if (x.operand_count != 0 && operand(x, 0).kind == OperandKind::reg && single(operand(x, 0).reg) &&
        values_[operand(x, 0).reg].place != Place::register_)
      return;
    Operation o;
    o.instruction = i;
    o.guarded = x.guard != none;
    uses_.clear();
    definitions_.clear();
    uint32_t elsewhere = 0, wide = 0, base_elsewhere = 0;
    bank_ = other_ = factor_ = none;
    const auto address_base = [&](const Operand& operand) {
      return operand.kind == OperandKind::address && operand.reg != none &&
             place(operand.reg) != Place::register_;
    };
    for (uint32_t k = 0; k < x.operand_count; ++k)
      if (address_base(operand(x, k))) base_elsewhere = code_.width[operand(x, k).reg];
    registers_of(x, [&](RegisterAccess access) {
      if (access.read) add_use(access.slot, elsewhere, wide);
      if (access.write) definitions_.push_back(access.slot);
    });
    describe(x, o);
    if (o.memory != Memory::none && o.memory != Memory::barrier) find_place(x, o);
    o.issue = static_cast<uint8_t>(std::max<uint32_t>(o.issue, o.bytes / 2));  // as a queue takes it
    // What has to be brought into a register first: before the loop, where there is one.
    const uint32_t block = function_.block_of[i];
    if (base_elsewhere != 0) {
      hold(block, bank_, base_elsewhere);
    } else if (address_sum(x)) {
      if (machine_.rules.bases_in_registers)
        hold(block, bank_, 2);
      else
        hold(block, factor_, 1);
    } else if (elsewhere > 1 || (x.opcode == Opcode::st && elsewhere == 1)) {
      hold(block, bank_ != none ? bank_ : other_, wide);
    }
    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    o.first = static_cast<uint32_t>(code_.values.size());
    o.uses = static_cast<uint16_t>(uses_.size());
    o.definitions = static_cast<uint16_t>(definitions_.size());
    code_.values.insert(code_.values.end(), uses_.begin(), uses_.end());
    code_.values.insert(code_.values.end(), definitions_.begin(), definitions_.end());
    code_.operations.push_back(o);
  }

  void find_place(const module::Instruction& x, Operation& o) const {
    for (uint32_t k = 0; k < x.operand_count; ++k) {
      const Operand& a = operand(x, k);
      if (a.kind != OperandKind::address || a.reg == none) continue;
      o.offset = static_cast<int64_t>(a.value);
      uint32_t slot = a.reg;
      for (; values_[slot].place == Place::copy || values_[slot].place == Place::offset;
           slot = values_[slot].of)
        o.offset += values_[slot].constant;
      o.base = slot;
      uint32_t elements = 1;
      for (uint32_t j = 0; j < x.operand_count; ++j)
        if (operand(x, j).kind == OperandKind::vector) elements = operand(x, j).child_count;
      o.bytes = elements * std::max(1u, isa::info(words(x).type()).bits / 8u);
      return;
    }
  }

  // Clocks, memory, and the registers that sequences for one instruction use.
  void describe(const module::Instruction& x, Operation& o) {
    const isa::SlotValues& w = words(x);
    const unsigned bits = isa::info(w.type()).bits;
    const bool floats = is_float(w.type());
    o.latency = 5;
    o.stays = has_effect(x);
    const auto space = [&]() -> uint8_t {
      for (uint32_t i = 0; i < x.operand_count; ++i)
        if (operand(x, i).kind == OperandKind::address) return static_cast<uint8_t>(operand(x, i).space);
      return 0;
    };
    switch (x.opcode) {
      case Opcode::ld:
      case Opcode::ldu: {
        o.memory = w.is(Slot::nc, Word::nc) ? Memory::none : Memory::load;
        o.space = space();
        const auto s = static_cast<module::Space>(o.space);
        o.latency =
            s == module::Space::shared || s == module::Space::const_ || s == module::Space::param ? 28 : 300;
        o.issue = 2;
        if (o.stays) o.memory = Memory::store;
        break;
      }
      case Opcode::tex:
      case Opcode::tld4:
      case Opcode::suld:
        o.latency = 400;
        o.issue = 4;
        break;
      case Opcode::st:
        o.memory = Memory::store;
        o.space = space();
        o.issue = 2;
        break;
      case Opcode::atom:
      case Opcode::red:
        o.memory = Memory::store;
        o.space = space();
        o.latency = 300;
        break;
      case Opcode::bar:
      case Opcode::barrier:
      case Opcode::membar:
      case Opcode::fence:
      case Opcode::call:
      case Opcode::cp:
      case Opcode::mbarrier:
      case Opcode::nanosleep:
      case Opcode::wgmma:
      case Opcode::tcgen05: o.memory = Memory::barrier; break;
      case Opcode::shfl:
        if (diverged_[function_.block_of[o.instruction]])
          o.temporaries = sequences::diverged_shuffle.registers,
          o.splits = sequences::diverged_shuffle.branches;
        [[fallthrough]];
      case Opcode::vote:
      case Opcode::match:
      case Opcode::redux:
        o.latency = 24;
        o.memory = Memory::none;
        break;
      case Opcode::mov:
        if (x.operand_count > 1 && operand(x, 1).kind == OperandKind::special) o.latency = 20;
        break;
      case Opcode::sin:
      case Opcode::cos:
      case Opcode::ex2:
      case Opcode::lg2:
      case Opcode::tanh: o.latency = 20; break;
      case Opcode::rsqrt:
        o.latency = 20;
        if (bits == 64) describe_division(x, w, o);
        break;
      case Opcode::rcp:
      case Opcode::sqrt:
      case Opcode::div:
      case Opcode::rem: describe_division(x, w, o); break;
      case Opcode::mul:
      case Opcode::mad:
        if (bits == 64 && !floats && !w.is(Slot::mode, Word::wide))
          o.latency = 15, o.temporaries = sequences::multiply_64.registers;
        if (bits == 64 && !floats && w.is(Slot::mode, Word::hi))
          o.temporaries = sequences::multiply_high_64.registers;
        break;
      default: break;
    }
    if (floats && bits == 64) o.latency = std::max<uint16_t>(o.latency, 16);
    if (x.opcode == Opcode::call) code_.calls = true;
  }

  // Divisions and roots are sequences, some with a slow path beside.
  static void describe_division(const module::Instruction& x, const isa::SlotValues& w, Operation& o) {
    const unsigned bits = isa::info(w.type()).bits;
    const bool floats = is_float(w.type());
    const bool approximate = w.is(Slot::approx, Word::approx) || w.is(Slot::full, Word::full);
    const bool is_signed = isa::info(w.type()).kind == isa::TypeKind::signed_;
    o.latency = 40;
    const auto take = [&o](const Sequence& s) { o.temporaries = s.registers, o.splits = s.branches; };
    switch (x.opcode) {
      case Opcode::rsqrt: take(sequences::reciprocal_root_f64); return;
      case Opcode::sqrt:
        if (bits == 64) return take(sequences::root_f64);
        return take(approximate ? sequences::divide_f32_approx : sequences::root_f32);
      case Opcode::rcp:
        if (bits == 64) return take(sequences::reciprocal_f64);
        return take(approximate ? sequences::divide_f32_approx : sequences::reciprocal_f32);
      case Opcode::div:
        if (floats && bits == 64) return take(sequences::divide_f64);
        if (floats) return take(approximate ? sequences::divide_f32_approx : sequences::divide_f32);
        if (bits == 64) return take(is_signed ? sequences::divide_s64 : sequences::divide_u64);
        return take(is_signed ? sequences::divide_s32 : sequences::divide_u32);
      default:
        if (bits == 64) return take(is_signed ? sequences::remainder_s64 : sequences::remainder_u64);
        return take(is_signed ? sequences::remainder_s32 : sequences::remainder_u32);
    }
  }

  const module::Image& image_;
  const module::Function& function_;
  const Machine& machine_;
  std::vector<Value> values_;
  std::vector<bool> needed_;
  std::vector<std::vector<uint32_t>> definitions_of_;  // by slot
  std::vector<uint32_t> uses_, definitions_;
  uint32_t bank_ = none, other_ = none, factor_ = none;  // of the instruction's operands
  struct Held {
    uint32_t home, what, width, value;
  };
  std::vector<Held> held_;  // what needs a register though it never changes
  std::vector<uint32_t> home_;
  std::vector<bool> diverged_;                          // blocks; empty where nothing shuffles
  std::vector<std::pair<uint32_t, Operation>> before_;  // by the block that it ends
  Code code_;
};

}  // namespace

Code lower(const module::Image& image, const module::Function& function, const Machine& machine) {
  return Lowering(image, function, machine).run();
}

}  // namespace heddle::analysis::registers
