#include "profiler/joined_accesses.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/accesses.h"
#include "analysis/low_zeros.h"

namespace heddle::profiler {

namespace {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

constexpr uint64_t widest = 16;

struct Access {
  uint32_t instruction;
  uint64_t offset;
};
// Register, guard, bytes of a lane. Without a register offsets are places of shared memory.
struct Base {
  uint32_t reg, guard, bytes;
  auto operator<=>(const Base&) const = default;
};

bool names_shared(const isa::SlotValues& words) {
  const Word space = words[Slot::space];
  return space == Word::shared || space == Word::shared_cta;
}

bool is_ordered(const isa::SlotValues& words) {
  return words.has(Slot::volatile_) || words.has(Slot::sem) || words.has(Slot::mmio);
}

// Bytes of a lane; 0: not an access that may be joined.
uint32_t joinable_bytes(const isa::SlotValues& words) {
  if (!names_shared(words) || is_ordered(words)) return 0;
  const uint32_t bytes = isa::info(words.type()).bits / 8;
  if (bytes != 4 && bytes != 8) return 0;
  if (words.is(Slot::vec, Word::v2)) return 2 * bytes;
  return words.has(Slot::vec) ? 0 : bytes;
}

bool may_touch_shared(const isa::SlotValues& words) {
  const Word space = words[Slot::space];
  return space != Word::global && space != Word::local && space != Word::param && space != Word::const_;
}

// Whether all accesses before it and behind it stay apart: it waits for others, may read and write what they
// do, or is made with a branch: exact quotients and roots go another way for rare operands, and a block ends
// there.
bool parts_all(Opcode opcode, const isa::SlotValues& words) {
  switch (opcode) {
    case Opcode::ld:
    case Opcode::st: return is_ordered(words);
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt: return words.has(Slot::rnd);
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::call:
    case Opcode::cp:
    case Opcode::fence:
    case Opcode::membar:
    case Opcode::mbarrier: return true;
    default: return false;
  }
}

// Finds what is joined in one function.
class Joiner {
 public:
  Joiner(const module::Image& image, const module::Function& function) : image_(image), function_(function) {}

  std::vector<Joined> run() {
    for (const module::Block& block : function_.blocks) {
      for (uint32_t i = block.first; i < block.end; ++i) see(i);
      end(loads_);
      end(stores_);
    }
    return std::move(all_);
  }

 private:
  using Open = std::map<Base, std::vector<Access>>;

  void see(uint32_t i) {
    const module::Instruction& instruction = function_.code[i];
    const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
    if (parts_all(instruction.opcode, words)) {
      end(loads_);
      end(stores_);
    }
    // Who reads wants what was written before, and the other way round.
    const bool reads = instruction.opcode == Opcode::ld, writes = instruction.opcode == Opcode::st;
    if (writes && may_touch_shared(words)) end(loads_);
    if (reads && may_touch_shared(words)) end(stores_);
    if (reads || writes) {
      const uint32_t bytes = joinable_bytes(words);
      const Operand* address = bytes == 0 ? nullptr : address_of(instruction);
      const std::optional<uint64_t> offset = address == nullptr ? std::nullopt : offset_of(*address);
      if (reads && offset) loads_[{address->reg, instruction.guard, bytes}].push_back({i, *offset});
      if (writes && may_touch_shared(words)) {
        const Base base = offset ? Base{address->reg, instruction.guard, bytes} : Base{};
        // By another base the same words may be written.
        if (!stores_.empty() && (!offset || stores_.begin()->first != base)) end(stores_);
        if (offset) stores_[base].push_back({i, *offset});
      }
    }
    if (loads_.empty() && stores_.empty()) return;
    // Whoever is based on a register that changes ends here.
    analysis::each_register(image_, function_, instruction, [&](analysis::RegisterAccess access) {
      if (!access.write) return;
      for (Open* open : {&loads_, &stores_})
        for (auto it = open->begin(); it != open->end();)
          if (it->first.reg == access.slot || it->first.guard == access.slot) {
            join(it->first, it->second, open == &stores_);
            it = open->erase(it);
          } else {
            ++it;
          }
    });
  }

  const Operand* address_of(const module::Instruction& instruction) const {
    for (uint32_t i = 0; i < instruction.operand_count; ++i)
      if (const Operand& operand = function_.operands[instruction.first_operand + i];
          operand.kind == OperandKind::address)
        return &operand;
    return nullptr;
  }

  // From the register, or in shared memory; nothing where a symbol has no place there.
  std::optional<uint64_t> offset_of(const Operand& address) const {
    if (address.index == module::none) return address.value;
    for (const module::Function::SharedPlace& place : function_.shared_layout)
      if (place.symbol == address.index) return place.offset + address.value;
    return std::nullopt;
  }

  void end(Open& open) {
    for (auto& [base, accesses] : open) join(base, accesses, &open == &stores_);
    open.clear();
  }

  void join(const Base& base, std::vector<Access>& accesses, bool stores) {
    if (accesses.size() < 2) return;
    const uint32_t bytes = base.bytes;
    std::ranges::sort(accesses, {},
                      [](const Access& access) { return std::pair(access.offset, access.instruction); });
    for (std::size_t i = 0; i < accesses.size();) {
      std::size_t end = i + 1;
      while (end < accesses.size() && accesses[end].offset == accesses[end - 1].offset + bytes &&
             (end - i) * bytes < widest)
        ++end;
      std::size_t count = std::bit_floor(end - i);
      if (count > 1) {
        if (!zeros_) zeros_.emplace(image_, function_);
        const unsigned known = zeros_->of_address(*address_of(function_.code[accesses[i].instruction]));
        while (count > 1 && (uint64_t{1} << std::min(known, 8U)) < count * bytes) count /= 2;
      }
      if (count > 1) keep(std::span(accesses).subspan(i, count), bytes, stores);
      i += count;
    }
  }

  void keep(std::span<const Access> one, uint32_t bytes, bool stores) {
    if (all_.empty()) all_.resize(function_.code.size());
    const auto by_place = [](const Access& access) { return access.instruction; };
    const Access& counted =
        stores ? *std::ranges::max_element(one, {}, by_place) : *std::ranges::min_element(one, {}, by_place);
    for (const Access& access : one) all_[access.instruction].bytes = Joined::another;
    all_[counted.instruction] = {static_cast<uint8_t>(one.size() * bytes),
                                 static_cast<uint8_t>(counted.offset - one.front().offset)};
  }

  const module::Image& image_;
  const module::Function& function_;
  std::optional<analysis::LowZeros> zeros_;  // when there is something to ask
  Open loads_, stores_;
  std::vector<Joined> all_;
};

}  // namespace

bool joins_accesses(const arch::Architecture& arch) { return arch.capability.major >= 5; }

JoinedAccesses::JoinedAccesses(const module::Image& image, const module::Function& function)
    : all_(Joiner(image, function).run()) {}

}  // namespace heddle::profiler
