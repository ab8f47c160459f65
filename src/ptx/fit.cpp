#include "ptx/fit.h"

#include <algorithm>
#include <bitset>
#include <iterator>

namespace heddle::ptx {

namespace {

using isa::OperandRule;
using isa::OperandShape;

bool is_number(const Operand& operand) {
  return operand.kind == OperandKind::integer || operand.kind == OperandKind::float32 ||
         operand.kind == OperandKind::float64;
}

bool is_plain_name(const Operand& operand) {
  return operand.kind == OperandKind::name && !operand.subscript && operand.value == 0;
}

bool may_be_negated(const OperandRule& rule, const Operand& operand) {
  if (!operand.negated && !operand.minus) return true;
  if (!rule.may_negate) return false;
  const auto is_predicate = [](isa::Type type) { return type == isa::Type::pred; };
  const bool predicate = is_predicate(rule.type.type) || std::ranges::any_of(rule.type.choices, is_predicate);
  return predicate ? operand.negated && !operand.minus : operand.minus && !operand.negated;
}

bool may_have_suffix(const OperandRule& rule, const Operand& operand) {
  if (operand.kind == OperandKind::name && is_element(operand.component)) return true;
  return operand.component == isa::Word::none ||
         std::ranges::find(rule.suffixes, operand.component) != rule.suffixes.end();
}

// Fits rules to operands from left to right; where an optional part may be there or not, tries both.
class Fitter {
 public:
  // `form` is null for the parts of a bracket list.
  Fitter(std::span<const OperandRule> rules, const isa::FormInfo* form, const isa::SlotValues& words,
         std::span<const Operand> operands, OperandPlaces& out)
      : rules_(rules), form_(form), words_(words), operands_(operands), out_(out) {}

  bool run() {
    if (rules_.size() > OperandPlaces::most) return false;
    for (const bool strict : {true, false}) {
      strict_ = strict;
      if (from(0, 0, false)) return true;
    }
    return false;
  }

  Misfit misfit;

 private:
  bool from(std::size_t r, std::size_t o, bool after_bar) {
    if (r == rules_.size()) return o == operands_.size() || failed(o, nullptr, false);
    const OperandRule& rule = rules_[r];
    const uint8_t group = rule.optional_group;
    if (rule.tied) {  // a word says whether it is there
      if (words_.has(rule.tied_to)) return take(r, o, after_bar);
      out_.at[r] = OperandPlaces::absent;
      return from(r + 1, o, after_bar);
    }
    if (group == 0 || present_[group]) return take(r, o, after_bar);
    if (!absent_[group] && (rule.optional_parent == 0 || present_[rule.optional_parent])) {
      present_[group] = true;
      if (take(r, o, after_bar)) return true;
      present_[group] = false;
    }
    const bool was_absent = absent_[group];
    absent_[group] = true;
    out_.at[r] = OperandPlaces::absent;
    if (from(r + 1, o, after_bar)) return true;
    absent_[group] = was_absent;
    return false;
  }

  bool take(std::size_t r, std::size_t o, bool after_bar) {
    const OperandRule& rule = rules_[r];
    if (o >= operands_.size()) return failed(o, &rule, false);
    const Operand& operand = operands_[o];
    const std::size_t length = 1u + operand.child_count;
    if (rule.piped != after_bar) return failed(o, &rule, true);
    if (o + length > operands_.size()) return false;
    // variable+4 and array[2] are addresses; few instructions take one without brackets.
    if (rule.shape == OperandShape::value && operand.kind == OperandKind::name && !is_plain_name(operand) &&
        (form_ == nullptr || !form_->symbol)) {
      return failed(o, &rule, false);
    }
    unsigned count = 0;  // coordinates in a bracket list have no slot that says how many they are
    if (form_ != nullptr && rule.shape == OperandShape::vector) count = vector_count(rule, words_);
    if (form_ != nullptr && rule.shape == OperandShape::fragment) {
      // Of two lengths that are good, the one that is written; none: these words forbid the operand.
      count = isa::fragment_count(*form_, r, words_);
      if (count == 0) return failed(o, nullptr, false);
      if (isa::fragment_fits(*form_, r, words_, operand.child_count)) count = operand.child_count;
    }
    if (!fits(rule, words_, operands_.subspan(o, length), count, strict_)) return failed(o, &rule, false);
    out_.at[r] = static_cast<uint16_t>(o);
    return from(r + 1, o + length, operand.piped);
  }

  bool failed(std::size_t o, const OperandRule* rule, bool bar) {
    if (o > misfit.operand || misfit_ == 0) misfit = {o, rule, bar};
    ++misfit_;
    return false;
  }

