#include "isa/isa.h"
#include "isa/tables.h"

namespace heddle::isa {
namespace {

template <class E>
std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

const TypeInfo& info(Type type) { return tables::types[index(type)].info; }
Type type_of(Word word) { return tables::word_types[index(word)]; }

std::string_view spelling(Word word) { return tables::words[index(word)]; }
Word find_word(std::string_view text) {
  const std::size_t i = tables::word_hash.candidate(text);
  return tables::words[i] == text ? static_cast<Word>(i) : Word::none;
}

std::string_view name(Slot slot) { return tables::slots[index(slot)]; }

std::string_view name(Opcode opcode) { return tables::opcodes[index(opcode)].name; }
std::string_view title(Opcode opcode) { return tables::opcodes[index(opcode)].title; }
Opcode find_opcode(std::string_view text) {
  const std::size_t i = tables::opcode_hash.candidate(text);
  return tables::opcodes[i].name == text ? static_cast<Opcode>(i) : Opcode::none;
}

const FormInfo& info(Form form) { return tables::forms[tables::first_of_form[index(form)]]; }
std::span<const FormInfo> forms(Opcode opcode) {
  const tables::OpcodeRow& row = tables::opcodes[index(opcode)];
  return {tables::forms + row.first, tables::forms + row.end};
}
std::span<const FormInfo> all_forms() { return {tables::forms, syntax_count}; }

const SpecialRegisterInfo& info(SpecialRegister reg) { return tables::special_registers[index(reg)]; }
SpecialRegister find_special_register(std::string_view text) {
  const std::size_t i = tables::special_register_hash.candidate(text);
  return tables::special_registers[i].name == text ? static_cast<SpecialRegister>(i) : SpecialRegister::none;
}

const DirectiveInfo& info(Directive directive) { return tables::directives[index(directive)]; }
Directive find_directive(std::string_view text) {
  const std::size_t i = tables::directive_hash.candidate(text);
  return tables::directives[i].name == text ? static_cast<Directive>(i) : Directive::none;
}

std::span<const TargetInfo> targets() { return {tables::targets, target_count}; }
const TargetInfo* find_target(std::string_view text) {
  constexpr std::string_view sm = "sm_", compute = "compute_";
  const std::size_t skip = text.starts_with(compute) ? compute.size() : text.starts_with(sm) ? sm.size() : 0;
  if (skip == 0) return nullptr;
  for (const TargetInfo& target : targets())
    if (target.name.substr(sm.size()) == text.substr(skip)) return &target;
  return nullptr;
}
std::span<const Version> versions() { return {tables::versions, version_count}; }

// PTX ISA 11.1.2 .target: code for sm_XY runs on every later architecture, sm_XYa on that one alone, sm_XYf
// on the later members of its family (the same major number).
bool meets(const TargetInfo& target, const TargetNeed& need) {
  switch (need.suffix) {
    case TargetNeed::Suffix::none: return target.sm >= need.sm;
    case TargetNeed::Suffix::a: return target.suffix == TargetNeed::Suffix::a && target.sm == need.sm;
    case TargetNeed::Suffix::f:
      return target.suffix != TargetNeed::Suffix::none && target.sm >= need.sm &&
             target.family == need.family;
  }
  return false;
}

bool meets(const TargetInfo& target, const Needs& needs) {
  if (meets(target, needs.target)) return true;
  for (const TargetNeed& other : needs.other_targets)
    if (meets(target, other)) return true;
  return false;
}

bool meets(const Version& version, const Needs& needs) { return version >= needs.ptx; }

bool removed(const Needs& needs, const Version& version, const TargetInfo& target) {
  constexpr Needs forever;
  const bool by_version = needs.last_ptx != forever.last_ptx;
  const bool by_target = needs.last_sm != forever.last_sm;
  if (!by_version && !by_target) return false;
  return (!by_version || version > needs.last_ptx) && (!by_target || target.sm > needs.last_sm);
}

}  // namespace heddle::isa
