#include "analysis/written_memory.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "analysis/accesses.h"
#include "isa/isa.h"
#include "math/math.h"
#include "module/calls.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using module::Operand;
using module::OperandKind;
using module::Space;

// Where a value may have come from: numbers of parameters and variables, and one for anywhere.
using Origins = std::set<uint32_t>;
constexpr uint32_t anywhere = 0;
constexpr uint32_t of_parameter(uint64_t offset) { return static_cast<uint32_t>(2 * offset + 1); }
constexpr uint32_t of_variable(uint32_t symbol) { return 2 * symbol + 2; }

// Of instructions with an address those that only read there, or only give advice.
bool only_reads(const module::Instruction& instruction) {
  constexpr std::array readers{Opcode::ld, Opcode::ldu, Opcode::prefetch, Opcode::prefetchu,
                               Opcode::applypriority};
  if (std::ranges::find(readers, instruction.opcode) != readers.end()) return true;
  const std::string_view id = isa::info(instruction.form).id;
  return id == "cp_async" || id == "cp_async_bulk_prefetch";  // the first one's target is shared memory
}

template <class Visit>
void each_operand(const module::Function& function, const Operand& operand, Visit& visit) {
  visit(operand);
  for (uint32_t i = 0; i < operand.child_count; ++i)
    each_operand(function, function.operands[operand.first_child + i], visit);
}
template <class Visit>
void each_operand(const module::Function& function, const module::Instruction& instruction, Visit&& visit) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    each_operand(function, function.operands[instruction.first_operand + i], visit);
}

bool may_be_global(Space space) { return space == Space::global || space == Space::generic; }

class Search {
 public:
  Search(const module::Image& image, uint32_t entry)
      : image_(image),
        number_(entry),
        entry_(image.functions[entry]),
        origins_(entry_.register_slots + 1),
        bits_(entry_.register_slots + 1) {
    for (const module::RegisterInfo& reg : entry_.registers)
      bits_[reg.slot] = std::max<uint32_t>(bits_[reg.slot], isa::info(reg.type).bits);
  }

  WrittenMemory run() {
    if (image_.address_bits != 64 || !calls_are_harmless()) return {};
    do {
      changed_ = false;
      for (const module::Instruction& instruction : entry_.code) follow(instruction);
    } while (changed_);
    Origins written;
    for (const module::Instruction& instruction : entry_.code) add_writes(instruction, written);
    if (written.contains(anywhere)) return {};
    WrittenMemory memory{.known = true, .parameters = {}, .variables = {}};
    for (const uint32_t origin : written)
      (origin % 2 != 0 ? memory.parameters : memory.variables).push_back((origin - 1) / 2);
    return memory;
  }

 private:
  // Own functions that write nothing but their frames, and the host's, which read what they are given, but
  // for device math functions with results in memory.
  bool calls_are_harmless() const {
    for (const uint32_t number : module::reachable_functions(image_, number_)) {
      if (number == number_) continue;
      const module::Function& function = image_.functions[number];
      // frexp and the like: by the text a number and an address like any other.
      const math::Function* math = function.defined ? nullptr : math::find(function.name);
      if (math != nullptr && math->pointer_count() != 0) return false;
      for (const module::Instruction& instruction : function.code) {
        if (only_reads(instruction)) continue;
        bool writes = false;
        each_operand(function, instruction, [&](const Operand& operand) {
          writes |= operand.kind == OperandKind::address && may_be_global(operand.space);
        });
        if (writes) return false;
      }
    }
    return true;
  }

  // The word of the buffer that lies there, unless it is a variable of a call.
  bool is_parameter(const Operand& address) const {
    if (address.space != Space::param || address.reg != module::none || address.index == module::none)
      return false;
    const module::Symbol& symbol = image_.symbols[address.index];
    return symbol.owner == number_ &&
           std::ranges::any_of(entry_.signature.params,
                               [&](const auto& parameter) { return parameter.name == symbol.name; });
  }

  bool is_variable(uint32_t symbol) const {
    return symbol != module::none && image_.symbols[symbol].kind == module::SymbolKind::memory &&
           (image_.symbols[symbol].space == Space::global || image_.symbols[symbol].space == Space::const_);
  }

  void add(uint32_t slot, const Origins& more) {
    Origins& to = origins_[slot];
    const std::size_t before = to.size();
    to.insert(more.begin(), more.end());
    changed_ |= to.size() != before;
  }

  std::vector<uint32_t> written_by(const module::Instruction& instruction) const {
    std::vector<uint32_t> slots;
    each_register(image_, entry_, instruction, [&](RegisterAccess access) {
      if (access.write) slots.push_back(access.slot);
    });
    return slots;
  }

  void follow(const module::Instruction& instruction) {
    const std::vector<uint32_t> written = written_by(instruction);
    if (written.empty()) return;
    Origins from;
    bool loads = false, halves = false, in_buffer = false;
    uint64_t place = 0;
    each_operand(entry_, instruction, [&](const Operand& operand) {
      switch (operand.kind) {
        case OperandKind::address:
          loads = true;
          if (!is_parameter(operand)) return;
          in_buffer = true;
          place = image_.symbols[operand.index].offset + operand.value;
          return;
        case OperandKind::symbol:
          if (is_variable(operand.index)) from.insert(of_variable(operand.index));
          if (operand.space == Space::param) from.insert(anywhere);
          return;
        case OperandKind::vector: halves = true; return;
        default: return;
      }
    });
    if (loads || instruction.opcode == Opcode::call) {
      // An address has 64 bits. What is smaller can only become one where halves are put together.
      for (std::size_t i = 0; i < written.size(); ++i) {
        const uint32_t slot = written[i];
        if (bits_[slot] < 64) continue;
        const bool known = in_buffer && bits_[slot] == 64;
        add(slot, {known ? of_parameter(place + 8 * i) : anywhere});
      }
      return;
    }
    uint32_t widest = 0;
    each_register(image_, entry_, instruction, [&](RegisterAccess access) {
      if (!access.read) return;
      from.insert(origins_[access.slot].begin(), origins_[access.slot].end());
      widest = std::max(widest, bits_[access.slot]);
    });
    for (const uint32_t slot : written) {
      add(slot, from);
      if (halves && bits_[slot] >= 64 && widest < 64) add(slot, {anywhere});
    }
  }

  void add_writes(const module::Instruction& instruction, Origins& written) const {
    if (only_reads(instruction)) return;
    each_operand(entry_, instruction, [&](const Operand& operand) {
      if (operand.kind != OperandKind::address || !may_be_global(operand.space)) return;
      if (is_variable(operand.index)) written.insert(of_variable(operand.index));
      if (operand.reg == module::none) return;
      const Origins& from = origins_[operand.reg];
      written.insert(from.begin(), from.end());
      // A generic address without an origin is one of shared or local memory.
      if (from.empty() && operand.space == Space::global) written.insert(anywhere);
    });
  }

  const module::Image& image_;
  const uint32_t number_;
  const module::Function& entry_;
  std::vector<Origins> origins_;  // by register
  std::vector<uint32_t> bits_;    // likewise
  bool changed_ = false;
};

}  // namespace

WrittenMemory written_memory(const module::Image& image, uint32_t entry) {
  return Search(image, entry).run();
}

}  // namespace heddle::analysis
