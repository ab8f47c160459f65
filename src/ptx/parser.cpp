// Module level: the header, what may stand beside functions, and where reading goes on after an error.
#include "ptx/parser.h"

#include <charconv>

#include "ptx/address_size.h"
#include "ptx/constant.h"
#include "ptx/parse.h"
#include "ptx/quote.h"
#include "support/spelling.h"

namespace heddle::ptx {

namespace {

constexpr const char* kModuleRule = "PTX ISA 11.1 PTX Module Directives";

Linkage linkage_of(isa::Directive directive) {
  switch (directive) {
    case isa::Directive::extern_: return Linkage::extern_;
    case isa::Directive::visible: return Linkage::visible;
    case isa::Directive::weak: return Linkage::weak;
    case isa::Directive::common: return Linkage::common;
    default: return Linkage::none;
  }
}

Module empty_module(std::shared_ptr<const SourceText> source) {
  Module module;
  module.source = std::move(source);
  module.names = std::make_shared<Interner>();
  return module;
}

}  // namespace

Parser::Parser(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics)
    : source_(std::move(source)),
      module_(empty_module(source_)),
      names_(*module_.names),
      diagnostics_(diagnostics),
      in_(*source_, diagnostics),
      mnemonics_(module_.mnemonics, diagnostics) {}

Module Parser::run() {
  read_header();
  while (!in_.at(Tok::end) && !diagnostics_.full()) {
    statement_begin_ = in_.token().begin;
    if (!read_top_level()) skip_top_level();
  }
  module_.order.shrink_to_fit();
  if (!module_.has_address_size && module_.version < isa::Version{2, 3})
    module_.address_bits = inferred_address_bits(module_);
  return std::move(module_);
}

isa::Directive Parser::directive() const {
  return in_.at(Tok::directive) ? isa::find_directive(in_.text().substr(1)) : isa::Directive::none;
}

void Parser::add(TopLevel::Kind kind, std::size_t index) {
  module_.order.push_back({kind, static_cast<uint32_t>(index)});
}

std::optional<Token> Parser::read_name(std::string_view what, std::string_view rule) {
  if (!in_.at(Tok::name)) {
    in_.unexpected(what, rule);
    return {};
  }
  if (in_.text() == "WARP_SZ") {
    in_.fail(in_.token().span(), "WARP_SZ is a constant, it names nothing else", "PTX ISA 4.4 Identifiers");
    return {};
  }
  const Token name = in_.token();
  in_.advance();
  return name;
}

// .version, .target and .address_size, in this order, once.
void Parser::read_header() {
  bool complained = false;
  if (!in_.at_directive(".version")) {
    complained = !in_.unexpected(".version at the beginning of the module", "PTX ISA 11.1.1 .version");
    module_.version = isa::versions().back();
  } else if (!read_version()) {
    module_.version = isa::versions().back();
  }
  if (in_.at_directive(".target")) {
    read_target();
  } else if (!complained) {
    in_.unexpected(".target behind .version", "PTX ISA 11.1.2 .target");
  }
  if (in_.at_directive(".address_size")) read_address_size();
}

bool Parser::read_version() {
  in_.advance();
  const Token token = in_.token();
  const std::string_view text = in_.text();
  isa::Version version;
  const std::size_t dot = text.find('.');
  const auto number = [](std::string_view digits, uint8_t& out) {
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, out);
    return read.ec == std::errc() && read.ptr == end;
  };
  if (!in_.at(Tok::float64) || dot == text.npos) {
    return in_.unexpected("a version as 8.0", "PTX ISA 11.1.1 .version");
  }
  in_.advance();
  if (!number(text.substr(0, dot), version.major) || !number(text.substr(dot + 1), version.minor)) {
    return in_.fail(token.span(), quoted(text) + " is no version", "PTX ISA 11.1.1 .version");
  }
  for (const isa::Version known : isa::versions()) {
    if (known == version) {
      module_.version = version;
      return true;
    }
  }
  const isa::Version newest = isa::versions().back();
  module_.is_newer = version > newest;
  return in_.fail(token.span(),
                  "PTX version " + std::string(text) + " is not known; the newest is " +
                      std::to_string(newest.major) + '.' + std::to_string(newest.minor),
                  "PTX ISA 11.1.1 .version");
}

