// Loops of one block, repeated as an assembler repeats them.
#include <algorithm>
#include <optional>

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

// Learnt from kernels with loops of growing bodies.
// What a loop may cost that runs a number of times that is not known: found with bodies of growing numbers of
// multiplications (44), pairs of loads and additions (14), stores (21), comparisons and selections (21
// pairs), the same on 7.5, 8.0 and 12.0. An instruction costs 2, an access of memory 4; what is part of
// another instruction costs nothing.
constexpr uint32_t longest_body = 100;
constexpr uint32_t longest_timed_body =
    32;  // instructions; as in the tables of docs/reference/timing-error.md
constexpr uint32_t usual_copies = 4;
// Instructions of a loop whose number of times is known, all copies. The assembler repeats more, but does not
// move loads over all of them: with more copies the estimates become too large.
constexpr uint32_t longest_unrolled = 128;

class Unrolling {
 public:
  Unrolling(const module::Image& image, const module::Function& function, const Machine& machine)
      : image_(image), old_(function), machine_(machine) {}

  std::optional<module::Function> run() {
    definitions_.resize(old_.register_slots);
    for (uint32_t i = 0; i < old_.code.size(); ++i)
      each_register(image_, old_, old_.code[i], [&](RegisterAccess a) {
        if (a.write) definitions_[a.slot].push_back(i);
      });
    std::vector<uint32_t> copies(old_.blocks.size(), 1);
    bool any = false;
    for (uint32_t b = 0; b < old_.blocks.size(); ++b) any |= (copies[b] = copies_of(b)) > 1;
    if (!any) return std::nullopt;
    new_ = old_;
    new_.code.clear();
    new_.block_of.clear();
    info_of_.assign(old_.register_slots, none);
    for (uint32_t i = 0; i < old_.registers.size(); ++i) info_of_[old_.registers[i].slot] = i;
    for (uint32_t b = 0; b < old_.blocks.size(); ++b) {
      const auto first = static_cast<uint32_t>(new_.code.size());
      map_.clear();
      for (uint32_t k = 0; k < copies[b]; ++k) copy(b, k + 1 == copies[b]);
      new_.blocks[b].first = first;
      new_.blocks[b].end = static_cast<uint32_t>(new_.code.size());
      new_.block_of.resize(new_.code.size(), b);
    }
    return std::move(new_);
  }

 private:
  const Operand& operand(const module::Instruction& x, uint32_t i) const {
    return old_.operands[x.first_operand + i];
  }

  bool asked_not_to(const module::Block& block) const {
    const auto& source = image_.units[old_.unit].source;
    if (source == nullptr) return false;
    const std::string_view text = source->text();
    const uint32_t end = old_.code[block.first].source_offset;
    const uint32_t begin = block.first == 0 ? end : old_.code[block.first - 1].source_offset;
    if (begin >= end || end > text.size()) return false;
    return text.substr(begin, end - begin).find("nounroll") != std::string_view::npos;
  }

  uint32_t copies_of(uint32_t b) const {
    const module::Block& block = old_.blocks[b];
    const uint32_t size = block.end - block.first;
    if (size < 2 || std::find(block.successors.begin(), block.successors.end(), b) == block.successors.end())
      return 1;
    for (uint32_t i = block.first; i < block.end; ++i)
      if (old_.code[i].opcode == Opcode::bar || old_.code[i].opcode == Opcode::barrier ||
          old_.code[i].opcode == Opcode::brx ||
          (old_.code[i].opcode == Opcode::call &&
           !(machine_.has_functions && calls_math(image_, old_, old_.code[i]))))
        return 1;
    if (old_.code[block.end - 1].opcode != Opcode::bra || old_.code[block.end - 1].guard == none ||
        asked_not_to(block))
      return 1;
    const auto counter = counter_of(b);
    if (!counter) return 1;
    if (const auto times = times_of(b, *counter)) {
      if (*times <= 1) return 1;
      if (size > longest_unrolled / 2) return 1;
      if (*times * size <= longest_unrolled) return static_cast<uint32_t>(*times);
      uint32_t copies = 1;
      while (copies * 2 * size <= longest_unrolled && copies * 2 <= *times) copies *= 2;
      return copies;
    }
    if (!machine_.timed && loads_wait_for_stores(b)) return 1;
    return (machine_.timed ? size <= longest_timed_body : cost(block) <= longest_body) ? usual_copies : 1;
  }

