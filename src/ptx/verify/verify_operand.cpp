// One operand against its rule: names, types, spaces (PTX ISA 6, 9.4).
#include <algorithm>

#include "ptx/fit.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

using isa::OperandShape;
using isa::TypeKind;

bool is_integer(TypeKind kind) { return kind == TypeKind::unsigned_ || kind == TypeKind::signed_; }

std::string dotted(isa::Type type) { return "." + std::string(isa::info(type).name); }

// The space that an address operand is used in; none: generic.
isa::Word space_of(const isa::OperandRule& rule, const isa::SlotValues& words) {
  return rule.space != isa::Word::none ? rule.space : words[isa::Slot::space];
}

bool space_takes(isa::Word word, StateSpace space) {
  const std::string_view text = isa::spelling(word);
  switch (space) {
    case StateSpace::const_: return text.starts_with("const");
    case StateSpace::global: return text == "global";
    case StateSpace::local: return text == "local";
    case StateSpace::shared: return text.starts_with("shared");
    case StateSpace::param:
      return text.starts_with("param") || text == "local";  // its address may have been taken
    default: return true;
  }
}

}  // namespace

void Verifier::check_operand(const Use& use, std::span<const Operand> written) {
  const Operand& operand = written.front();
  switch (use.rule->shape) {
    case OperandShape::value:
    case OperandShape::register_:
    case OperandShape::immediate:
      if (operand.kind == OperandKind::name) return check_name(use, operand);
      if (operand.kind == OperandKind::vector) return check_vector(use, written);
      if (operand.kind != OperandKind::sink) check_constant(use, operand);
      return;
    case OperandShape::vector:
    case OperandShape::fragment: return check_vector(use, written);
    case OperandShape::address: return check_address(use, operand);
    case OperandShape::texture:
    case OperandShape::surface:
    case OperandShape::tensor: return check_bracket(use, written);
    case OperandShape::label:
    case OperandShape::function:
    case OperandShape::prototype:
    case OperandShape::targets: return check_target(use, operand);
    case OperandShape::call_list:
    case OperandShape::sink: return;
  }
}

// Same size and a compatible kind; wider registers where the form is relaxed (9.4.1).
bool Verifier::fits_type(const Use& use, isa::Type declared_type, unsigned vector) const {
  if (use.type == isa::Type::none || vector > 1) return true;
  const isa::TypeInfo &wanted = isa::info(use.type), &declared = isa::info(declared_type);
  if (wanted.kind == TypeKind::predicate || declared.kind == TypeKind::predicate)
    return wanted.kind == declared.kind;
  if (wanted.kind == TypeKind::opaque || declared.kind == TypeKind::opaque) return true;
  if (use.form->relaxed) return declared.bits >= wanted.bits;
  const unsigned bits = std::max<unsigned>(wanted.bits, 8);
  if (declared.bits != bits && !(bits == 8 && declared.bits == 16)) return false;
  if (wanted.kind == TypeKind::untyped || declared.kind == TypeKind::untyped) return true;
  if (is_integer(wanted.kind) && is_integer(declared.kind)) return true;
  // Formats without registers of their own stand in those of their size: tf32 in .f32, bf16x2 in .f16x2
  return wanted.kind == declared.kind;
}

void Verifier::check_name(const Use& use, const Operand& operand) {
  const Meaning meaning = names_.find(operand.name);
  const bool reads = use.rule->access == isa::Access::read;
  switch (meaning.kind) {
    case Meaning::Kind::unknown: complain(operand, quoted(operand.name) + " is not declared", "5.4"); return;
    case Meaning::Kind::register_: return check_register(use, operand, meaning);
    case Meaning::Kind::special: {
      const isa::SpecialRegisterInfo& info = isa::info(meaning.special);
      if (!reads) {
        complain(operand, "special register " + quoted(operand.name) + " cannot be written", "10");
      } else if (!use.form->special) {
        complain(operand,
                 "'" + use.mnemonic->text + "' cannot read special register " + quoted(operand.name) +
                     "; move it to a register first",
                 "10");
      } else if (info.components == 1 && operand.component != isa::Word::none) {
        complain(operand, "special register " + quoted(operand.name) + " has no parts", "10");
      }
      check_need(info.needs, operand.offset, "special register " + quoted(operand.name), "10");
      return;
    }
    case Meaning::Kind::variable:
    case Meaning::Kind::parameter:
    case Meaning::Kind::function:
      if (reads && use.form->symbol) return;
      break;
    case Meaning::Kind::warp_size:
      if (reads) return;
      break;
    default: break;
  }
  Diagnostic& d = complain(operand,
                           quoted(operand.name) + " is " + std::string(name(meaning.kind)) + "; '" +
                               use.mnemonic->text + "' takes " + describe(*use.rule, *use.words) + " there",
                           use.form->section);
  note_declaration(d, meaning, text(operand.name));
}