bool Parser::read_target() {
  constexpr const char* rule = "PTX ISA 11.1.2 .target";
  in_.advance();
  bool good = true;
  do {
    const std::optional<Token> name = read_name("a target as sm_80, or an option of one", rule);
    if (!name) return false;
    const std::string_view text = in_.text(*name);
    const isa::TargetInfo* target = isa::find_target(text);
    if (target == nullptr && text.starts_with("sm_")) {
      NearestWord nearest(text);
      for (const isa::TargetInfo& known : isa::targets()) nearest.consider(known.name);
      std::string message = "unknown target " + quoted(text);
      if (!nearest.best().empty()) message += "; did you mean " + quoted(nearest.best()) + "?";
      good = in_.fail(name->span(), std::move(message), rule);
    } else if (target == nullptr) {
      module_.target_options.emplace_back(text);
    } else if (module_.target != nullptr) {
      good = in_.fail(name->span(), "a second target; a module is of one", rule);
    } else {
      module_.target = target;
    }
  } while (in_.accept(Tok::comma));
  if (good && module_.target == nullptr) {
    good = in_.fail({in_.last_end(), in_.last_end()}, ".target names no target as sm_80", rule);
  }
  return good;
}

bool Parser::read_address_size() {
  constexpr const char* rule = "PTX ISA 11.1.3 .address_size";
  in_.advance();
  const Token token = in_.token();
  uint64_t bits = 0;
  if (!read_plain_integer(bits, "an address size", 64)) return false;
  if (bits != 32 && bits != 64) {
    return in_.fail(token.span(), "an address size is 32 or 64, not " + std::to_string(bits), rule);
  }
  module_.address_bits = static_cast<unsigned>(bits);
  module_.has_address_size = true;
  return true;
}

bool Parser::read_top_level() {
  if (in_.at(Tok::at_at)) return read_old_debug();
  if (!in_.at(Tok::directive)) return in_.unexpected("a directive", kModuleRule);
  const isa::Directive what = directive();
  switch (what) {
    case isa::Directive::extern_:
    case isa::Directive::visible:
    case isa::Directive::weak:
    case isa::Directive::common: in_.advance(); return read_linked(linkage_of(what));
    case isa::Directive::file: return read_file();
    case isa::Directive::section: return read_section();
    case isa::Directive::alias: return read_alias();
    case isa::Directive::pragma: {
      std::vector<uint32_t> strings;
      if (!read_pragma(strings)) return false;
      for (const uint32_t index : strings) add(TopLevel::Kind::pragma, index);
      return true;
    }
    case isa::Directive::version:
    case isa::Directive::target:
    case isa::Directive::address_size:
      return in_.fail(in_.token().span(), quoted(in_.text()) + " stands once, at the beginning of a module",
                      kModuleRule);
    default: return read_linked(Linkage::none);
  }
}

// What may follow .visible and its like: a kernel, a function, a variable.
bool Parser::read_linked(Linkage linkage) {
  switch (directive()) {
    case isa::Directive::entry: return read_function(linkage, true);
    case isa::Directive::func: return read_function(linkage, false);
    case isa::Directive::const_:
    case isa::Directive::global:
    case isa::Directive::local:
    case isa::Directive::param:
    case isa::Directive::reg:
    case isa::Directive::shared:
    case isa::Directive::sreg:
    case isa::Directive::tex:
    case isa::Directive::align:
    case isa::Directive::attribute: {
      const std::size_t first = module_.variables.size();
      const bool good = read_declaration(linkage, Where::module, module_.variables);
      for (std::size_t i = first; i < module_.variables.size(); ++i) add(TopLevel::Kind::variable, i);
      return good;
    }
    default: break;
  }
  if (!in_.at(Tok::directive)) return in_.unexpected(".entry, .func or a state space", kModuleRule);
  if (directive() != isa::Directive::none) {
    return in_.fail(in_.token().span(), quoted(in_.text()) + " may not stand at module level here",
                    kModuleRule);
  }
  NearestWord nearest(in_.text().substr(1));
  for (std::size_t i = 1; i < isa::directive_count; ++i) {
    const isa::DirectiveInfo& info = isa::info(static_cast<isa::Directive>(i));
    if ((info.places & (isa::place_module | isa::place_linkage | isa::place_space)) != 0)
      nearest.consider(info.name);
  }
  std::string message = "unknown directive " + quoted(in_.text());
  if (!nearest.best().empty()) message += "; did you mean '." + std::string(nearest.best()) + "'?";
  return in_.fail(in_.token().span(), std::move(message), kModuleRule);
}

