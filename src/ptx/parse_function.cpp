// Kernels and functions up to their bodies (PTX ISA 11.2 to 11.4).
#include <algorithm>

#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/quote.h"
#include "support/spelling.h"

namespace heddle::ptx {

namespace {

constexpr const char* kEntryRule = "PTX ISA 11.2.1 .entry";
constexpr const char* kFuncRule = "PTX ISA 11.2.2 .func";
constexpr const char* kPerformanceRule = "PTX ISA 11.4 Performance-Tuning Directives";

void note_variadic(Prototype& prototype) {
  const std::vector<Variable>& params = prototype.params;
  prototype.variadic = !params.empty() && params.back().dims.size() == 1 && params.back().dims[0] == 0;
}

}  // namespace

// .noreturn, .abi_preserve n, .abi_preserve_control n
bool Parser::read_prototype_directive(isa::Directive what, Prototype& prototype) {
  in_.advance();
  if (what == isa::Directive::noreturn) {
    prototype.noreturn = true;
    return true;
  }
  uint64_t count = 0;
  if (!read_plain_integer(count, "a number of registers", UINT32_MAX)) return false;
  (what == isa::Directive::abi_preserve ? prototype.abi_preserve : prototype.abi_preserve_control) =
      static_cast<uint32_t>(count);
  return true;
}

// A directive and its numbers: .maxntid 16, 16
bool Parser::read_performance(isa::Directive what, Function& function) {
  const Token token = in_.token();
  const isa::DirectiveInfo& info = isa::info(what);
  PerformanceDirective directive{what, {}};
  in_.advance();
  for (unsigned i = 0; i < info.max_values; ++i) {
    if (i != 0 && !in_.at(Tok::comma)) break;
    if (i != 0) in_.advance();
    const std::optional<uint64_t> value = read_integer(in_, "a value of this directive", UINT32_MAX);
    if (!value) return false;
    directive.values.push_back(*value);
  }
  if (in_.at(Tok::comma) || directive.values.size() < info.min_values) {
    return in_.fail(token.span(),
                    quoted(in_.text(token)) + " takes at most " + std::to_string(info.max_values) + " values",
                    kPerformanceRule);
  }
  function.directives.push_back(std::move(directive));
  return true;
}

// What stands between parameters and body.
bool Parser::read_function_directives(Function& function) {
  while (in_.at(Tok::directive)) {
    const isa::Directive what = directive();
    const uint16_t places = what == isa::Directive::none ? uint16_t{0} : isa::info(what).places;
    const uint16_t here = function.entry ? isa::place_entry : isa::place_func;
    if ((places & here) == 0) {
      // A declaration may end without a ';', and then the next thing begins.
      if ((places & (isa::place_module | isa::place_linkage | isa::place_space)) != 0) return true;
      NearestWord nearest(in_.text().substr(1));
      for (std::size_t i = 1; i < isa::directive_count; ++i) {
        const isa::DirectiveInfo& info = isa::info(static_cast<isa::Directive>(i));
        if ((info.places & here) != 0) nearest.consider(info.name);
      }
      std::string message = quoted(in_.text()) + " may not stand between the parameters and the body of ";
      message += function.entry ? "a kernel" : "a function";
      if (places == 0 && !nearest.best().empty())
        message += "; did you mean '." + std::string(nearest.best()) + "'?";
      return in_.fail(in_.token().span(), std::move(message), kPerformanceRule);
    }
    bool good = false;
    if (what == isa::Directive::pragma) {
      good = read_pragma(function.pragmas);
    } else if (what == isa::Directive::attribute) {
      Attributes attributes;
      good = read_attributes(attributes);
      function.unified = attributes.unified;
    } else if ((places & isa::place_prototype) != 0) {
      good = read_prototype_directive(what, function.signature);
    } else {
      good = read_performance(what, function);
    }
    if (!good) return false;
  }
  return true;
}

bool Parser::read_function(Linkage linkage, bool entry) {
  const char* const rule = entry ? kEntryRule : kFuncRule;
  Function function;
  function.linkage = linkage;
  function.entry = entry;
  if (linkage == Linkage::common) {
    return in_.fail(in_.token().span(), ".common is for variables in .global", "PTX ISA 11.6.5 .common");
  }
  in_.advance();
  if (in_.at_directive(".attribute")) {
    Attributes attributes;
    if (!read_attributes(attributes)) return false;
    function.unified = attributes.unified;
  }
  if (!entry && in_.at(Tok::left_paren) && !read_parameters(function.signature.results)) return false;
  const std::optional<Token> name =
      read_name(entry ? "the name of a kernel" : "the name of a function", rule);
  if (!name) return false;
  function.name = intern(*name);
  function.offset = name->begin;
  if (in_.at(Tok::left_paren) && !read_parameters(function.signature.params)) return false;
  note_variadic(function.signature);
  if (!read_function_directives(function)) return false;
  const bool in_body = inside_body_;
  if (in_.at(Tok::left_brace)) {
    if (in_body)
      return in_.fail(in_.token().span(), "a function inside of a function may only be declared", rule);
    function.has_body = true;
    inside_body_ = true;
    read_body(function);
    inside_body_ = false;
  } else if (!in_.accept(Tok::semicolon) && !in_.at(Tok::directive) && !in_.at(Tok::end)) {
    return in_.unexpected("'{' or ';' behind the header of a function", rule);
  }
  add(TopLevel::Kind::function, module_.functions.size());
  module_.functions.push_back(std::move(function));
  return true;
}

// name: .callprototype (results) _ (parameters) .noreturn;
bool Parser::read_call_prototype(Function& function, const Token& label) {
  constexpr const char* rule = "PTX ISA 11.3.3 .callprototype";
  Prototype prototype;
  in_.advance();
  if (in_.at(Tok::left_paren) && !read_parameters(prototype.results)) return false;
  if (!in_.at(Tok::name) || in_.text() != "_") return in_.unexpected("'_' for the function", rule);
  in_.advance();
  if (in_.at(Tok::left_paren) && !read_parameters(prototype.params)) return false;
  note_variadic(prototype);
  while (in_.at(Tok::directive)) {
    const isa::Directive what = directive();
    if (what == isa::Directive::none || (isa::info(what).places & isa::place_prototype) == 0) {
      return in_.unexpected("';' behind .callprototype", rule);
    }
    if (!read_prototype_directive(what, prototype)) return false;
  }
  if (!in_.expect(Tok::semicolon, "behind .callprototype", rule)) return false;
  Statement statement{.kind = StatementKind::call_prototype};
  statement.name = intern(label);
  statement.offset = label.begin;
  statement.index = static_cast<uint32_t>(function.prototypes.size());
  function.prototypes.push_back(std::move(prototype));
  statements_.push_back(statement);
  return true;
}

}  // namespace heddle::ptx
