// Declarations of variables and parameters (PTX ISA 5.4).
#include <algorithm>

#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/quote.h"
#include "support/spelling.h"

namespace heddle::ptx {

namespace {

constexpr const char* kVariableRule = "PTX ISA 5.4 Variables";
constexpr const char* kInitializerRule = "PTX ISA 5.4.4 Initializers";
constexpr const char* kArrayRule = "PTX ISA 5.4.3 Array Declarations";
constexpr const char* kParameterRule = "PTX ISA 7.1 Function Declarations and Definitions";

std::optional<StateSpace> space_of(isa::Directive directive) {
  switch (directive) {
    case isa::Directive::reg: return StateSpace::reg;
    case isa::Directive::sreg: return StateSpace::sreg;
    case isa::Directive::const_: return StateSpace::const_;
    case isa::Directive::global: return StateSpace::global;
    case isa::Directive::local: return StateSpace::local;
    case isa::Directive::param: return StateSpace::param;
    case isa::Directive::shared: return StateSpace::shared;
    case isa::Directive::tex: return StateSpace::tex;
    default: return {};
  }
}

isa::Type type_named(std::string_view directive) { return isa::type_of(isa::find_word(directive.substr(1))); }

bool is_opaque(isa::Type type) { return isa::info(type).kind == isa::TypeKind::opaque; }

}  // namespace

bool Parser::read_attributes(Attributes& out) {
  constexpr const char* rule = "PTX ISA 5.4.8 Variable and Function Attribute Directive: .attribute";
  in_.advance();
  if (!in_.expect(Tok::left_paren, "behind .attribute", rule)) return false;
  do {
    if (in_.accept_directive(".managed")) {
      out.managed = true;
    } else if (in_.accept_directive(".unified")) {
      if (!in_.expect(Tok::left_paren, "behind .unified", rule)) return false;
      const std::optional<uint64_t> high = read_integer(in_, "a part of a unified identifier", UINT64_MAX);
      if (!high || !in_.expect(Tok::comma, "between the parts of .unified", rule)) return false;
      const std::optional<uint64_t> low = read_integer(in_, "a part of a unified identifier", UINT64_MAX);
      if (!low || !in_.expect(Tok::right_paren, "behind .unified", rule)) return false;
      out.unified = {*high, *low};
    } else {
      return in_.unexpected(".managed or .unified", rule);
    }
  } while (in_.accept(Tok::comma));
  return in_.expect(Tok::right_paren, "behind .attribute", rule);
}

bool Parser::read_alignment(uint32_t& out) {
  in_.advance();
  const Token token = in_.token();
  const std::optional<uint64_t> value = read_integer(in_, "an alignment", 1u << 31);
  if (!value) return false;
  if (*value == 0 || (*value & (*value - 1)) != 0) {
    return in_.fail(token.span(), "an alignment is a power of two, not " + std::to_string(*value),
                    "PTX ISA 5.4.5 Alignment");
  }
  out = static_cast<uint32_t>(*value);
  return true;
}

// .ptr [.space] [.align n], of kernel parameters.
bool Parser::read_pointer(Variable& variable) {
  in_.advance();
  variable.pointer = true;
  if (const std::optional<StateSpace> space = space_of(directive())) {
    variable.pointee = *space;
    in_.advance();
  }
  return !in_.at_directive(".align") || read_alignment(variable.pointee_align);
}

// Attributes, alignment, state space, vector and type; the type comes last.
bool Parser::read_specifiers(Variable& variable, Where where) {
  bool has_space = false;
  Attributes attributes;
  for (;;) {
    if (!in_.at(Tok::directive)) return in_.unexpected("a type", kVariableRule);
    const isa::Directive what = directive();
    if (what == isa::Directive::align) {
      if (!read_alignment(variable.align)) return false;
      continue;
    }
    if (what == isa::Directive::attribute) {
      if (!read_attributes(attributes)) return false;
      variable.managed = attributes.managed;
      variable.unified = attributes.unified;
      continue;
    }
    if (const std::optional<StateSpace> space = space_of(what)) {
      if (has_space) return in_.fail(in_.token().span(), "a second state space", "PTX ISA 5.1 State Spaces");
      has_space = true;
      variable.space = *space;
      in_.advance();
      if (*space == StateSpace::const_ && in_.accept(Tok::left_bracket)) {
        const std::optional<uint64_t> bank = read_integer(in_, "a constant bank", 10);
        if (!bank || !in_.expect(Tok::right_bracket, "behind a constant bank", "PTX ISA 5.1.3.1"))
          return false;
        variable.bank = static_cast<uint8_t>(*bank);
      }
      continue;
    }
    const std::string_view text = in_.text();
    if (text == ".v2" || text == ".v4") {
      variable.vector = static_cast<uint8_t>(text[2] - '0');
      in_.advance();
      continue;
    }
    variable.type = type_named(text);
    if (variable.type == isa::Type::none) {
      NearestWord nearest(text.substr(1));
      for (std::size_t i = 1; i < isa::type_count; ++i)
        nearest.consider(isa::info(static_cast<isa::Type>(i)).name);
      std::string message = quoted(text) + " is no type";
      if (!nearest.best().empty()) message += "; did you mean '." + std::string(nearest.best()) + "'?";
      return in_.fail(in_.token().span(), std::move(message), "PTX ISA 5.2 Types");
    }
    if (!has_space) {
      return in_.fail(in_.token().span(), "a state space is missing before the type",
                      "PTX ISA 5.1 State Spaces");
    }
    in_.advance();
    break;
  }
  if (where == Where::parameter && in_.at_directive(".ptr")) return read_pointer(variable);
  return true;
}

// name, name<range>, name[4][2], name[]
bool Parser::read_name_and_shape(Variable& variable, Where where) {
  const std::optional<Token> name = read_name("the name of a variable", kVariableRule);
  if (!name) return false;
  variable.name = intern(*name);
  variable.offset = name->begin;
  if (where != Where::parameter && in_.text(*name) == "_") {
    return in_.fail(name->span(), "'_' is no name of a variable", "PTX ISA 4.4 Identifiers");
  }
  if (where != Where::parameter && in_.accept(Tok::less)) {
    uint64_t range = 0;
    if (!read_plain_integer(range, "the number of names", max_range)) return false;
    variable.range = static_cast<uint32_t>(range);
    if (range == 0) variable.name = no_name;  // %r<0> declares nothing
    if (!in_.expect(Tok::greater, "behind the number of names",
                    "PTX ISA 5.4.6 Parameterized Variable Names")) {
      return false;
    }
  }
  uint64_t elements = 1;
  while (in_.at(Tok::left_bracket)) {
    const uint32_t begin = in_.token().begin;
    in_.advance();
    if (in_.accept(Tok::right_bracket)) {
      if (!variable.dims.empty()) {
        return in_.fail({begin, in_.last_end()}, "only the first dimension may be without a size",
                        kArrayRule);
      }
      variable.dims.push_back(0);
      continue;
    }
    const std::optional<uint64_t> size = read_integer(in_, "the size of an array", max_elements);
    if (!size || !in_.expect(Tok::right_bracket, "behind the size of an array", kArrayRule)) return false;
    if (*size == 0) return in_.fail({begin, in_.last_end()}, "the size of an array is 0", kArrayRule);
    if (elements > max_elements / *size) {
      return in_.fail({begin, in_.last_end()},
                      "an array of more than " + std::to_string(max_elements) + " elements", kArrayRule);
    }
    elements *= *size;
    variable.dims.push_back(*size);
  }
  return true;
}

bool Parser::read_declaration(Linkage linkage, Where where, std::vector<Variable>& out) {
  Variable shared;
  shared.linkage = linkage;
  if (!read_specifiers(shared, where)) return false;
  do {
    Variable variable = shared;
    if (!read_name_and_shape(variable, where)) return false;
    if (in_.accept(Tok::equals)) {
      if (!(is_opaque(variable.type) ? read_fields(variable) : read_initializer(variable))) return false;
    }
    if (variable.name != no_name) out.push_back(std::move(variable));
  } while (in_.accept(Tok::comma));
  return in_.expect(Tok::semicolon, "behind a declaration", kVariableRule);
}

// [generic(] name [)] [+ offset]
bool Parser::read_initializer_symbol(Initializer& out) {
  std::optional<Token> name = read_name("the name of a variable or function", kInitializerRule);
  if (!name) return false;
  out.kind = Initializer::Kind::symbol;
  if (in_.at(Tok::left_paren) && in_.text(*name) == "generic") {
    in_.advance();
    name = read_name("the name of a variable", kInitializerRule);
    if (!name || !in_.expect(Tok::right_paren, "of generic()", kInitializerRule)) return false;
    out.kind = Initializer::Kind::generic_symbol;
  }
  out.symbol = intern(*name);
  if (in_.at(Tok::minus)) {
    return in_.fail(in_.token().span(), "an offset is added with '+': write name+-4", kInitializerRule);
  }
  if (!in_.accept(Tok::plus)) return true;
  const Token token = in_.token();
  const std::optional<Constant> offset = read_constant(in_);
  if (!offset) return false;
  if (!offset->is_integer()) return in_.fail(token.span(), "an offset must be an integer", kInitializerRule);
  out.value = offset->bits;
  return true;
}

bool Parser::read_initializer_value(std::vector<Initializer>& out) {
  Initializer value;
  const Token token = in_.token();
  value.offset = token.begin;
  if (token.kind == Tok::float32) {
    value.kind = Initializer::Kind::float32;
    value.value = token.value;
    in_.advance();
  } else if (begins_constant(in_)) {
    const std::optional<Constant> constant = read_constant(in_);
    if (!constant) return false;
    value.kind = constant->is_integer() ? Initializer::Kind::integer : Initializer::Kind::float64;
    value.is_unsigned = constant->kind == Constant::Kind::u64;
    value.value = constant->bits;
    // 0xFF00(name): one byte of its address.
    if (constant->is_integer() && in_.at(Tok::left_paren)) {
      if (value.value == 0) return in_.fail(token.span(), "a mask of 0 takes nothing", kInitializerRule);
      in_.advance();
      value.mask = value.value;
      value.value = 0;
      value.is_unsigned = false;
      if (!read_initializer_symbol(value) || !in_.expect(Tok::right_paren, "of a mask", kInitializerRule)) {
        return false;
      }
    }
  } else if (token.kind == Tok::name) {
    if (!read_initializer_symbol(value)) return false;
  } else {
    return in_.unexpected("a constant or the name of a variable", kInitializerRule);
  }
  out.push_back(value);
  return true;
}

// A value, or nested lists of them. Not recursive: lists are a matter of counting braces.
bool Parser::read_initializer(Variable& variable) {
  std::vector<Initializer>& out = variable.init;
  uint32_t depth = 0;
  for (;;) {
    const Token token = in_.token();
    if (in_.accept(Tok::left_brace)) {
      if (++depth > max_initializer_depth) {
        return in_.fail(
            token.span(),
            "an initialiser of more than " + std::to_string(max_initializer_depth) + " nested lists",
            kInitializerRule);
      }
      out.push_back({.kind = Initializer::Kind::open, .offset = token.begin});
      if (!in_.at(Tok::right_brace)) continue;
    } else if (!read_initializer_value(out)) {
      return false;
    }
    while (depth > 0 && in_.at(Tok::right_brace)) {
      out.push_back({.kind = Initializer::Kind::close, .offset = in_.token().begin});
      in_.advance();
      --depth;
    }
    if (depth == 0) break;
    if (!in_.expect(Tok::comma, "or '}' in an initialiser", kInitializerRule)) return false;
  }
  out.shrink_to_fit();
  return true;
}

// { addr_mode_0 = wrap, normalized_coords = 1 } of texture, sampler and surface references.
bool Parser::read_fields(Variable& variable) {
  constexpr const char* rule = "PTX ISA 5.3 Texture, Sampler and Surface Types";
  if (!in_.expect(Tok::left_brace, "before the fields", rule)) return false;
  if (in_.accept(Tok::right_brace)) return true;
  do {
    const std::optional<Token> name = read_name("the name of a field", rule);
    if (!name || !in_.expect(Tok::equals, "behind the name of a field", rule)) return false;
    std::string value;
    if (in_.at(Tok::name) && in_.text() != "WARP_SZ") {
      value = in_.text();
      in_.advance();
    } else {
      const std::optional<uint64_t> number = read_integer(in_, "a field", UINT64_MAX);
      if (!number) return false;
      value = std::to_string(*number);
    }
    variable.fields.emplace_back(in_.text(*name), std::move(value));
  } while (in_.accept(Tok::comma));
  return in_.expect(Tok::right_brace, "behind the fields", rule);
}

bool Parser::read_parameter(Variable& out) {
  if (!read_specifiers(out, Where::parameter) || !read_name_and_shape(out, Where::parameter)) return false;
  if (out.space != StateSpace::param && out.space != StateSpace::reg) {
    return in_.fail({out.offset, in_.last_end()}, "a parameter is of space .param or .reg", kParameterRule);
  }
  return true;
}

bool Parser::read_parameters(std::vector<Variable>& out) {
  in_.advance();
  if (in_.accept(Tok::right_paren)) return true;
  do {
    Variable parameter;
    if (!read_parameter(parameter)) return false;
    out.push_back(std::move(parameter));
  } while (in_.accept(Tok::comma));
  out.shrink_to_fit();
  return in_.expect(Tok::right_paren, "behind parameters", kParameterRule);
}

}  // namespace heddle::ptx