bool Parser::read_alias() {
  constexpr const char* rule = "PTX ISA 11.5.6 .alias";
  Alias alias;
  alias.offset = in_.token().begin;
  in_.advance();
  const std::optional<Token> name = read_name("the name of a function", rule);
  if (!name || !in_.expect(Tok::comma, "between the names of .alias", rule)) return false;
  const std::optional<Token> aliasee = read_name("the name of the function that it stands for", rule);
  if (!aliasee) return false;
  alias.name = intern(*name);
  alias.aliasee = intern(*aliasee);
  add(TopLevel::Kind::alias, module_.aliases.size());
  module_.aliases.push_back(alias);
  return in_.expect(Tok::semicolon, "behind .alias", rule);
}

bool Parser::read_pragma(std::vector<uint32_t>& out) {
  constexpr const char* rule = "PTX ISA 11.4.8 .pragma";
  in_.advance();
  do {
    if (!in_.at(Tok::string)) return in_.unexpected("a string", rule);
    out.push_back(static_cast<uint32_t>(module_.strings.size()));
    module_.strings.emplace_back(in_.text());
    in_.advance();
  } while (in_.accept(Tok::comma));
  return in_.expect(Tok::semicolon, "behind .pragma", rule);
}

// The braces that are open at the token at hand, counted from where the statement began.
std::size_t Parser::open_braces(uint32_t begin, bool& function) {
  const uint32_t end = in_.token().begin;
  in_.restart(begin);
  std::size_t depth = 0;
  while (in_.token().begin < end && !in_.at(Tok::end)) {
    if (in_.at(Tok::left_brace)) ++depth;
    if (in_.at(Tok::right_brace) && depth > 0) --depth;
    function = function || in_.at_directive(".entry") || in_.at_directive(".func");
    in_.advance();
  }
  return depth;
}

// Skips to what begins something new: behind a ';' or a '}' that closes what was opened since the statement
// began, or before a directive of the module level.
void Parser::skip_top_level() {
  in_.lexer().set_quiet(true);
  bool in_function = false;
  std::size_t depth = open_braces(statement_begin_, in_function);
  for (bool done = false; !done && !in_.at(Tok::end);) {
    switch (in_.token().kind) {
      case Tok::left_brace: ++depth; break;
      case Tok::right_brace:
        done = depth <= 1;
        if (!done) --depth;
        break;
      case Tok::semicolon: done = depth == 0 || !in_function; break;
      case Tok::directive: {
        const isa::Directive what = directive();
        const bool linkage =
            what != isa::Directive::none && (isa::info(what).places & isa::place_linkage) != 0;
        const bool function = what == isa::Directive::entry || what == isa::Directive::func;
        in_function = in_function || function;
        // Kernels and linkage stand in no body, so a brace is missing before them.
        done = (linkage || what == isa::Directive::entry || (function && depth == 0)) &&
               in_.token().begin != statement_begin_;
        if (done) {
          in_.lexer().set_quiet(false);
          return;
        }
        break;
      }
      default: break;
    }
    const bool brace = in_.at(Tok::right_brace);
    in_.advance();
    if (done && brace) in_.accept(Tok::semicolon);
  }
  in_.lexer().set_quiet(false);
}

Module parse(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics) {
  if (source->text().size() >= UINT32_MAX - 1) {
    diagnostics.error({}, "this file is of " + std::to_string(source->text().size()) +
                              " bytes; places in PTX are kept in 32 bits");
    source = std::make_shared<const SourceText>(source->name(), "");
    return empty_module(std::move(source));
  }
  return Parser(std::move(source), diagnostics).run();
}

}  // namespace heddle::ptx
