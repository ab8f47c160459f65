#include "analysis/pointer_parameters.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "isa/isa.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using module::Operand;
using module::OperandKind;

struct Place {  // in the buffer of parameters
  uint64_t offset;
  bool exact;  // false: or behind
  auto operator<=>(const Place&) const = default;
};
using Places = std::set<Place>;
using Words = std::set<uint32_t>;  // what lies there, by its offset

// A known address, moved: of a word of the buffer, or of a variable.
struct Start {
  bool by_symbol;
  uint32_t from;
  auto operator<=>(const Start&) const = default;
};
struct Distance {
  int64_t bytes;
  bool exact;
};
using Reach = std::map<Start, Distance>;
using FoundPointers = std::set<FoundPointer>;

constexpr unsigned pointer_bits = 64;

// What is only a sum or a copy of its operands moves with them.
constexpr std::array carriers{Opcode::mov, Opcode::cvta, Opcode::add, Opcode::mad, Opcode::selp};
// Their addresses are hints: nothing faults.
constexpr std::array hints{Opcode::prefetch, Opcode::prefetchu, Opcode::applypriority};

bool is_one_of(Opcode opcode, std::span<const Opcode> list) {
  return std::ranges::find(list, opcode) != list.end();
}

bool is_null(const Operand& operand) { return operand.kind == OperandKind::immediate && operand.value == 0; }

class Search {
 public:
  Search(const module::Image& image, const module::Function& entry) : image_(image), entry_(entry) {}

  std::vector<FoundPointer> run_for_found() {
    repeat([&](const module::Instruction& instruction) { look_for_found(instruction); });
    return {used_.begin(), used_.end()};
  }

  std::vector<PointerParameter> run() {
    find_arguments();
    repeat([&](const module::Instruction& instruction) { look_at(instruction); });
    std::vector<PointerParameter> found;
    for (const uint32_t offset : accessed_)
      for (uint32_t i = 0; i < entry_.signature.params.size(); ++i) {
        const module::Parameter& parameter = entry_.signature.params[i];
        if (offset >= parameter.offset && offset + 8 <= parameter.offset + parameter.size)
          found.push_back({i, offset, observed_.contains(offset)});
      }
    return found;
  }

 private:
  // Each pass carries words along the text; a loop needs one more for each time that it hands them on.
  template <class Look>
  void repeat(Look look) {
    do {
      changed_ = false;
      for (const module::Instruction& instruction : entry_.code) look(instruction);
    } while (changed_);
  }

  struct Parts {                                 // of an instruction
    std::vector<uint32_t> read, written, based;  // registers of 64 bits
    bool has_null = false, loads = false;
    uint64_t immediate = 0;          // of an operand, or what an address adds
    std::optional<uint64_t> place;   // in the buffer, that it names
    uint32_t symbol = module::none;  // that its address names
  };

  // Variables that are arguments of calls of functions with a body, which may do with them what they want.
  void find_arguments() {
    for (const module::Instruction& instruction : entry_.code) {
      if (instruction.opcode != Opcode::call || !is_own(instruction)) continue;
      for (uint32_t i = 0; i < instruction.operand_count; ++i) {
        const Operand& list = entry_.operands[instruction.first_operand + i];
        if (list.kind != OperandKind::list) continue;
        for (uint32_t k = 0; k < list.child_count; ++k)
          if (const Operand& child = entry_.operands[list.first_child + k]; child.index != module::none)
            arguments_.insert(child.index);
      }
    }
  }

  bool is_own(const module::Instruction& call) const {
    for (uint32_t i = 0; i < call.operand_count; ++i) {
      const Operand& operand = entry_.operands[call.first_operand + i];
      if (operand.kind == OperandKind::function) return image_.functions[operand.index].defined;
    }
    return true;  // an indirect one
  }