  // Whether a value moves by a constant in every round: nothing: by what is not one, or it is not known.
  std::optional<bool> moves(uint32_t slot, const module::Block& block, uint32_t depth) const {
    if (slot == none || depth == 0) return std::nullopt;
    uint32_t at = none, count = 0;
    for (const uint32_t i : definitions_[slot])
      if (i >= block.first && i < block.end) at = i, ++count;
    if (count == 0) return false;
    if (count > 1) return std::nullopt;
    const module::Instruction& x = old_.code[at];
    if (x.guard != none || x.operand_count < 2) return std::nullopt;
    if (x.opcode != Opcode::add && x.opcode != Opcode::mul && x.opcode != Opcode::shl &&
        x.opcode != Opcode::cvt && x.opcode != Opcode::mad && x.opcode != Opcode::mov &&
        x.opcode != Opcode::cvta && x.opcode != Opcode::sub)
      return std::nullopt;
    bool any = false, self = false, other = false;
    for (uint32_t k = 1; k < x.operand_count; ++k) {
      const Operand& o = operand(x, k);
      if (o.kind == OperandKind::immediate) continue;
      if (o.kind != OperandKind::reg) return std::nullopt;
      if (o.reg == slot) {
        self = true;
        continue;
      }
      const auto m = moves(o.reg, block, depth - 1);
      if (!m) return std::nullopt;
      any |= *m;
      other = true;
    }
    if (self) return x.opcode == Opcode::add && !other ? std::optional(true) : std::nullopt;
    return any;
  }
  // A loop that loads, and stores to one place or where no constant leads to, is not repeated: the next
  // round's loads have to wait for the store. Seen with stores that move by 4, 16 and 64 bytes (repeated), by
  // an argument, and not at all.
  bool loads_wait_for_stores(uint32_t b) const {
    const module::Block& block = old_.blocks[b];
    bool loads = false, stores = false;
    for (uint32_t i = block.first; i < block.end; ++i) {
      const module::Instruction& x = old_.code[i];
      const isa::SlotValues& words = image_.mnemonics[x.mnemonic].values;
      if (words.is(Slot::space, Word::shared) || words.is(Slot::space, Word::local)) continue;
      loads |= x.opcode == Opcode::ld;
      if (x.opcode != Opcode::st) continue;
      const auto m = moves(operand(x, 0).reg, block, 8);
      stores |= !m || !*m;
    }
    return loads && stores;
  }

  uint32_t cost(const module::Block& block) const {
    uint32_t sum = 0;
    for (uint32_t i = block.first; i < block.end; ++i) {
      const module::Instruction& x = old_.code[i];
      const isa::SlotValues& words = image_.mnemonics[x.mnemonic].values;
      switch (x.opcode) {
        case Opcode::mov:
        case Opcode::cvta: break;
        case Opcode::mul: sum += words.is(Slot::mode, Word::wide) ? 0 : 2; break;
        case Opcode::ld:
        case Opcode::st:
        case Opcode::atom:
        case Opcode::red:
        case Opcode::tex: sum += 4; break;
        default: sum += 2;
      }
    }
    return sum;
  }

  // What a loop counts with: constants are added to it in every round, and it decides about the next.
  struct Counter {
    uint32_t slot = none;
    int64_t step = 0;
    std::optional<int64_t> bound;
  };
  std::optional<Counter> counter_of(uint32_t b) const {
    const module::Block& block = old_.blocks[b];
    const uint32_t guard = old_.code[block.end - 1].guard;
    uint32_t comparison = none;
    for (uint32_t i = block.end; i-- > block.first && comparison == none;)
      if (old_.code[i].opcode == Opcode::setp && operand(old_.code[i], 0).reg == guard) comparison = i;
    if (comparison == none) return std::nullopt;
    const module::Instruction& compare = old_.code[comparison];
    for (uint32_t i = block.first; i < block.end; ++i) {
      const module::Instruction& x = old_.code[i];
      if (x.opcode != Opcode::add || x.operand_count != 3 || x.guard != none ||
          operand(x, 0).kind != OperandKind::reg || operand(x, 2).kind != OperandKind::immediate ||
          operand(x, 1).reg != operand(x, 0).reg)
        continue;
      for (uint32_t k = 1; k < compare.operand_count; ++k) {
        if (operand(compare, k).kind != OperandKind::reg || operand(compare, k).reg != operand(x, 0).reg)
          continue;
        Counter counter{operand(x, 0).reg, static_cast<int32_t>(operand(x, 2).value), std::nullopt};
        for (uint32_t j = 1; j < compare.operand_count; ++j)
          if (operand(compare, j).kind == OperandKind::immediate)
            counter.bound = static_cast<int32_t>(operand(compare, j).value);
        if (counter.step == 0) return std::nullopt;
        return counter;
      }
    }
    return std::nullopt;
  }

