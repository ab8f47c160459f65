#include "analysis/own_places.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "isa/isa.h"
#include "math/math.h"
#include "module/calls.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using isa::Slot;
using module::Operand;
using module::OperandKind;
using module::Space;

// One of the numbers that an address is made of: components of the thread's index, or a sum of some that a
// branch holds between two numbers.
struct Term {
  unsigned variables = 0;  // a bit each
  int64_t factor = 0;
  Wide lowest = 0, highest = 0;
};

struct Reach {
  std::vector<Term> terms;
  int64_t base = 0;
  Wide lowest = 0, highest = 0;  // addresses of first bytes
  uint32_t bytes = 0;
  bool writes = false;
};

Wide absolute(Wide value) { return value < 0 ? -value : value; }

// Whether so many bytes at each combination of the terms are apart from those at any other one.
bool are_apart(const std::vector<Term>& terms, Wide bytes) {
  std::vector<std::pair<Wide, Wide>> steps;  // factor, how often
  for (const Term& term : terms)
    if (term.highest > term.lowest) steps.emplace_back(absolute(term.factor), term.highest - term.lowest);
  std::ranges::sort(steps);
  Wide span = bytes;
  for (const auto& [factor, times] : steps) {
    if (factor < span) return false;
    span += factor * times;
  }
  return true;
}

