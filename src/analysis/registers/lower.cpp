// Values and operations of a function, without what needs no register or no instruction of the machine's.
#include <algorithm>
#include <map>

#include "analysis/registers/code.h"
#include "analysis/registers/describe.h"
#include "analysis/registers/values.h"

namespace heddle::analysis::registers {

namespace {

using isa::Opcode;
using module::none;
using module::Operand;
using module::OperandKind;

constexpr uint16_t latency_of_move = 4, latency_of_bank = 20;  // clocks

class Lowering {
 public:
  Lowering(const module::Image& image, const module::Function& function, const Machine& machine)
      : image_(image),
        function_(function),
        machine_(machine),
        values_(image, function, machine),
        loops_(function) {
    code_.width = values_.width();
  }

  Code run() {
    emit();
    return std::move(code_);
  }

 private:
  const module::Instruction& at(uint32_t i) const { return values_.at(i); }
  const isa::SlotValues& words(const module::Instruction& x) const { return values_.words(x); }
  const Operand& operand(const module::Instruction& x, uint32_t i) const { return values_.operand(x, i); }
  template <class Visit>
  void registers_of(const module::Instruction& x, Visit&& visit) const {
    values_.registers_of(x, visit);
  }

  void emit() {
    code_.blocks.reserve(function_.blocks.size());
    for (const module::Block& block : function_.blocks) {
      Range range{static_cast<uint32_t>(code_.operations.size()), 0};
      arguments_.clear();
      results_.clear();
      for (uint32_t i = block.first; i < block.end; ++i)
        if (values_.needed(i)) emit(i);
      range.end = static_cast<uint32_t>(code_.operations.size());
      code_.blocks.push_back(range);
      code_.successors.push_back(block.successors);
      code_.predecessors.push_back(block.predecessors);
      code_.parts.push_back(values_.parts(block));
    }
    insert();
  }