  // How often the block runs, where the counter goes from one constant to another.
  std::optional<uint64_t> times_of(uint32_t b, const Counter& counter) const {
    if (!counter.bound) return std::nullopt;
    const module::Block& block = old_.blocks[b];
    std::optional<int64_t> start;
    for (const uint32_t i : definitions_[counter.slot]) {
      if (i >= block.first && i < block.end) continue;
      const module::Instruction& x = old_.code[i];
      if (operand(x, 0).kind != OperandKind::reg || operand(x, 0).reg != counter.slot) return std::nullopt;
      if (x.opcode != Opcode::mov || operand(x, 1).kind != OperandKind::immediate || start)
        return std::nullopt;
      start = static_cast<int32_t>(operand(x, 1).value);
    }
    if (!start) return std::nullopt;
    const int64_t times = (*counter.bound - *start) / counter.step;
    if (times <= 0) return std::nullopt;
    return static_cast<uint64_t>(times);
  }

  uint32_t mapped(uint32_t slot) const {
    for (const auto& [from, to] : map_)
      if (from == slot) return to;
    return slot;
  }
  uint32_t renamed(uint32_t slot, bool last) {
    const bool plain = info_of_[slot] != none && isa::info(old_.registers[info_of_[slot]].type).bits <= 64;
    uint32_t to = slot;
    if (!last && plain) {
      module::RegisterInfo info = old_.registers[info_of_[slot]];
      info.slot = to = new_.register_slots++;
      new_.registers.push_back(std::move(info));
    }
    for (auto& [from, at] : map_)
      if (from == slot) return at = to;
    map_.emplace_back(slot, to);
    return to;
  }

  void copy(uint32_t b, bool last) {
    const module::Block& block = old_.blocks[b];
    for (uint32_t i = block.first; i < block.end; ++i) {
      if (!last && i + 1 == block.end) continue;  // the jump back
      module::Instruction x = old_.code[i];
      std::vector<std::pair<uint32_t, uint32_t>> reads;
      std::vector<uint32_t> writes;
      each_register(image_, old_, x, [&](RegisterAccess a) {
        if (a.read) reads.emplace_back(a.slot, mapped(a.slot));
        if (a.write) writes.push_back(a.slot);
      });
      if (x.guard != none) x.guard = mapped(x.guard);
      const bool partial = x.guard != none;
      const auto read = [&](uint32_t slot) {
        for (const auto& [from, to] : reads)
          if (from == slot) return to;
        return slot;
      };
      std::vector<std::pair<uint32_t, uint32_t>> written;
      for (const uint32_t slot : writes) {
        written.emplace_back(slot, partial ? mapped(slot) : renamed(slot, last));
      }
      if (!last || !map_.empty()) {
        const uint32_t first = static_cast<uint32_t>(new_.operands.size());
        for (uint32_t k = 0; k < x.operand_count; ++k) new_.operands.push_back(operand(x, k));
        // A value that is read and written in one operand is partial too.
        for (uint32_t k = 0; k < x.operand_count; ++k)
          rename(first + k, k == 0 || operand(x, k).kind == OperandKind::vector, read, written);
        x.first_operand = first;
      }
      new_.code.push_back(x);
    }
  }

  template <class Read>
  void rename(uint32_t at, bool may_write, const Read& read,
              const std::vector<std::pair<uint32_t, uint32_t>>& written) {
    Operand o = new_.operands[at];
    if (o.reg != none) {
      uint32_t to = read(o.reg);
      if (o.kind == OperandKind::reg && may_write)
        for (const auto& [from, target] : written)
          if (from == o.reg) to = target;
      o.reg = to;
    }
    if (o.child_count != 0) {
      const auto first = static_cast<uint32_t>(new_.operands.size());
      for (uint32_t i = 0; i < o.child_count; ++i)
        new_.operands.push_back(Operand(new_.operands[o.first_child + i]));
      o.first_child = first;
      for (uint32_t i = 0; i < o.child_count; ++i) rename(first + i, may_write, read, written);
    }
    new_.operands[at] = o;
  }

  const module::Image& image_;
  const module::Function& old_;
  const Machine& machine_;
  module::Function new_;
  std::vector<std::vector<uint32_t>> definitions_;  // instructions that write a slot
  std::vector<uint32_t> info_of_;
  std::vector<std::pair<uint32_t, uint32_t>> map_;
};

}  // namespace

std::optional<module::Function> unroll(const module::Image& image, const module::Function& function,
                                       const Machine& machine) {
  return Unrolling(image, function, machine).run();
}

}  // namespace heddle::analysis::registers