  void take(const Operand& operand, bool written, Parts& parts) const {
    parts.has_null |= is_null(operand);
    switch (operand.kind) {
      case OperandKind::reg:
        if (isa::info(operand.declared).bits == pointer_bits)
          (written ? parts.written : parts.read).push_back(operand.reg);
        return;
      case OperandKind::address:
        parts.symbol = operand.index;
        parts.immediate = operand.value;
        if (operand.reg != module::none)
          parts.based.push_back(operand.reg);
        else if (operand.space == module::Space::param)
          parts.place =
              operand.value + (operand.index == module::none ? 0 : image_.symbols[operand.index].offset);
        parts.loads |= !written;
        return;
      case OperandKind::symbol:
        if (operand.space == module::Space::param)
          parts.place = operand.value + image_.symbols[operand.index].offset;
        parts.symbol = operand.index;
        parts.immediate = operand.value;
        return;
      case OperandKind::vector:
      case OperandKind::list:
      case OperandKind::bracket:
        for (uint32_t i = 0; i < operand.child_count; ++i)
          take(entry_.operands[operand.first_child + i], written, parts);
        return;
      case OperandKind::immediate: parts.immediate = operand.value; break;
      default: break;
    }
  }

  Parts parts_of(const module::Instruction& instruction) const {
    Parts parts;
    const auto forms = isa::forms(instruction.opcode);
    const uint16_t alternative = image_.mnemonics[instruction.mnemonic].alternative;
    if (alternative >= forms.size()) return parts;
    const auto rules = forms[alternative].operands;
    for (uint32_t i = 0; i < instruction.operand_count && i < rules.size(); ++i)
      take(entry_.operands[instruction.first_operand + i], rules[i].access != isa::Access::read, parts);
    return parts;
  }

  template <class Set>
  static Set all_of(const std::map<uint32_t, Set>& held, std::span<const uint32_t> registers) {
    Set all;
    for (const uint32_t slot : registers)
      if (const auto found = held.find(slot); found != held.end())
        all.insert(found->second.begin(), found->second.end());
    return all;
  }

  template <class Set>
  void add(Set& to, const Set& more) {
    const std::size_t before = to.size();
    to.insert(more.begin(), more.end());
    changed_ |= to.size() != before;
  }

  // What a load finds at this place: one word, or any from there to the end of the parameter.
  Words words_at(const Place& place, uint64_t behind) const {
    const uint64_t first = place.offset + behind;
    if (place.exact) return {static_cast<uint32_t>(first)};
    Words words;
    for (const module::Parameter& parameter : entry_.signature.params)
      if (first >= parameter.offset && first < parameter.offset + parameter.size)
        for (uint64_t at = (first + 7) / 8 * 8; at + 8 <= parameter.offset + parameter.size; at += 8)
          words.insert(static_cast<uint32_t>(at));
    return words;
  }

  // Addresses of the buffer: what is at them is loaded, and sums lead to others.
  bool look_at_places(const module::Instruction& instruction, const Parts& parts) {
    Places places = all_of(places_, parts.loads ? parts.based : parts.read);
    if (parts.place) places.insert({*parts.place, true});
    if (places.empty()) return false;
    for (std::size_t i = 0; i < parts.written.size(); ++i)
      for (const Place& place : places) {
        const uint64_t behind = parts.place ? 0 : parts.immediate;
        if (parts.loads) {
          add(held_[parts.written[i]], words_at(place, behind + 8 * i));
          continue;
        }
        const bool sum = instruction.opcode == Opcode::add && parts.read.size() == 1;
        const bool same = instruction.opcode == Opcode::mov || instruction.opcode == Opcode::cvta;
        add(places_[parts.written[i]],
            Places{{place.offset + (sum ? behind : 0), place.exact && (sum || same)}});
      }
    return true;
  }

  void look_at(const module::Instruction& instruction) {
    const Parts parts = parts_of(instruction);
    if (look_at_places(instruction, parts)) return;
    if (!is_one_of(instruction.opcode, hints)) add(accessed_, all_of(held_, parts.based));
    const Words words = all_of(held_, parts.read);
    if (words.empty()) return;
    const bool handed_over =
        instruction.opcode == Opcode::call ? is_own(instruction) : arguments_.contains(parts.symbol);
    if (handed_over) add(accessed_, words);
    const isa::SlotValues& written_as = image_.mnemonics[instruction.mnemonic].values;
    const bool equality =
        written_as.is(isa::Slot::cmp, isa::Word::eq) || written_as.is(isa::Slot::cmp, isa::Word::ne);
    const bool carries = is_one_of(instruction.opcode, carriers) && !parts.written.empty();
    if (!carries && !(instruction.opcode == Opcode::setp && equality && parts.has_null))
      add(observed_, words);
    if (parts.based.empty())
      for (const uint32_t slot : parts.written) add(held_[slot], words);
  }

