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

std::string wanted_types(isa::Type type, const isa::OperandRule& rule) {
  if (type != isa::Type::none) return dotted(type);
  std::string out;
  for (const isa::Type choice : rule.type.choices) out += (out.empty() ? "" : " or ") + dotted(choice);
  return out;
}

bool space_takes(isa::Word word, StateSpace space) {
  const std::string_view text = isa::spelling(word);
  switch (space) {
    case StateSpace::const_: return text.starts_with("const");
    case StateSpace::global: return text == "global";
    case StateSpace::local: return text == "local";
    case StateSpace::shared: return text.starts_with("shared");
    case StateSpace::param: return text.starts_with("param");
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

// Same size and a compatible kind; wider registers where the form is relaxed (9.4.1), but only those of no
// type or, for integers, integer ones.
bool Verifier::fits_type(const Use& use, isa::Type declared_type) const {
  if (use.type == isa::Type::none) {
    const std::span<const isa::Type> choices = use.rule->type.choices;
    return choices.empty() || std::ranges::any_of(choices, [&](isa::Type choice) {
             Use one = use;
             one.type = choice;
             return fits_type(one, declared_type);
           });
  }
  const isa::TypeInfo &wanted = isa::info(use.type), &declared = isa::info(declared_type);
  if (wanted.kind == TypeKind::predicate || declared.kind == TypeKind::predicate)
    return wanted.kind == declared.kind;
  if (wanted.kind == TypeKind::opaque || declared.kind == TypeKind::opaque) return true;
  const unsigned bits = std::max<unsigned>(wanted.bits, 8);
  const bool same_size = declared.bits == bits;
  if (!same_size && (!use.form->relaxed || declared.bits < bits)) return false;
  if (wanted.kind == TypeKind::untyped || declared.kind == TypeKind::untyped) return true;
  if (is_integer(wanted.kind)) return is_integer(declared.kind) || declared_type == isa::Type::f16x2;
  // Formats without registers of their own (bf16, tf32) stand in untyped ones only.
  return use.type == declared_type;
}

void Verifier::check_name(const Use& use, const Operand& operand) {
  const Meaning& meaning = names_.find(operand.name);
  const bool reads = use.rule->access == isa::Access::read;
  switch (meaning.kind) {
    case Meaning::Kind::unknown: complain(operand, quoted(operand.name) + " is not declared", "5.4"); return;
    case Meaning::Kind::register_: return check_register(use, operand, meaning);
    case Meaning::Kind::special: return check_special(use, operand, meaning.special);
    case Meaning::Kind::variable:
    case Meaning::Kind::parameter:
    case Meaning::Kind::function:
      if (reads && use.form->symbol) return check_symbol(use, operand, meaning);
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

// mov reads a special register in its own width (%tid and its like in 16 bits too), cvt in a narrower one as
// well; vectors as a whole or by component.
void Verifier::check_special(const Use& use, const Operand& operand, isa::SpecialRegister special) {
  const isa::SpecialRegisterInfo& info = isa::info(special);
  const std::string what = "special register " + quoted(operand.name);
  if (use.rule->access != isa::Access::read) {
    complain(operand, what + " cannot be written", "10");
    return;
  }
  if (!use.form->special) {
    complain(operand, "'" + use.mnemonic->text + "' cannot read " + what + "; move it to a register first",
             "10");
    return;
  }
  if (!check_need(info.needs, operand.offset, what, "10")) return;
  const bool whole = use.rule->shape == OperandShape::vector;
  if (info.components == 1 && operand.component != isa::Word::none) {
    complain(operand, what + " has no parts", "10");
  } else if (info.components > 1 && operand.component == isa::Word::none &&
             (!whole || vector_count(*use.rule, *use.words) != info.components)) {
    complain(operand, what + " has " + std::to_string(info.components) + " parts; name one of them, as .x",
             "10");
  }
  if (use.type == isa::Type::none) return;
  const isa::TypeInfo &wanted = isa::info(use.type), &own = isa::info(info.type);
  const bool predicates = wanted.kind == TypeKind::predicate && own.kind == TypeKind::predicate;
  const bool fits = (wanted.kind == TypeKind::untyped || is_integer(wanted.kind)) &&
                    own.kind != TypeKind::predicate && wanted.bits <= own.bits &&
                    (use.form->relaxed || wanted.bits >= info.least_bits);
  if (!predicates && !fits)
    complain(operand,
             what + " is " + dotted(info.type) + ", '" + use.mnemonic->text + "' reads " + dotted(use.type),
             "10");
}

// The address of a variable, or a function: an integer, in the space that the instruction names (cvta).
void Verifier::check_symbol(const Use& use, const Operand& operand, const Meaning& meaning) {
  if (use.type != isa::Type::none) {
    const TypeKind kind = isa::info(use.type).kind;
    if (kind == TypeKind::floating || kind == TypeKind::predicate)
      complain(operand, "the address " + quoted(operand.name) + " is no " + dotted(use.type), "9.7.9.3");
  }
  const isa::Word space = (*use.words)[isa::Slot::space];
  if (meaning.variable == nullptr || space == isa::Word::none) return;
  const StateSpace own = meaning.variable->space;
  if (space_takes(space, own)) return;
  Diagnostic& d =
      complain(operand,
               "'" + use.mnemonic->text + "' takes an address in ." + std::string(isa::spelling(space)) +
                   ", " + quoted(operand.name) + " is in another state space",
               use.form->section);
  note_declaration(d, meaning, text(operand.name));
}

void Verifier::complain_vector_register(const Use& use, const Operand& operand, const Meaning& meaning) {
  Diagnostic& d =
      complain(operand,
               quoted(operand.name) + " is a vector of " + std::to_string(meaning.variable->vector) + "; '" +
                   use.mnemonic->text + "' takes " + describe(*use.rule, *use.words) + " there",
               "5.4.2");
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
  if (meaning.variable->vector > 1 && operand.component == isa::Word::none) {
    // mov.b64 of a .v2 .b32: all of its bits
    const unsigned bits = isa::info(declared).bits * meaning.variable->vector;
    if (use.type != isa::Type::none && isa::info(use.type).kind == TypeKind::untyped &&
        isa::info(use.type).bits == bits)
      return;
    complain_vector_register(use, operand, meaning);
    return;
  }
  if (meaning.variable->vector == 1 && operand.component != isa::Word::none &&
      is_element(operand.component) && use.rule->suffixes.empty()) {
    complain(operand,
             quoted(operand.name) + " is no vector and has no '." +
                 std::string(isa::spelling(operand.component)) + "'",
             "5.4.2");
    return;
  }
  if (fits_type(use, declared)) return;
  Diagnostic& d =
      complain(operand,
               "'" + use.mnemonic->text + "' takes " + wanted_types(use.type, *use.rule) + " for '" +
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
    // Bits are a constant of just that many: 0f... is 32, 0d... and a decimal are 64 (4.5.2)
    const unsigned bits = operand.kind == OperandKind::float32 ? 32 : 64;
    if (floating &&
        (kind == TypeKind::predicate || (kind == TypeKind::untyped && isa::info(use.type).bits != bits)))
      complain(operand,
               "'" + use.mnemonic->text + "' takes " + dotted(use.type) + " for '" +
                   std::string(use.rule->name) + "', not a floating-point constant of " +
                   std::to_string(bits) + " bits",
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

void Verifier::check_address(const Use& asked, const Operand& operand) {
  Use use = asked;
  if (isa::type_of(use.rule->space) != isa::Type::none)
    use.type = isa::type_of(use.rule->space);  // [t:texref]
  if (operand.kind != OperandKind::address || operand.name == no_name) return;
  const Meaning& meaning = names_.find(operand.name);
  const isa::Word space = space_of(*use.rule, *use.words);
  switch (meaning.kind) {
    case Meaning::Kind::unknown: complain(operand, quoted(operand.name) + " is not declared", "5.4"); return;
    case Meaning::Kind::register_: {
      const isa::TypeInfo& type = isa::info(meaning.variable->type);
      if (use.type != isa::Type::none && isa::info(use.type).kind == TypeKind::opaque)
        return check_opaque_use(use, operand, meaning);
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
      if (use.type != isa::Type::none && isa::info(use.type).kind == TypeKind::opaque)
        return check_opaque_use(use, operand, meaning);
      const StateSpace own = meaning.variable->space;
      if (isa::info(meaning.variable->type).kind == TypeKind::opaque) return;
      if (space == isa::Word::none) {
        // cvta makes the generic address of these (6.4.1)
        if (own != StateSpace::const_ && own != StateSpace::param) return;
        Diagnostic& d =
            complain(operand,
                     "'" + use.mnemonic->text + "' takes a generic address; " + quoted(operand.name) +
                         " in " + (own == StateSpace::param ? ".param" : ".const") + " has one by cvta only",
                     "6.4.1");
        note_declaration(d, meaning, text(operand.name));
        return;
      }
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

void Verifier::check_target(const Use& use, const Operand& operand) {
  if (operand.kind != OperandKind::name) return;
  const Meaning& meaning = names_.find(operand.name);
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
