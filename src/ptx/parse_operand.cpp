// Operands (PTX ISA 6).
#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/quote.h"

namespace heddle::ptx {

namespace {

constexpr const char* kOperandRule = "PTX ISA 6 Instruction Operands";
constexpr const char* kAddressRule = "PTX ISA 6.4.1 Addresses as Operands";

}  // namespace

bool Parser::push(const Operand& operand) {
  if (operands_.size() - first_operand_ >= max_operands) {
    return in_.fail({operand.offset, operand.offset + 1},
                    "a statement of more than " + std::to_string(max_operands) + " operands", kOperandRule);
  }
  operands_.push_back(operand);
  return true;
}

bool Parser::read_operand(bool lists) {
  switch (in_.token().kind) {
    case Tok::name: return read_name_operand();
    case Tok::left_brace: return read_sequence(OperandKind::vector, Tok::right_brace);
    case Tok::left_bracket: return read_address();
    case Tok::left_paren:
      return lists ? read_sequence(OperandKind::list, Tok::right_paren) : read_constant_operand();
    default: return read_constant_operand();
  }
}

// {a, b} or (a, b): elements are names and constants, nothing nested.
bool Parser::read_sequence(OperandKind kind, Tok close) {
  Operand open;
  open.kind = kind;
  open.offset = in_.token().begin;
  const std::size_t index = operands_.size();
  if (!push(open)) return false;
  in_.advance();
  if (kind != OperandKind::list || !in_.at(close)) {
    do {
      const std::size_t element = operands_.size();
      if (!(in_.at(Tok::name) ? read_name_operand() : read_constant_operand())) return false;
      if (operands_[element].kind == OperandKind::name &&
          (operands_[element].subscript || operands_[element].value != 0)) {
        return in_.fail({operands_[element].offset, in_.last_end()},
                        "an element is a name or a constant, no address", kOperandRule);
      }
    } while (in_.accept(Tok::comma));
  }
  operands_[index].child_count = static_cast<uint16_t>(operands_.size() - index - 1);
  return in_.expect(close, "or ',' behind an element", kOperandRule);
}

bool Parser::at_suffix() const {
  if (!in_.at(Tok::directive)) return false;
  const isa::Directive what = directive();
  constexpr uint16_t starts = isa::place_module | isa::place_linkage | isa::place_space | isa::place_body;
  return what == isa::Directive::none || (isa::info(what).places & starts) == 0;
}

bool Parser::read_component(Operand& operand) {
  const std::string_view text = in_.text().substr(1);
  const isa::Word word = isa::find_word(text);
  if (word == isa::Word::none) {
    return in_.fail(in_.token().span(), quoted(in_.text()) + " is no part of an operand",
                    "PTX ISA 6.4.4 Vectors as Operands");
  }
  operand.component = word;
  in_.advance();
  return true;
}

// name[4], name[%r1], name[%r1+4]
bool Parser::read_subscript(Operand& operand) {
  constexpr const char* rule = "PTX ISA 6.4.2 Arrays as Operands";
  in_.advance();
  operand.subscript = true;
  Operand index;
  if (in_.at(Tok::name) && in_.text() != "WARP_SZ") {
    operand.child_count = 1;
    index.name = intern(in_.token());
    index.offset = in_.token().begin;
    in_.advance();
    if (in_.at(Tok::directive) && !read_component(index)) return false;
  }
  const bool minus = in_.at(Tok::minus);
  if (operand.child_count == 0 || minus || in_.accept(Tok::plus)) {
    if (minus && operand.child_count != 0) in_.advance();
    const Token token = in_.token();
    const std::optional<Constant> value = read_constant(in_);
    if (!value) return false;
    if (!value->is_integer()) return in_.fail(token.span(), "an index must be an integer", rule);
    operand.value = minus && operand.child_count != 0 ? 0 - value->bits : value->bits;
  }
  if (!in_.expect(Tok::right_bracket, "behind an index", rule)) return false;
  return push(operand) && (operand.child_count == 0 || push(index));
}

// name, name.x, name+4, name[2]; !name, -name come through read_constant_operand.
bool Parser::read_name_operand() {
  const Token token = in_.token();
  const std::string_view text = in_.text();
  Operand operand;
  operand.offset = token.begin;
  if (text.size() == 1 && text[0] == '_') {
    operand.kind = OperandKind::sink;
    in_.advance();
    return push(operand);
  }
  if (text.size() == 7 && text == "WARP_SZ") return read_constant_operand();
  operand.name = names_.add(text);
  in_.advance();
  switch (in_.token().kind) {
    case Tok::directive:
      // What begins the next statement is no component: the ';' is missing.
      if (at_suffix() && !read_component(operand)) return false;
      break;
    case Tok::left_bracket: return read_subscript(operand);
    case Tok::plus: {
      in_.advance();
      const Token begin = in_.token();
      const std::optional<Constant> value = read_constant(in_);
      if (!value) return false;
      if (!value->is_integer()) return in_.fail(begin.span(), "an offset must be an integer", kOperandRule);
      operand.value = value->bits;
      break;
    }
    default: break;
  }
  return push(operand);
}

bool Parser::read_constant_operand() {
  const Token token = in_.token();
  Operand operand;
  operand.offset = token.begin;
  if (token.kind == Tok::exclamation || token.kind == Tok::minus) {
    in_.advance();
    if (in_.at(Tok::name) && in_.text() != "WARP_SZ") {
      operand.negated = token.kind == Tok::exclamation;
      operand.minus = token.kind == Tok::minus;
      operand.name = intern(in_.token());
      in_.advance();
      if (in_.at(Tok::directive) && !read_component(operand)) return false;
      return push(operand);
    }
    in_.restart(token.begin);
  }
  if (token.kind == Tok::float32) {
    operand.kind = OperandKind::float32;
    operand.value = token.value;
    in_.advance();
    return push(operand);
  }
  if (token.kind == Tok::integer) {
    // The usual case: a literal and nothing around it.
    in_.advance();
    if (in_.at(Tok::comma) || in_.at(Tok::semicolon)) {
      operand.kind = OperandKind::integer;
      operand.value = token.value;
      operand.is_unsigned = token.is_unsigned;
      return push(operand);
    }
    in_.restart(token.begin);
  }
  if (!begins_constant(in_)) return in_.unexpected("an operand", kOperandRule);
  const std::optional<Constant> value = read_constant(in_);
  if (!value) return false;
  operand.kind = value->is_integer() ? OperandKind::integer : OperandKind::float64;
  operand.is_unsigned = value->kind == Constant::Kind::u64;
  operand.value = value->bits;
  return push(operand);
}

// [name+offset], [offset], or a list: [texture, sampler, {x, y}]
bool Parser::read_address() {
  Operand address;
  address.kind = OperandKind::address;
  address.offset = in_.token().begin;
  in_.advance();
  const std::size_t index = operands_.size();
  if (in_.at(Tok::name) && in_.text() != "WARP_SZ") {
    const Token name = in_.token();
    in_.advance();
    if (in_.at(Tok::right_bracket) || in_.at(Tok::plus)) {
      address.name = intern(name);
      if (in_.accept(Tok::plus)) {
        const Token begin = in_.token();
        const std::optional<Constant> value = read_constant(in_);
        if (!value) return false;
        if (!value->is_integer()) return in_.fail(begin.span(), "an offset must be an integer", kAddressRule);
        address.value = value->bits;
      }
      if (!in_.expect(Tok::right_bracket, "behind an address", kAddressRule)) return false;
      // [a].unified
      if (at_suffix() && !read_component(address)) return false;
      return push(address);
    }
    if (in_.at(Tok::minus)) {
      return in_.fail(in_.token().span(), "an offset is added with '+': write [name+-4]", kAddressRule);
    }
    if (!push(address)) return false;
    Operand first;
    first.name = intern(name);
    first.offset = name.begin;
    if (in_.at(Tok::directive) && !read_component(first)) return false;
    if (!push(first)) return false;
  } else {
    const Token begin = in_.token();
    const std::optional<Constant> value = read_constant(in_);
    if (!value) return false;
    if (!value->is_integer()) return in_.fail(begin.span(), "an address must be an integer", kAddressRule);
    if (in_.accept(Tok::right_bracket)) {
      address.value = value->bits;
      return push(address);
    }
    Operand first;
    first.kind = OperandKind::integer;
    first.is_unsigned = value->kind == Constant::Kind::u64;
    first.value = value->bits;
    first.offset = begin.begin;
    if (!push(address) || !push(first)) return false;
  }
  while (in_.accept(Tok::comma)) {
    const bool vector = in_.at(Tok::left_brace);
    if (!(vector              ? read_sequence(OperandKind::vector, Tok::right_brace)
          : in_.at(Tok::name) ? read_name_operand()
                              : read_constant_operand())) {
      return false;
    }
  }
  operands_[index].child_count = static_cast<uint16_t>(operands_.size() - index - 1);
  return in_.expect(Tok::right_bracket, "or ',' behind a part of an address", kAddressRule);
}

}  // namespace heddle::ptx