  // Another distance of the same start makes it one of many.
  void reach(uint32_t slot, const Start& start, const Distance& distance) {
    const auto [at, is_new] = reach_[slot].try_emplace(start, distance);
    if (!is_new && at->second.exact && (!distance.exact || distance.bytes != at->second.bytes)) {
      at->second.exact = false;
      changed_ = true;
    }
    changed_ |= is_new;
  }

  bool is_variable(uint32_t symbol) const {
    return symbol != module::none && image_.symbols[symbol].kind == module::SymbolKind::memory &&
           (image_.symbols[symbol].space == module::Space::global ||
            image_.symbols[symbol].space == module::Space::const_);
  }

  // Addresses that the launch knows, what is loaded from near them, and accesses at that.
  void look_for_found(const module::Instruction& instruction) {
    const Parts parts = parts_of(instruction);
    if (!is_one_of(instruction.opcode, hints)) add(used_, all_of(loaded_, parts.based));
    const auto behind = static_cast<int64_t>(parts.immediate);
    if (parts.loads) {
      if (parts.place && parts.based.empty()) {
        for (std::size_t i = 0; i < parts.written.size(); ++i)
          reach(parts.written[i], {false, static_cast<uint32_t>(*parts.place + 8 * i)}, {0, true});
        return;
      }
      Reach from;
      if (is_variable(parts.symbol)) from[{true, parts.symbol}] = {0, parts.based.empty()};
      for (const uint32_t slot : parts.based)
        if (const auto held = reach_.find(slot); held != reach_.end())
          from.insert(held->second.begin(), held->second.end());
      for (std::size_t i = 0; i < parts.written.size(); ++i)
        for (const auto& [start, distance] : from)
          add(loaded_[parts.written[i]],
              FoundPointers{{start.by_symbol, start.from,
                             distance.bytes + behind + 8 * static_cast<int64_t>(i), distance.exact}});
      return;
    }
    if (!is_one_of(instruction.opcode, carriers)) return;
    const bool copies = instruction.opcode == Opcode::mov || instruction.opcode == Opcode::cvta;
    const bool moves = instruction.opcode == Opcode::add && parts.read.size() == 1;
    const FoundPointers loaded = all_of(loaded_, parts.read);
    for (const uint32_t to : parts.written) {
      add(loaded_[to], loaded);
      if (copies && is_variable(parts.symbol)) reach(to, {true, parts.symbol}, {behind, true});
      for (const uint32_t slot : parts.read)
        if (const auto held = reach_.find(slot); held != reach_.end())
          for (const auto& [start, distance] : Reach(held->second))
            reach(to, start, {distance.bytes + (moves ? behind : 0), distance.exact && (copies || moves)});
    }
  }

  const module::Image& image_;
  const module::Function& entry_;
  std::set<uint32_t> arguments_;    // symbols
  std::map<uint32_t, Words> held_;  // by register
  std::map<uint32_t, Places> places_;
  Words accessed_, observed_;
  std::map<uint32_t, Reach> reach_;           // by register
  std::map<uint32_t, FoundPointers> loaded_;  // by register
  FoundPointers used_;
  bool changed_ = false;
};

}  // namespace

std::vector<PointerParameter> pointer_parameters(const module::Image& image, uint32_t entry) {
  if (image.address_bits != pointer_bits) return {};
  return Search(image, image.functions[entry]).run();
}

std::vector<FoundPointer> found_pointers(const module::Image& image, uint32_t entry) {
  if (image.address_bits != pointer_bits) return {};
  return Search(image, image.functions[entry]).run_for_found();
}

}  // namespace heddle::analysis