void Verifier::check_register(const Use& use, const Operand& operand, const Meaning& meaning) {
  if (use.rule->shape == OperandShape::immediate) {
    complain(operand,
             "'" + use.mnemonic->text + "' takes a constant for '" + std::string(use.rule->name) + "', " +
                 quoted(operand.name) + " is a register",
             use.form->section);
    return;
  }
  const isa::Type declared = meaning.variable->type;
  const unsigned vector =
      is_element(operand.component) && operand.component != isa::Word::none ? 1 : meaning.variable->vector;
  if (meaning.variable->vector == 1 && operand.component != isa::Word::none &&
      is_element(operand.component) && use.rule->suffixes.empty()) {
    complain(operand,
             quoted(operand.name) + " is no vector and has no '." +
                 std::string(isa::spelling(operand.component)) + "'",
             "5.4.2");
    return;
  }
  if (fits_type(use, declared, vector)) return;
  Diagnostic& d =
      complain(operand,
               "'" + use.mnemonic->text + "' takes " + dotted(use.type) + " for '" +
                   std::string(use.rule->name) + "', " + quoted(operand.name) + " is " + dotted(declared),
               "9.4");
  note_declaration(d, meaning, text(operand.name));
}

void Verifier::check_constant(const Use& use, const Operand& operand) {
  const bool floating = operand.kind == OperandKind::float32 || operand.kind == OperandKind::float64;
  if (operand.kind != OperandKind::integer && !floating) return;
  if (use.rule->access != isa::Access::read) {
    complain(operand,
             "'" + use.mnemonic->text + "' writes '" + std::string(use.rule->name) +
                 "', which cannot be a constant",
             use.form->section);
    return;
  }
  if (use.type != isa::Type::none) {
    const TypeKind kind = isa::info(use.type).kind;
    if (floating && is_integer(kind))
      complain(operand,
               "'" + use.mnemonic->text + "' takes " + dotted(use.type) + " for '" +
                   std::string(use.rule->name) + "', not a floating-point constant",
               "4.5");
    if (!floating && kind == TypeKind::floating && isa::info(use.type).elements == 1 &&
        isa::info(use.type).bits >= 32)
      complain(operand,
               "'" + use.mnemonic->text + "' takes " + dotted(use.type) + " for '" +
                   std::string(use.rule->name) + "', not an integer constant; write 0f... or a decimal point",
               "4.5");
  }
  if (use.rule->allowed.empty() || floating) return;
  const auto value = static_cast<int64_t>(operand.value);
  for (const isa::ImmediateRange& range : use.rule->allowed)
    if (value >= range.first && value <= range.last) return;
  std::string wanted;
  for (const isa::ImmediateRange& range : use.rule->allowed)
    wanted += (wanted.empty() ? "" : ", ") + std::to_string(range.first) +
              (range.first == range.last ? "" : " to " + std::to_string(range.last));
  complain(operand,
           "'" + std::string(use.rule->name) + "' of '" + use.mnemonic->text + "' is " +
               std::to_string(value) + "; allowed: " + wanted,
           use.form->section);
}