  std::span<const OperandRule> rules_;
  const isa::FormInfo* form_;
  const isa::SlotValues& words_;
  std::span<const Operand> operands_;
  OperandPlaces& out_;
  std::bitset<256> present_, absent_;
  bool strict_ = true;
  std::size_t misfit_ = 0;  // how many
};

bool fits_list(const OperandRule& rule, const isa::SlotValues& words, std::span<const Operand> operand) {
  if (operand[0].kind != OperandKind::address || operand[0].child_count == 0) return false;
  OperandPlaces places;
  return fit_parts(rule.inner, words, operand.subspan(1), places);
}

// `count` elements, 0 when open.
bool fits_elements(const OperandRule& rule, unsigned count, const Operand& operand, bool strict) {
  if (operand.kind == OperandKind::vector) return count == 0 || operand.child_count == count;
  if (rule.shape == OperandShape::fragment && (!rule.bare || (strict && rule.optional_group != 0)))
    return false;
  if (operand.kind == OperandKind::name) return count <= 1 || (!strict && is_plain_name(operand));
  // One `_` throws all of it away (atom.v2). A scalar may be a number.
  if (operand.kind == OperandKind::sink) return rule.may_sink && rule.access != isa::Access::read;
  return count <= 1 && is_number(operand) && rule.access == isa::Access::read;
}

}  // namespace

bool takes_predicate(const OperandRule& rule) {
  if (rule.type.kind == isa::TypeRule::Kind::fixed) return rule.type.type == isa::Type::pred;
  return std::ranges::find(rule.type.choices, isa::Type::pred) != rule.type.choices.end();
}

bool is_element(isa::Word component) {
  using isa::Word;
  constexpr Word elements[] = {Word::none, Word::x, Word::y, Word::z, Word::w,
                               Word::r,    Word::g, Word::b, Word::a};
  return std::ranges::find(elements, component) != std::end(elements);
}

unsigned vector_count(const OperandRule& rule, const isa::SlotValues& words) {
  if (rule.count != 0) return rule.count;
  if (!words.has(isa::Slot::vec)) return 1;
  const std::string_view spelling = isa::spelling(words[isa::Slot::vec]);  // v2 v4 v8
  return spelling.size() == 2 ? static_cast<unsigned>(spelling[1] - '0') : 0;
}

bool fits(const OperandRule& rule, const isa::SlotValues& words, std::span<const Operand> operand,
          unsigned count, bool strict) {
  const Operand& first = operand[0];
  if (!may_be_negated(rule, first) || !may_have_suffix(rule, first)) return false;
  switch (rule.shape) {
    case OperandShape::vector:
    case OperandShape::fragment: return fits_elements(rule, count, first, strict);
    default: break;
  }
  if (first.kind == OperandKind::sink) return rule.may_sink;
  switch (rule.shape) {
    case OperandShape::value: return first.kind == OperandKind::name || is_number(first);
    case OperandShape::register_: return is_plain_name(first);
    case OperandShape::immediate: return is_number(first);
    case OperandShape::vector:
    case OperandShape::fragment:
    case OperandShape::sink: break;
    case OperandShape::address:
      return (first.kind == OperandKind::address && first.child_count == 0) ||
             (first.kind == OperandKind::name && first.subscript);
    case OperandShape::texture:
    case OperandShape::surface:
    case OperandShape::tensor: return fits_list(rule, words, operand);
    case OperandShape::label:
    case OperandShape::function:
    case OperandShape::prototype:
    case OperandShape::targets: return is_plain_name(first) && first.component == isa::Word::none;
    case OperandShape::call_list: return first.kind == OperandKind::list;
  }
  return false;
}

bool fit(const isa::FormInfo& form, const isa::SlotValues& words, std::span<const Operand> operands,
         OperandPlaces& out) {
  return Fitter(form.operands, &form, words, operands, out).run();
}

Misfit explain_misfit(const isa::FormInfo& form, const isa::SlotValues& words,
                      std::span<const Operand> operands) {
  OperandPlaces places;
  Fitter fitter(form.operands, &form, words, operands, places);
  fitter.run();
  return fitter.misfit;
}

bool fit_parts(std::span<const OperandRule> rules, const isa::SlotValues& words,
               std::span<const Operand> parts, OperandPlaces& out) {
  return Fitter(rules, nullptr, words, parts, out).run();
}

std::string describe(const OperandRule& rule, const isa::SlotValues& words) {
  switch (rule.shape) {
    case OperandShape::value:
      return rule.access == isa::Access::read ? "a register or a constant" : "a register";
    case OperandShape::register_: return "a register";
    case OperandShape::immediate: return "a constant";
    case OperandShape::vector: {
      const unsigned count = vector_count(rule, words);
      if (count == 1) return "a register";
      return count == 0 ? "a vector" : "a vector of " + std::to_string(count) + " elements";
    }
    case OperandShape::fragment: return rule.bare ? "a vector or a register" : "a vector";
    case OperandShape::address: return "an address in brackets";
    case OperandShape::texture: return "a texture and coordinates in brackets";
    case OperandShape::surface: return "a surface and coordinates in brackets";
    case OperandShape::tensor: return "a tensor map and coordinates in brackets";
    case OperandShape::label: return "a label";
    case OperandShape::function: return "a function";
    case OperandShape::prototype: return "a label of .callprototype or .calltargets";
    case OperandShape::targets: return "a label of .branchtargets";
    case OperandShape::call_list: return "a list in parentheses";
    case OperandShape::sink: return "'_'";
  }
  return "an operand";
}

std::string_view describe(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::name:
      if (operand.negated || operand.minus) return "a negated operand";
      if (operand.subscript) return "an element of an array";
      return operand.value != 0 ? "a variable with an offset" : "a name";
    case OperandKind::integer: return "an integer";
    case OperandKind::float32:
    case OperandKind::float64: return "a floating-point number";
    case OperandKind::address: return operand.child_count != 0 ? "a list in brackets" : "an address";
    case OperandKind::vector: return "a vector";
    case OperandKind::list: return "a list in parentheses";
    case OperandKind::sink: return "'_'";
  }
  return "an operand";
}

}  // namespace heddle::ptx