  // Brings something that never changes into a register.
  Operation brings(uint32_t instruction, uint32_t value, uint16_t latency) {
    Operation o;
    o.instruction = instruction;
    o.latency = latency;
    o.first = static_cast<uint32_t>(code_.values.size());
    o.definitions = 1;
    code_.values.push_back(value);
    return o;
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

  // The sum of a base that needs no register and a product. An index that is shifted has another instruction,
  // which takes the base from where it is: `LEA R2, P0, R5, c[0x0][0x160], 0x2`, or a uniform register.
  bool address_sum(const module::Instruction& x) const {
    return x.opcode == Opcode::add && !is_float(words(x).type()) && bank_ != none && factor_ != none;
  }
  // A number for what a scaled value is multiplied with: equal ones are one.
  uint32_t factor_of(uint32_t slot) const {
    const module::Instruction& x = at(values_[slot].definition);
    if (x.opcode == Opcode::shl && !machine_.timed) return none;
    if (x.operand_count < 3) return 1;
    const Operand& by = operand(x, 2);
    const uint64_t factor = by.kind == OperandKind::immediate ? by.value : 0;
    return static_cast<uint32_t>(x.opcode == Opcode::shl ? uint64_t{1} << (factor & 31) : factor);
  }

  void hold(uint32_t block, uint32_t what, uint32_t width) {
    hold(block, what, width, machine_.hoists ? loops_.home(block) : block);
  }
  // Constants cost one instruction wherever they are wanted: an assembler leaves them in the loop.
  void hold_constant(uint32_t block, uint32_t what, uint32_t width) {
    hold(block, what, width, machine_.hoists && machine_.timed ? loops_.home(block) : block);
  }
  void hold(uint32_t block, uint32_t what, uint32_t width, uint32_t home) {
    if (width == 0 || what == none) return;
    for (const Held& h : held_)
      if (h.what == what && h.width == width &&
          (h.home == home || (machine_.hoists && loops_.comes_before(h.home, home)))) {
        uses_.push_back(h.value);
        return;
      }
    const auto value = static_cast<uint32_t>(code_.width.size());
    code_.width.push_back(static_cast<uint8_t>(width));
    held_.push_back({home, what, width, value});
    uses_.push_back(value);
    const Operation o = brings(function_.blocks[block].first, value, latency_of_bank);
    if (home == block)
      code_.operations.push_back(o);
    else
      before_.emplace_back(home, o);
  }

  // Atomic operations take no uniform register: on 7.5, too, their address is in a pair.
  static bool is_atomic(const module::Instruction& x) {
    return x.opcode == Opcode::atom || x.opcode == Opcode::red;
  }

  // The address of a variable, which the bank of constants has.
  void hold_symbols(const module::Instruction& x, uint32_t block) {
    if (!reaches(x) || machine_.rules.uniform_addresses) return;
    for (uint32_t k = 0; k < x.operand_count; ++k) {
      const Operand& a = operand(x, k);
      if (a.kind == OperandKind::address && a.reg == none && a.index != none &&
          a.space == module::Space::global)
        hold(block, function_.register_slots + a.index, 2);
    }
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
    if (x.operand_count != 0 && operand(x, 0).kind == OperandKind::reg &&
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
             values_.place(operand.reg) != Place::register_;
    };
    for (uint32_t k = 0; k < x.operand_count; ++k)
      if (address_base(operand(x, k))) base_elsewhere = code_.width[operand(x, k).reg];
    registers_of(x, [&](RegisterAccess access) {
      if (access.read) add_use(access.slot, elsewhere, wide);
      if (access.write) definitions_.push_back(access.slot);
    });
    describe(image_, function_, x, values_.parted(function_.block_of[i]), o);
    code_.calls = code_.calls || x.opcode == Opcode::call;
    if (machine_.has_functions) pass(i, x, o);
    if (o.memory != Memory::none && o.memory != Memory::barrier) find_place(x, o);
    o.issue = static_cast<uint8_t>(std::max<uint32_t>(o.issue, o.bytes / 2));  // as a queue takes it
    // What has to be brought into a register first: before the loop, where there is one.
    const uint32_t block = function_.block_of[i];
    hold_symbols(x, block);
    if (base_elsewhere != 0) {
      if (!machine_.rules.uniform_addresses || (is_atomic(x) && !machine_.timed))
        hold(block, bank_, base_elsewhere);
    } else if (address_sum(x)) {
      if (factor_ == 1)
        ++o.temporaries;  // the upper half of the index
      else if (machine_.rules.bases_in_registers)
        hold(block, bank_, 2);
      else
        hold_constant(block, factor_, 1);
    } else if (elsewhere > 1 ||
               (x.opcode == Opcode::st && elsewhere == 1 && operand(x, 1).kind == OperandKind::reg)) {
      if (bank_ != none)
        hold(block, bank_, wide);
      else if (other_ != none && values_[other_].place == Place::constant)
        hold_constant(block, other_, wide);
      else
        hold(block, other_, wide);
    }
    if (const uint32_t multiplied = product_in_sum(x); multiplied != none) hold(block, multiplied, 1);
    if (x.opcode == Opcode::st) bring_data(x, o);
    if (is_atomic(x)) bring_operands(x, o);
    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    o.first = static_cast<uint32_t>(code_.values.size());
    o.uses = static_cast<uint16_t>(uses_.size());
    o.definitions = static_cast<uint16_t>(definitions_.size());
    code_.values.insert(code_.values.end(), uses_.begin(), uses_.end());
    code_.values.insert(code_.values.end(), definitions_.begin(), definitions_.end());
    code_.operations.push_back(o);
    find_wishes(x, o);
  }

  // Of a sum of a register and a product that is the same in all lanes: what is multiplied. One instruction
  // multiplies and adds, which wants it in a register: `IMAD.WIDE R6, R11, 0x4, R2`.
  uint32_t product_in_sum(const module::Instruction& x) const {
    if (machine_.timed || x.opcode != Opcode::add || uses_.size() != 1 || other_ == none ||
        values_[other_].place != Place::uniform || code_.width[other_] != 2)
      return none;
    const module::Instruction& product = at(values_[other_].definition);
    if (product.opcode != Opcode::mul || !words(product).is(isa::Slot::mode, isa::Word::wide)) return none;
    const Operand& by = operand(product, 2);
    const Operand& of = operand(product, 1);
    return by.kind == OperandKind::immediate && of.kind == OperandKind::reg ? values_.resolved(of.reg) : none;
  }

  // What goes to a function that is part of the code, and comes from it, stays in registers.
  void pass(uint32_t i, const module::Instruction& x, Operation& o) {
    const auto plain = [&o] {
      o.memory = Memory::none;
      o.stays = o.splits = false;
    };
    const auto fresh = [&] {
      code_.width.push_back(1);
      return static_cast<uint32_t>(code_.width.size() - 1);
    };
    const bool of_call = words(x)[isa::Slot::space] == isa::Word::param;
    const uint32_t end = function_.blocks[function_.block_of[i]].end;
    if (x.opcode == Opcode::st && of_call) {
      uint32_t call = i + 1;
      while (call < end && at(call).opcode != Opcode::call) ++call;
      if (call == end || !calls_math(image_, function_, at(call))) return;
      plain();
      o.latency = o.issue = 0;
      definitions_.push_back(arguments_.emplace_back(fresh()));
    } else if (calls_math(image_, function_, x)) {
      plain();
      o.latency = 40;
      uses_.insert(uses_.end(), arguments_.begin(), arguments_.end());
      arguments_.clear();
      for (uint32_t j = i + 1; j < end && at(j).opcode != Opcode::call; ++j)
        if (at(j).opcode == Opcode::ld && words(at(j))[isa::Slot::space] == isa::Word::param &&
            values_.needed(j))
          definitions_.push_back(results_[j] = fresh());
    } else if (const auto result = results_.find(i); result != results_.end()) {
      plain();
      o.latency = o.issue = 0;
      uses_.push_back(result->second);
    }
  }

  // What is stored is in registers, of a vector in registers side by side: constants are brought there for
  // the store alone.
  void bring_data(const module::Instruction& x, Operation& o) {
    const Operand& data = operand(x, 1);
    const auto width = static_cast<uint8_t>(isa::info(words(x).type()).bits == 64 ? 2 : 1);
    if (data.kind != OperandKind::vector) {
      const bool known = data.kind == OperandKind::immediate ||
                         (data.kind == OperandKind::reg && values_.place(data.reg) == Place::constant);
      if (known && !values_.zero(data)) bring_constant(o, width);
      return;
    }
    std::vector<uint32_t> list;
    uint8_t missing = 0;
    bool zeros = true;
    for (uint32_t c = 0; c < data.child_count; ++c) {
      const Operand& child = function_.operands[data.first_child + c];
      zeros = zeros && values_.zero(child);
      const uint32_t slot = child.kind == OperandKind::reg ? values_.resolved(child.reg) : none;
      if (slot != none && values_[slot].place == Place::register_ &&
          std::find(list.begin(), list.end(), slot) == list.end())
        list.push_back(slot);
      else
        missing += width;
    }
    if (missing != 0 && !zeros) o.temporaries += missing;
    if (missing == 0 && list.size() > 1) code_.vectors.push_back(std::move(list));
  }

  // A constant that an access wants in a register is brought there by an instruction of its own, which waits
  // for nothing and is issued where the others wait.
  void bring_constant(Operation& o, uint8_t width) {
    if (machine_.timed) {
      o.temporaries += width;
      return;
    }
    const auto value = static_cast<uint32_t>(code_.width.size());
    code_.width.push_back(width);
    uses_.push_back(value);
    code_.operations.push_back(brings(o.instruction, value, latency_of_move));
  }

  // What an atomic operation adds, compares or stores is in registers, too.
  void bring_operands(const module::Instruction& x, Operation& o) {
    const auto width = static_cast<uint8_t>(isa::info(words(x).type()).bits == 64 ? 2 : 1);
    for (uint32_t k = 1; k < x.operand_count; ++k)
      if (values_.constant(operand(x, k)) && !values_.zero(operand(x, k))) bring_constant(o, width);
  }

  // What an access wants of the registers of its data.
  void find_wishes(const module::Instruction& x, const Operation& o) {
    if (o.memory == Memory::barrier || (!reaches(x) && x.opcode != Opcode::tex)) return;
    for (uint32_t k = 0; k < x.operand_count; ++k) {
      const Operand& a = operand(x, k);
      if (a.kind == OperandKind::vector && x.opcode != Opcode::st) {
        std::vector<uint32_t> list;
        for (uint32_t c = 0; c < a.child_count; ++c) {
          const Operand& child = function_.operands[a.first_child + c];
          if (child.kind != OperandKind::reg) return;
          const uint32_t slot = values_.resolved(child.reg);
          if (values_[slot].place != Place::register_ || code_.width[slot] == 0 ||
              std::find(list.begin(), list.end(), slot) != list.end())
            return;
          list.push_back(slot);
        }
        if (list.size() > 1) code_.vectors.push_back(std::move(list));
      }
    }
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

  const module::Image& image_;
  const module::Function& function_;
  const Machine& machine_;
  Values values_;
  std::vector<uint32_t> uses_, definitions_;
  std::vector<uint32_t> arguments_;                      // of the next call of a math function
  std::map<uint32_t, uint32_t> results_;                 // by instruction that takes one
  uint32_t bank_ = none, other_ = none, factor_ = none;  // of the instruction's operands
  struct Held {
    uint32_t home, what, width, value;
  };
  std::vector<Held> held_;  // what needs a register though it never changes
  Loops loops_;
  std::vector<std::pair<uint32_t, Operation>> before_;  // by the block that it ends
  Code code_;
};

}  // namespace

Code lower(const module::Image& image, const module::Function& function, const Machine& machine) {
  return Lowering(image, function, machine).run();
}

}  // namespace heddle::analysis::registers