void Verifier::check_address(const Use& use, const Operand& operand) {
  if (operand.kind != OperandKind::address || operand.name == no_name) return;
  const Meaning meaning = names_.find(operand.name);
  const isa::Word space = space_of(*use.rule, *use.words);
  switch (meaning.kind) {
    case Meaning::Kind::unknown: complain(operand, quoted(operand.name) + " is not declared", "5.4"); return;
    case Meaning::Kind::register_: {
      const isa::TypeInfo& type = isa::info(meaning.variable->type);
      if (meaning.variable->vector > 1 && operand.component != isa::Word::none) return;
      if (type.kind == TypeKind::floating || type.kind == TypeKind::predicate || type.bits < 32 ||
          type.bits > 64) {
        Diagnostic& d = complain(operand,
                                 quoted(operand.name) + " is " + dotted(meaning.variable->type) +
                                     "; an address register is an integer of 32 or 64 bits",
                                 "6.4.1");
        note_declaration(d, meaning, text(operand.name));
      }
      return;
    }
    case Meaning::Kind::variable:
    case Meaning::Kind::parameter: {
      const StateSpace own = meaning.variable->space;
      if (space == isa::Word::none) {
        if (own != StateSpace::param || meaning.kind == Meaning::Kind::parameter) return;
        return;
      }
      if (isa::info(meaning.variable->type).kind == TypeKind::opaque) return;
      if (!space_takes(space, own)) {
        Diagnostic& d =
            complain(operand,
                     "'" + use.mnemonic->text + "' accesses ." + std::string(isa::spelling(space)) + ", " +
                         quoted(operand.name) + " is in another state space",
                     "6.4.1");
        note_declaration(d, meaning, text(operand.name));
      }
      return;
    }
    case Meaning::Kind::warp_size: return;
    default: {
      Diagnostic& d = complain(
          operand, quoted(operand.name) + " is " + std::string(name(meaning.kind)) + ", not an address",
          "6.4.1");
      note_declaration(d, meaning, text(operand.name));
    }
  }
}

void Verifier::check_vector(const Use& use, std::span<const Operand> written) {
  const Operand& operand = written.front();
  if (operand.kind == OperandKind::name) {
    const Meaning meaning = names_.find(operand.name);
    if (meaning.kind == Meaning::Kind::special && use.form->special) return check_name(use, operand);
    if (meaning.kind == Meaning::Kind::register_ && meaning.variable->vector > 1)
      return;  // a vector register
    return check_name(use, operand);
  }
  if (operand.kind != OperandKind::vector) {
    if (operand.kind != OperandKind::sink) check_constant(use, operand);
    return;
  }
  for (std::size_t i = 1; i < written.size(); i += 1u + written[i].child_count) {
    const Operand& element = written[i];
    if (element.kind == OperandKind::name)
      check_name(use, element);
    else if (element.kind == OperandKind::vector)
      check_vector(use, written.subspan(i, 1u + element.child_count));
    else if (element.kind != OperandKind::sink)
      check_constant(use, element);
  }
}

// [texture, sampler, {coordinates}]: the objects are variables, parameters or handles in registers (9.7.10).
void Verifier::check_bracket(const Use& use, std::span<const Operand> written) {
  OperandPlaces places;
  const std::span<const Operand> parts = written.subspan(1);
  if (written.front().kind != OperandKind::address || !fit_parts(use.rule->inner, *use.words, parts, places))
    return;
  for (std::size_t i = 0; i < use.rule->inner.size(); ++i) {
    if (places.at[i] == OperandPlaces::absent) continue;
    const isa::OperandRule& rule = use.rule->inner[i];
    const Operand& part = parts[places.at[i]];
    const Use inner{use.form, use.words, use.mnemonic, &rule,
                    isa::resolve(rule.type, *use.words, module_.address_bits)};
    const bool object = inner.type != isa::Type::none && isa::info(inner.type).kind == TypeKind::opaque;
    if (part.kind == OperandKind::name && (object || i == 0)) {
      const Meaning meaning = names_.find(part.name);
      if (meaning.kind == Meaning::Kind::unknown)
        complain(part, quoted(part.name) + " is not declared", "5.4");
      else if (meaning.kind != Meaning::Kind::register_ && meaning.kind != Meaning::Kind::variable &&
               meaning.kind != Meaning::Kind::parameter)
        complain(part,
                 quoted(part.name) + " is " + std::string(name(meaning.kind)) +
                     ", not a texture, sampler, surface or a handle of one",
                 use.form->section);
      continue;
    }
    check_operand(inner, parts.subspan(places.at[i], 1u + part.child_count));
  }
}

void Verifier::check_target(const Use& use, const Operand& operand) {
  if (operand.kind != OperandKind::name) return;
  const Meaning meaning = names_.find(operand.name);
  Meaning::Kind wanted = Meaning::Kind::label;
  if (use.rule->shape == OperandShape::targets) wanted = Meaning::Kind::branch_targets;
  if (use.rule->shape == OperandShape::function) wanted = Meaning::Kind::function;
  if (use.rule->shape == OperandShape::prototype) wanted = Meaning::Kind::prototype;
  if (meaning.kind == wanted) return;
  complain(operand,
           quoted(operand.name) + " is " +
               (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))) +
               "; '" + use.mnemonic->text + "' takes " + std::string(name(wanted)),
           use.form->section);
}

}  // namespace heddle::ptx