Wide rounded_down(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Wide rounded_up(Wide a, Wide b) { return -rounded_down(-a, b); }

bool accesses_memory(const module::Function& function, const module::Instruction& instruction) {
  const auto looks = [&](const Operand& operand, auto& self) -> bool {
    if (operand.kind == OperandKind::address && operand.space != Space::local &&
        operand.space != Space::param && operand.space != Space::const_)
      return true;
    for (uint32_t i = 0; i < operand.child_count; ++i)
      if (self(function.operands[operand.first_child + i], self)) return true;
    return false;
  };
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (looks(function.operands[instruction.first_operand + i], looks)) return true;
  return false;
}

// Whom it may call accesses nothing but its own frame.
bool calls_are_pure(const module::Image& image, uint32_t entry) {
  for (const uint32_t number : module::reachable_functions(image, entry)) {
    if (number == entry) continue;
    const module::Function& function = image.functions[number];
    if (!function.defined) {
      const math::Function* known = math::find(function.name);
      if (known == nullptr || known->pointer_count() != 0) return false;
    }
    for (const module::Instruction& instruction : function.code)
      if (accesses_memory(function, instruction)) return false;
  }
  return true;
}

class Search {
 public:
  Search(const module::Image& image, uint32_t entry, const LaunchValues& values)
      : image_(image), entry_(image.functions[entry]), sums_(image, entry, values) {}

  // False: somewhere it accesses what is not known.
  bool find_accesses() {
    for (uint32_t i = 0; i < entry_.code.size(); ++i)
      if (!look_at(i)) return false;
    return true;
  }
  bool accesses_shared() const { return accesses_shared_; }

  bool are_own(const std::function<std::optional<MemoryRange>(uint64_t address)>& find) {
    std::map<uint64_t, std::vector<const Reach*>> areas;
    for (const Reach& reach : reaches_) {
      if (reach.lowest < 0 || reach.highest > Wide{INT64_MAX}) return false;
      const auto area = find(static_cast<uint64_t>(reach.lowest));
      if (!area || reach.highest + reach.bytes > Wide{area->begin} + area->bytes) return false;
      areas[area->begin].push_back(&reach);
    }
    return std::ranges::all_of(areas, [](const auto& area) { return is_own(area.second); });
  }

 private:
  bool look_at(uint32_t number) {
    const module::Instruction& instruction = entry_.code[number];
    switch (instruction.opcode) {
      case Opcode::call:
      case Opcode::prefetch:
      case Opcode::prefetchu:
      case Opcode::applypriority: return true;
      default: break;
    }
    const Operand* address = nullptr;
    if (!find_address(entry_.operands.data() + instruction.first_operand, instruction.operand_count, address))
      return false;
    if (address == nullptr) return true;
    if (address->space == Space::shared) accesses_shared_ = true;
    if (address->space != Space::global && address->space != Space::generic) return true;
    const std::string_view id = isa::info(instruction.form).id;
    const bool writes = instruction.opcode == Opcode::st;
    const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
    if ((!writes && instruction.opcode != Opcode::ld) || (id != "ld" && id != "st" && id != "ld_nc") ||
        words.has(Slot::volatile_) || words.has(Slot::sem) || words.has(Slot::mmio))
      return false;
    const std::optional<ThreadSum> sum = sums_.of_address(*address);
    if (!sum) return false;
    const isa::Word vec = words[Slot::vec];
    const uint32_t elements = vec == isa::Word::none ? 1
                              : vec == isa::Word::v2 ? 2
                              : vec == isa::Word::v4 ? 4
                                                     : 8;
    Reach reach;
    reach.base = sum->base;
    reach.bytes = isa::info(words.type()).bits / 8U * elements;
    reach.writes = writes;
    if (!find_terms(*sum, sums_.bounds(number), reach)) return true;  // nobody comes there
    reaches_.push_back(std::move(reach));
    return true;
  }

  // False: there are several.
  bool find_address(const Operand* operands, uint32_t count, const Operand*& found) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (operands[i].kind == OperandKind::address) {
        if (found != nullptr) return false;
        found = &operands[i];
      }
      if (!find_address(entry_.operands.data() + operands[i].first_child, operands[i].child_count, found))
        return false;
    }
    return true;
  }

  // False: no thread does it.
  bool find_terms(const ThreadSum& sum, const std::vector<ThreadBound>& bounds, Reach& reach) const {
    std::array<Term, 6> single;
    for (unsigned i = 0; i < single.size(); ++i)
      single[i] = {1U << i, sum.factors[i], 0, Wide{sums_.count(i)} - 1};
    const auto variables_of = [](const Factors& factors) {
      unsigned variables = 0;
      for (unsigned i = 0; i < factors.size(); ++i) variables |= unsigned{factors[i] != 0} << i;
      return variables;
    };
    for (const ThreadBound& bound : bounds) {
      const unsigned variables = variables_of(bound.factors);
      if (!std::has_single_bit(variables)) continue;
      const auto i = static_cast<unsigned>(std::countr_zero(variables));
      const Wide factor = bound.factors[i];
      const Wide low = factor > 0 ? bound.lowest : bound.highest,
                 high = factor > 0 ? bound.highest : bound.lowest;
      single[i].lowest = std::max(single[i].lowest, rounded_up(low, factor));
      single[i].highest = std::min(single[i].highest, rounded_down(high, factor));
      if (single[i].lowest > single[i].highest) return false;
    }
    // Sums of several components, of which the address has a multiple.
    std::vector<std::pair<Factors, Term>> joint;
    for (const ThreadBound& bound : bounds) {
      const unsigned variables = variables_of(bound.factors);
      if (std::has_single_bit(variables)) continue;
      auto found = std::ranges::find(joint, bound.factors, &std::pair<Factors, Term>::first);
      if (found == joint.end()) {
        Term term{.variables = variables};
        std::vector<Term> parts;
        for (unsigned i = 0; i < single.size(); ++i) {
          if ((variables >> i & 1) == 0) continue;
          const Wide factor = bound.factors[i], a = factor * single[i].lowest, b = factor * single[i].highest;
          term.lowest += std::min(a, b), term.highest += std::max(a, b);
          parts.push_back({1U << i, bound.factors[i], single[i].lowest, single[i].highest});
        }
        const auto first = static_cast<unsigned>(std::countr_zero(variables));
        const int64_t times = sum.factors[first] / bound.factors[first];
        bool multiple = true;
        for (unsigned i = 0; i < single.size(); ++i)
          multiple &= (variables >> i & 1) == 0 || Wide{bound.factors[i]} * times == Wide{sum.factors[i]};
        const bool free = std::ranges::none_of(
            joint, [&](const auto& other) { return (other.second.variables & variables) != 0; });
        if (!multiple || !free || !are_apart(parts, 1)) continue;
        term.factor = times;
        found = joint.insert(joint.end(), {bound.factors, term});
      }
      Term& term = found->second;
      term.lowest = std::max(term.lowest, bound.lowest);
      term.highest = std::min(term.highest, bound.highest);
      if (term.lowest > term.highest) return false;
    }
    unsigned taken = 0;
    for (const auto& [factors, term] : joint) {
      reach.terms.push_back(term);
      taken |= term.variables;
    }
    for (const Term& term : single)
      if ((term.variables & taken) == 0) reach.terms.push_back(term);
    std::ranges::sort(reach.terms, {}, &Term::variables);
    reach.lowest = reach.highest = reach.base;
    for (const Term& term : reach.terms) {
      const Wide a = term.factor * term.lowest, b = term.factor * term.highest;
      reach.lowest += std::min(a, b), reach.highest += std::max(a, b);
    }
    return true;
  }

  // What the accesses to one allocation do.
  static bool is_own(const std::vector<const Reach*>& reaches) {
    if (std::ranges::none_of(reaches, [](const Reach* r) { return r->writes; })) return true;
    std::vector<Term> terms = reaches.front()->terms;
    std::vector<Wide> begins;  // of one thread's accesses
    Wide bytes = 0;
    for (const Reach* reach : reaches) {
      if (reach->terms.size() != terms.size()) return false;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const Term& other = reach->terms[i];
        if (other.variables != terms[i].variables || other.factor != terms[i].factor) return false;
        terms[i].lowest = std::min(terms[i].lowest, other.lowest);
        terms[i].highest = std::max(terms[i].highest, other.highest);
      }
      begins.push_back(reach->base);
      bytes = std::max(bytes, Wide{reach->bytes});
    }
    std::ranges::sort(begins);
    begins.erase(std::ranges::unique(begins).begin(), begins.end());
    if (are_apart(terms, begins.back() - begins.front() + bytes)) return true;
    // At equal distances, with other threads' places between.
    if (begins.size() < 2) return false;
    const Wide step = begins[1] - begins[0];
    for (std::size_t i = 1; i < begins.size(); ++i)
      if (begins[i] - begins[i - 1] != step) return false;
    terms.push_back({.factor = static_cast<int64_t>(step), .highest = static_cast<Wide>(begins.size() - 1)});
    return are_apart(terms, bytes);
  }

  const module::Image& image_;
  const module::Function& entry_;
  ThreadSums sums_;
  std::vector<Reach> reaches_;
  bool accesses_shared_ = false;
};

}  // namespace

OwnPlaces own_places(const module::Image& image, uint32_t entry, const LaunchValues& values,
                     const std::function<std::optional<MemoryRange>(uint64_t address)>& find) {
  if (image.address_bits != 64 || !calls_are_pure(image, entry)) return {};
  Search search(image, entry, values);
  if (!search.find_accesses() || !search.are_own(find)) return {};
  return {.known = true, .accesses_shared = search.accesses_shared()};
}

}  // namespace heddle::analysis
