// Vectors of registers, and lists in brackets: textures, surfaces, tensors (PTX ISA 5.4.2, 9.7.10).
#include <algorithm>

#include "ptx/fit.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

using isa::OperandShape;
using isa::TypeKind;

bool one_vector(const isa::TypeInfo& a, const isa::TypeInfo& b) {
  if (a.kind == TypeKind::untyped || b.kind == TypeKind::untyped) return true;
  const bool a_floats = a.kind == TypeKind::floating, b_floats = b.kind == TypeKind::floating;
  return a_floats == b_floats && (!a_floats || a.elements == b.elements);
}

}  // namespace

void Verifier::check_vector(const Use& use, std::span<const Operand> written) {
  const Operand& operand = written.front();
  if (operand.kind == OperandKind::name) {
    const Meaning& meaning = names_.find(operand.name);
    const unsigned count = use.rule->shape == OperandShape::vector ? vector_count(*use.rule, *use.words) : 0;
    if (meaning.kind != Meaning::Kind::register_) return check_name(use, operand);
    if (meaning.variable->vector == 1 || operand.component != isa::Word::none) {
      if (count <= 1) return check_name(use, operand);
      note_declaration(complain(operand,
                                "'" + use.mnemonic->text + "' takes " + describe(*use.rule, *use.words) +
                                    ", " + quoted(operand.name) + " is a single register",
                                "5.4.2"),
                       meaning, text(operand.name));
      return;
    }
    if (count != 0 && count != meaning.variable->vector)
      complain_vector_register(use, operand, meaning);
    else if (!fits_type(use, meaning.variable->type))
      note_declaration(complain(operand,
                                "'" + use.mnemonic->text + "' takes a vector of ." +
                                    std::string(isa::info(use.type).name) + ", " + quoted(operand.name) +
                                    " is of ." + std::string(isa::info(meaning.variable->type).name),
                                "9.4"),
                       meaning, text(operand.name));
    return;
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
  check_elements(use, written);
}

// Registers may be wider than the type, but all of them alike. Each agrees with the one before it: what is in
// braces is one vector, and its elements are of one type (5.4.2).
void Verifier::check_elements(const Use& use, std::span<const Operand> written) {
  unsigned bits = 0;
  const isa::TypeInfo* before = nullptr;
  for (const Operand& element : written.subspan(1)) {
    if (element.kind != OperandKind::name) continue;
    const Meaning& meaning = names_.find(element.name);
    if (meaning.kind != Meaning::Kind::register_) continue;
    const isa::TypeInfo& type = isa::info(meaning.variable->type);
    if (before != nullptr && !one_vector(*before, type)) {
      Diagnostic& d =
          complain(element,
                   "the elements of a vector are of one type; " + quoted(element.name) + " is ." +
                       std::string(type.name) + ", the one before it ." + std::string(before->name),
                   "5.4.2");
      note_declaration(d, meaning, text(element.name));
      return;
    }
    before = &type;
    if (!use.form->relaxed) continue;
    const unsigned own = isa::info(meaning.variable->type).bits;
    if (bits != 0 && own != bits) {
      Diagnostic& d =
          complain(element,
                   "the registers of a vector are of one size; " + quoted(element.name) + " has " +
                       std::to_string(own) + " bits, one before it " + std::to_string(bits),
                   "9.4.1");
      note_declaration(d, meaning, text(element.name));
      return;
    }
    bits = own;
  }
}

// A texture, sampler or surface: a variable or parameter of that type, or a handle in a register of 64 bits.
void Verifier::check_opaque_use(const Use& use, const Operand& operand, const Meaning& meaning) {
  const isa::TypeInfo& declared = isa::info(meaning.variable->type);
  if (meaning.variable->space == StateSpace::tex && use.type == isa::Type::texref) return;  // as of PTX 1.x
  const auto is_surface = [](isa::Type type) { return type == isa::Type::surfref; };
  if (meaning.kind == Meaning::Kind::register_
          ? declared.bits == 64 && declared.kind != TypeKind::floating
          : declared.kind == TypeKind::opaque && is_surface(meaning.variable->type) == is_surface(use.type))
    return;
  Diagnostic& d = complain(operand,
                           "'" + use.mnemonic->text + "' takes a ." + std::string(isa::info(use.type).name) +
                               " or a handle in a 64-bit register, " + quoted(operand.name) + " is ." +
                               std::string(declared.name),
                           use.form->section);
  note_declaration(d, meaning, text(operand.name));
}

// [texture, sampler, {coordinates}], [map, {coordinates}].
void Verifier::check_bracket(const Use& use, std::span<const Operand> written) {
  OperandPlaces places;
  const std::span<const Operand> parts = written.subspan(1);
  if (written.front().kind != OperandKind::address || !fit_parts(use.rule->inner, *use.words, parts, places))
    return;
  const auto index = static_cast<std::size_t>(use.rule - use.form->operands.data());
  for (std::size_t i = 0; i < use.rule->inner.size(); ++i) {
    if (places.at[i] == OperandPlaces::absent) continue;
    const isa::OperandRule& rule = use.rule->inner[i];
    const Operand& part = parts[places.at[i]];
    const Use inner{use.form, use.words, use.mnemonic, &rule,
                    isa::resolve(rule.type, *use.words, module_.address_bits)};
    const bool object = inner.type != isa::Type::none && isa::info(inner.type).kind == TypeKind::opaque;
    if (part.kind == OperandKind::name && (object || i == 0)) {
      const Meaning& meaning = names_.find(part.name);
      if (meaning.kind == Meaning::Kind::unknown)
        complain(part, quoted(part.name) + " is not declared", "5.4");
      else if (meaning.kind != Meaning::Kind::register_ && meaning.kind != Meaning::Kind::variable &&
               meaning.kind != Meaning::Kind::parameter)
        complain(part,
                 quoted(part.name) + " is " + std::string(name(meaning.kind)) +
                     ", not a texture, sampler, surface or a handle of one",
                 use.form->section);
      else if (object)
        check_opaque_use(inner, part, meaning);
      continue;
    }
    if (object && part.kind != OperandKind::name) {
      complain(part,
               "'" + use.mnemonic->text + "' takes a ." + std::string(isa::info(inner.type).name) +
                   " or a handle in a 64-bit register, not " + std::string(describe(part)),
               use.form->section);
      continue;
    }
    if (rule.shape == OperandShape::fragment) check_fragment_length(use, index, part);
    if (rule.shape == OperandShape::fragment && part.kind == OperandKind::vector) {
      // A layer or sample comes first, an integer whatever ctype says.
      Use integer = inner;
      integer.type = isa::Type::u32;
      const unsigned integers = integer_coordinates(*use.words);
      for (std::size_t k = 0; k < part.child_count; ++k)
        check_operand(k < integers ? integer : inner, parts.subspan(places.at[i] + 1u + k, 1));
      continue;
    }
    check_operand(inner, parts.subspan(places.at[i], 1u + part.child_count));
  }
}

// How many coordinates stand in the brackets of operand `index`.
void Verifier::check_fragment_length(const Use& use, std::size_t index, const Operand& part) {
  const unsigned wanted = isa::fragment_count(*use.form, index, *use.words);
  std::size_t count = 1;
  if (part.kind == OperandKind::vector) {
    count = part.child_count;
  } else if (part.kind == OperandKind::name && part.component == isa::Word::none) {
    const Meaning& meaning = names_.find(part.name);
    if (meaning.kind == Meaning::Kind::register_) count = meaning.variable->vector;
  }
  if (wanted == 0 || isa::fragment_fits(*use.form, index, *use.words, count)) return;
  complain(part,
           "'" + use.mnemonic->text + "' takes " + std::to_string(wanted) + " coordinates, there " +
               (count == 1 ? "is 1" : "are " + std::to_string(count)),
           use.form->section);
}

}  // namespace heddle::ptx
