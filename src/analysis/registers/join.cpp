// Neighbouring words of shared memory by one access, as an assembler makes it where it knows that the first
// of them is aligned to all of them together. What the profiler's counters see of it:
// profiler/joined_accesses.
#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "analysis/low_zeros.h"
#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

using isa::Slot;
using module::none;
using module::Operand;
using module::OperandKind;

constexpr uint32_t widest = 16;
constexpr uint32_t fixed = none - 1;  // a base: places of shared memory
constexpr auto shared = static_cast<uint8_t>(module::Space::shared);
constexpr auto generic = static_cast<uint8_t>(module::Space::generic);

class Joiner {
 public:
  Joiner(Code& code, const module::Image& image, const module::Function& function)
      : code_(code), image_(image), function_(function), version_(code.width.size()) {}

  void run() {
    gone_.resize(code_.operations.size());
    for (const Range& block : code_.blocks) {
      for (uint32_t i = block.first; i < block.end; ++i) see(i);
      end(loads_, false);
      end(stores_, true);
    }
    remove();
  }

 private:
  struct Access {
    uint32_t operation, base, version;
    int64_t offset;
    uint32_t bytes, zeros;
  };

  void see(uint32_t i) {
    const Operation& o = code_.operations[i];
    const bool touches = o.space == shared || o.space == generic;
    if (o.memory == Memory::barrier || o.splits) {
      end(loads_, false);
      end(stores_, true);
    } else if (o.memory == Memory::store && touches) {
      end(loads_, false);
    } else if (o.memory == Memory::load && touches) {
      end(stores_, true);
    }
    const std::optional<Access> access = access_of(i);
    if (o.memory == Memory::store && touches &&
        (!access || (!stores_.empty() && !same_base(stores_.front(), *access))))
      end(stores_, true);
    if (access) (o.memory == Memory::store ? stores_ : loads_).push_back(*access);
    for (const uint32_t value : code_.definitions(o)) ++version_[value];
  }

  static bool same_base(const Access& a, const Access& b) {
    return a.base == b.base && a.version == b.version;
  }

  // Of one that can be joined.
  std::optional<Access> access_of(uint32_t i) const {
    const Operation& o = code_.operations[i];
    const module::Instruction& x = function_.code[o.instruction];
    const bool plain = x.opcode == isa::Opcode::ld || x.opcode == isa::Opcode::st;
    if (!plain || o.memory == Memory::none || o.space != shared || o.guarded ||
        o.stays != (o.memory == Memory::store))
      return std::nullopt;
    const isa::SlotValues& words = image_.mnemonics[x.mnemonic].values;
    const uint32_t element = isa::info(words.type()).bits / 8;
    if ((element != 4 && element != 8) || words.has(Slot::volatile_) || words.has(Slot::sem))
      return std::nullopt;
    for (uint32_t k = 0; k < x.operand_count; ++k) {
      const Operand& a = function_.operands[x.first_operand + k];
      if (a.kind != OperandKind::address) continue;
      if (a.reg == none) return at_a_fixed_place(i, a, x, element);
      if (a.index != none || o.base == none || o.bytes == 0 || o.base >= function_.register_slots)
        return std::nullopt;
      return Access{i, o.base, version_[o.base], o.offset, o.bytes, zeros().of_register(o.base)};
    }
    return std::nullopt;
  }
  std::optional<Access> at_a_fixed_place(uint32_t i, const Operand& a, const module::Instruction& x,
                                         uint32_t element) const {
    uint32_t elements = 1;
    for (uint32_t k = 0; k < x.operand_count; ++k)
      if (function_.operands[x.first_operand + k].kind == OperandKind::vector)
        elements = function_.operands[x.first_operand + k].child_count;
    for (const module::Function::SharedPlace& place : function_.shared_layout)
      if (place.symbol == a.index)
        return Access{i, fixed, 0, static_cast<int64_t>(place.offset + a.value), element * elements, 32};
    return std::nullopt;
  }

  const LowZeros& zeros() const {
    if (!zeros_) zeros_.emplace(image_, function_);
    return *zeros_;
  }

  void end(std::vector<Access>& all, bool stores) {
    std::ranges::sort(all, {},
                      [](const Access& a) { return std::tuple(a.base, a.version, a.offset, a.operation); });
    for (std::size_t i = 0; i < all.size();) {
      std::size_t count = 1;
      for (uint32_t bytes = widest; bytes >= 8 && count == 1; bytes /= 2) count = covering(all, i, bytes);
      if (count > 1) keep({all.data() + i, count}, stores);
      i += count;
    }
    all.clear();
  }

  // How many accesses from the i-th on are those bytes, one behind another; 1: they are not.
  static std::size_t covering(const std::vector<Access>& all, std::size_t i, uint32_t bytes) {
    const Access& first = all[i];
    if ((first.offset & (bytes - 1)) != 0 || first.zeros < static_cast<uint32_t>(std::countr_zero(bytes)))
      return 1;
    int64_t next = first.offset;
    std::size_t end = i;
    while (end < all.size() && same_base(all[end], first) && all[end].offset == next &&
           next < first.offset + bytes)
      next += all[end++].bytes;
    return next == first.offset + bytes && end > i ? end - i : 1;
  }

  // A load is where the first of them was, a store where the last.
  void keep(std::span<const Access> joined, bool stores) {
    const auto place = [](const Access& a) { return a.operation; };
    const uint32_t kept = stores ? std::ranges::max_element(joined, {}, place)->operation
                                 : std::ranges::min_element(joined, {}, place)->operation;
    std::vector<uint32_t> uses, definitions;
    for (const Access& access : joined) {
      const Operation& o = code_.operations[access.operation];
      for (const uint32_t value : code_.uses(o))
        if (std::ranges::find(uses, value) == uses.end()) uses.push_back(value);
      definitions.insert(definitions.end(), code_.definitions(o).begin(), code_.definitions(o).end());
      gone_[access.operation] = access.operation != kept;
    }
    Operation& o = code_.operations[kept];
    o.first = static_cast<uint32_t>(code_.values.size());
    o.uses = static_cast<uint16_t>(uses.size());
    o.definitions = static_cast<uint16_t>(definitions.size());
    if (o.base != none) o.offset = joined.front().offset;
    o.bytes = static_cast<uint32_t>(joined.back().offset - joined.front().offset) + joined.back().bytes;
    code_.values.insert(code_.values.end(), uses.begin(), uses.end());
    code_.values.insert(code_.values.end(), definitions.begin(), definitions.end());
  }

  void remove() {
    uint32_t to = 0;
    for (Range& block : code_.blocks) {
      const uint32_t first = to;
      for (uint32_t i = block.first; i < block.end; ++i)
        if (!gone_[i]) code_.operations[to++] = code_.operations[i];
      block = {first, to};
    }
    code_.operations.resize(to);
  }

  Code& code_;
  const module::Image& image_;
  const module::Function& function_;
  std::vector<uint32_t> version_;  // by value: how often it was defined so far
  std::vector<bool> gone_;         // by operation
  std::vector<Access> loads_, stores_;
  mutable std::optional<LowZeros> zeros_;  // when there is something to ask
};

}  // namespace

void join(Code& code, const module::Image& image, const module::Function& function) {
  Joiner(code, image, function).run();
}

}  // namespace heddle::analysis::registers
