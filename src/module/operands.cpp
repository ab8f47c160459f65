#include "module/operands.h"

#include <algorithm>
#include <array>

#include "module/layout.h"
#include "module/literal.h"
#include "ptx/fit.h"

namespace heddle::module {

namespace {

using isa::OperandShape;

// The element of a vector that .x, .y or .r, .g names; -1 when the component is none.
int element_of(isa::Word component) {
  const std::string_view spelling = isa::spelling(component);
  if (spelling.size() != 1) return -1;
  static constexpr std::string_view names = "xyzwrgba";
  const std::size_t at = names.find(spelling[0]);
  return at == std::string_view::npos ? -1 : static_cast<int>(at % 4);
}

bool is_constant(ptx::OperandKind kind) {
  return kind == ptx::OperandKind::integer || kind == ptx::OperandKind::float32 ||
         kind == ptx::OperandKind::float64;
}

}  // namespace

void OperandReader::complain(const ptx::Operand& operand, const std::string& message) {
  program_.messages.error(unit_, operand.offset, message);
}

uint32_t OperandReader::reserve(std::size_t count) {
  const auto first = static_cast<uint32_t>(function_->operands.size());
  function_->operands.resize(first + count);
  return first;
}

Binding& OperandReader::find(NameId name) {
  Binding& binding = scopes_.find(name);
  if (binding.kind == Binding::Kind::entity) {
    const bool function = program_.names.entities[binding.index].function;
    binding.index = function ? program_.function_of(binding.index) : program_.symbol_of(binding.index);
    binding.kind = function ? Binding::Kind::function : Binding::Kind::symbol;
  }
  return binding;
}

uint32_t OperandReader::predicate(NameId name, uint32_t offset) {
  const Binding& binding = scopes_.find(name);
  if (binding.kind == Binding::Kind::reg && binding.type == isa::Type::pred)
    return scopes_.registers().info(binding.index).slot;
  program_.messages.error(unit_, offset, "the guard " + quoted(name) + " is no predicate register");
  return none;
}

void OperandReader::read(const ResolvedForm& form, Written written, Function& function) {
  function_ = &function;
  const std::size_t count = form.rules.size();
  ptx::OperandPlaces places;
  std::size_t top = 0;
  for (std::size_t i = 0; i < written.size(); i += 1u + written[i].child_count) {
    if (top < places.at.size()) places.at[top] = static_cast<uint16_t>(i);
    ++top;
  }
  // As many operands as rules: each stands for its own. Otherwise optional ones are missing.
  if (top != count && !ptx::fit(*form.form, form.words, written, places)) {
    program_.messages.error(unit_, written.empty() ? 0 : written[0].offset,
                            "these operands do not fit '" + std::string(form.form->id) + " " +
                                std::string(form.form->syntax) + "'");
    reserve(count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {  // braces around one element that needs none: the element
    uint16_t& place = places.at[i];
    if (place != ptx::OperandPlaces::absent && form.rules[i].rule->bare &&
        written[place].kind == ptx::OperandKind::vector && written[place].child_count == 1)
      ++place;
  }
  const std::span<const uint16_t> at(places.at.data(), count);
  call_ = form.is_call ? signature_of_call(form, at, written) : nullptr;
  read_all(form.rules, at, written, reserve(count));
}

void OperandReader::read_all(std::span<const Rule> rules, std::span<const uint16_t> places, Written written,
                             uint32_t first) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const uint16_t at = places[i];
    if (at == ptx::OperandPlaces::absent) continue;
    const Operand operand = convert(rules[i], written.subspan(at, 1u + written[at].child_count));
    function_->operands[first + i] = operand;
  }
}

Operand OperandReader::convert(const Rule& rule, Written written) {
  const ptx::Operand& first = written[0];
  switch (first.kind) {
    case ptx::OperandKind::sink: {
      Operand operand;
      operand.kind = OperandKind::sink;
      operand.type = rule.type;
      return operand;
    }
    case ptx::OperandKind::integer:
    case ptx::OperandKind::float32:
    case ptx::OperandKind::float64: return convert_constant(rule, first);
    case ptx::OperandKind::name:
      if (first.subscript && first.child_count != 0) {
        complain(first, "a register as the index of " + quoted(first.name) +
                            " is not supported; compute the address instead");
        return {};
      }
      if (rule.rule->shape == OperandShape::address && first.subscript) return convert_address(rule, first);
      return convert_name(rule, first);
    case ptx::OperandKind::address:
      return first.child_count == 0 ? convert_address(rule, first) : convert_bracket(rule, written);
    case ptx::OperandKind::vector: return convert_children(OperandKind::vector, rule, written);
    case ptx::OperandKind::list: return convert_children(OperandKind::list, rule, written);
  }
  return {};
}

Operand OperandReader::convert_constant(const Rule& rule, const ptx::Operand& constant) {
  const Literal literal = constant.kind == ptx::OperandKind::integer   ? Literal::integer
                          : constant.kind == ptx::OperandKind::float32 ? Literal::single
                                                                       : Literal::number;
  Operand operand;
  operand.kind = OperandKind::immediate;
  operand.type = operand.declared = rule.type;
  const isa::TypeInfo& type = isa::info(rule.type);
  if (const auto bits = literal_bits(literal, constant.value, type, program_.image.map_f64_to_f32)) {
    operand.value = *bits;
    // Of a predicate, !1 is 0; elsewhere a minus is part of the constant.
    operand.negated = constant.negated;
  } else {
    complain(constant, "a constant of this kind does not fit type ." + std::string(type.name));
  }
  return operand;
}

Operand OperandReader::convert_name(const Rule& rule, const ptx::Operand& name) {
  const Binding binding = find(name.name);
  if (!stands_for(rule.rule->shape, binding.kind)) {
    complain(name, quoted(name.name) + " is " + std::string(describe(binding.kind)) + ", not " +
                       std::string(describe(rule.rule->shape)));
    return {};
  }
  Operand operand;
  operand.type = rule.type;
  operand.index = binding.index;
  switch (binding.kind) {
    case Binding::Kind::reg: return convert_register(rule, name, binding);
    case Binding::Kind::symbol: return convert_symbol(rule, name, binding);
    case Binding::Kind::special: return convert_special(rule, name, binding);
    case Binding::Kind::function:
      operand.kind = OperandKind::function;
      if (rule.rule->shape != OperandShape::function)
        program_.image.functions[binding.index].address_taken = true;
      return operand;
    case Binding::Kind::label:
      operand.kind = OperandKind::label;
      operand.value = binding.index;
      operand.index = none;
      return operand;
    case Binding::Kind::branch_table:
    case Binding::Kind::call_table: operand.kind = OperandKind::table; return operand;
    case Binding::Kind::prototype: operand.kind = OperandKind::prototype; return operand;
    case Binding::Kind::warp_size:
      operand.kind = OperandKind::immediate;
      operand.declared = rule.type;
      operand.value = 32;
      operand.index = none;
      return operand;
    case Binding::Kind::declared_reg:
    case Binding::Kind::entity:
    case Binding::Kind::unknown: break;
  }
  complain(name, quoted(name.name) + " is not declared");
  return {};
}

Operand OperandReader::register_operand(const Rule& rule, uint32_t reg) const {
  const RegisterInfo& info = scopes_.registers().info(reg);
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.reg = info.slot;
  operand.declared = info.type;
  operand.type = rule.type;
  if (rule.type == isa::Type::none) {
    operand.type = info.type;
    if (rule.rule->type.kind == isa::TypeRule::Kind::one_of)
      for (isa::Type choice : rule.rule->type.choices)
        if (isa::info(choice).bits == isa::info(info.type).bits) operand.type = choice;
  }
  return operand;
}

Operand OperandReader::convert_register(const Rule& rule, const ptx::Operand& name, const Binding& binding) {
  const int element = element_of(name.component);
  if (binding.vector > 1 && name.component == isa::Word::none) {
    Operand vector;
    vector.kind = OperandKind::vector;
    vector.type = rule.type;
    vector.child_count = binding.vector;
    vector.first_child = reserve(binding.vector);
    for (uint32_t i = 0; i < binding.vector; ++i)
      function_->operands[vector.first_child + i] = register_operand(rule, binding.index + i);
    return vector;
  }
  if (binding.vector > 1 && (element < 0 || element >= binding.vector)) {
    complain(name, quoted(name.name) + " has " + std::to_string(binding.vector) + " elements; there is no ." +
                       std::string(isa::spelling(name.component)));
    return {};
  }
  Operand operand = register_operand(
      rule, binding.vector > 1 ? binding.index + static_cast<uint32_t>(element) : binding.index);
  if (binding.vector == 1) operand.component = name.component;
  operand.negated = name.negated || name.minus;
  if (name.value != 0) {  // mov d, a+8: the sum, as of an address
    operand.kind = OperandKind::address;
    operand.value = name.value;
    operand.is_pointer64 = isa::info(operand.declared).bits == 64;
  }
  return operand;
}

Operand OperandReader::convert_special(const Rule& rule, const ptx::Operand& name, const Binding& binding) {
  const auto special = static_cast<isa::SpecialRegister>(binding.index);
  const isa::SpecialRegisterInfo& info = isa::info(special);
  Operand operand;
  operand.kind = OperandKind::special;
  operand.special = special;
  operand.type = rule.type == isa::Type::none ? info.type : rule.type;
  operand.declared = info.type;
  operand.component = name.component;
  if (info.components <= 1 || name.component != isa::Word::none) return operand;
  static constexpr std::array elements{isa::Word::x, isa::Word::y, isa::Word::z, isa::Word::w};
  Operand vector;
  vector.kind = OperandKind::vector;
  vector.type = operand.type;
  vector.child_count = std::min<uint32_t>(info.components, elements.size());
  vector.first_child = reserve(vector.child_count);
  for (uint32_t i = 0; i < vector.child_count; ++i) {
    operand.component = elements[i];
    function_->operands[vector.first_child + i] = operand;
  }
  return vector;
}

Operand OperandReader::convert_symbol(const Rule& rule, const ptx::Operand& name, const Binding& binding) {
  const Symbol& symbol = program_.image.symbols[binding.index];
  Operand operand;
  operand.kind = OperandKind::symbol;
  operand.type = rule.type;
  if (rule.type == isa::Type::none) operand.type = symbol.type;  // an argument of a call
  operand.declared = symbol.type;
  operand.space = symbol.space;
  operand.index = binding.index;
  operand.value = name.value;
  if (name.subscript) operand.value *= uint64_t{element_bytes(symbol.type)} * symbol.vector;
  return operand;
}

Operand OperandReader::convert_address(const Rule& rule, const ptx::Operand& address) {
  Operand operand;
  operand.kind = OperandKind::address;
  operand.type = rule.type;
  operand.space = rule.space;
  operand.value = address.value;
  if (address.name == no_name) return operand;
  const Binding binding = find(address.name);
  if (binding.kind == Binding::Kind::reg) {
    const int element =
        binding.vector > 1 ? std::clamp(element_of(address.component), 0, binding.vector - 1) : 0;
    const RegisterInfo& info = scopes_.registers().info(binding.index + static_cast<uint32_t>(element));
    operand.reg = info.slot;
    operand.declared = info.type;
    operand.is_pointer64 = isa::info(info.type).bits == 64;
  } else if (binding.kind == Binding::Kind::symbol) {
    const Symbol& symbol = program_.image.symbols[binding.index];
    operand.index = binding.index;
    operand.space = symbol.space;
    if (address.subscript) operand.value *= uint64_t{element_bytes(symbol.type)} * symbol.vector;
  } else if (binding.kind == Binding::Kind::unknown) {
    complain(address, quoted(address.name) + " is not declared");
  } else {
    complain(address, quoted(address.name) + " is neither a register nor a variable: it has no address");
  }
  return operand;
}

Operand OperandReader::convert_bracket(const Rule& rule, Written written) {
  const Written parts = written.subspan(1);
  ptx::OperandPlaces places;
  std::size_t top = 0;
  for (std::size_t i = 0; i < parts.size(); i += 1u + parts[i].child_count) {
    if (top < places.at.size()) places.at[top] = static_cast<uint16_t>(i);
    ++top;
  }
  Operand operand;
  operand.kind = OperandKind::bracket;
  operand.type = rule.type;
  operand.child_count = static_cast<uint32_t>(rule.inner.size());
  operand.first_child = reserve(rule.inner.size());
  if (top != rule.inner.size() && !ptx::fit_parts(rule.rule->inner, {}, parts, places)) {
    complain(written[0], "the parts of this bracket list do not fit the instruction");
    return operand;
  }
  read_all(rule.inner, {places.at.data(), rule.inner.size()}, parts, operand.first_child);
  return operand;
}

Operand OperandReader::convert_children(OperandKind kind, const Rule& rule, Written written) {
  uint32_t count = 0;
  for (std::size_t i = 1; i < written.size(); i += 1u + written[i].child_count) ++count;
  Operand operand;
  operand.kind = kind;
  operand.type = rule.type;
  operand.child_count = count;
  operand.first_child = reserve(count);
  const std::vector<Parameter>* parameters = nullptr;
  if (kind == OperandKind::list && call_ != nullptr)
    parameters = rule.rule->access == isa::Access::read ? &call_->params : &call_->results;
  Rule element = rule;
  uint32_t child = 0;
  for (std::size_t i = 1; i < written.size(); i += 1u + written[i].child_count, ++child) {
    // A constant argument takes the parameter's type; registers and variables bring their own.
    const bool typed = parameters != nullptr && child < parameters->size() && is_constant(written[i].kind);
    element.type = typed ? (*parameters)[child].type : rule.type;
    const Operand converted = convert(element, written.subspan(i, 1u + written[i].child_count));
    function_->operands[operand.first_child + child] = converted;
  }
  return operand;
}

const Signature* OperandReader::signature_of_call(const ResolvedForm& form, std::span<const uint16_t> places,
                                                  Written written) {
  for (std::size_t i = 0; i < form.rules.size(); ++i) {
    if (places[i] == ptx::OperandPlaces::absent || written[places[i]].kind != ptx::OperandKind::name)
      continue;
    const OperandShape shape = form.rules[i].rule->shape;
    if (shape != OperandShape::function && shape != OperandShape::prototype) continue;
    const Binding& binding = find(written[places[i]].name);
    if (binding.kind == Binding::Kind::function) return &program_.image.functions[binding.index].signature;
    if (binding.kind == Binding::Kind::prototype) return &function_->prototypes[binding.index];
  }
  return nullptr;
}

}  // namespace heddle::module
