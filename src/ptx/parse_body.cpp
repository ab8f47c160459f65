// Bodies: statements one after the other; blocks are braces among them (PTX ISA 4.3, 9.1).
#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/quote.h"

namespace heddle::ptx {

namespace {

constexpr const char* kStatementRule = "PTX ISA 4.3 Statements";
constexpr const char* kInstructionRule = "PTX ISA 9.1 Format and Semantics of Instruction Descriptions";

}  // namespace

// From the '{' to its '}'. False when the file ends before.
bool Parser::read_body(Function& function) {
  const Token open = in_.token();
  in_.advance();
  statements_.clear();
  operands_.clear();
  std::vector<uint32_t> blocks;  // places of the '{' that are open
  bool complained_depth = false;
  while (!diagnostics_.full()) {
    const Token token = in_.token();
    switch (token.kind) {
      case Tok::left_brace:
        if (blocks.size() == max_block_depth && !complained_depth) {
          in_.fail(token.span(), "more than " + std::to_string(max_block_depth) + " nested blocks",
                   kStatementRule);
          complained_depth = true;
        }
        blocks.push_back(token.begin);
        if (blocks.size() <= max_block_depth) {
          statements_.push_back({.kind = StatementKind::open, .offset = token.begin});
        }
        in_.advance();
        continue;
      case Tok::right_brace:
        in_.advance();
        if (blocks.empty()) {
          finish_body(function);
          return true;
        }
        if (blocks.size() <= max_block_depth) {
          statements_.push_back({.kind = StatementKind::close, .offset = token.begin});
        }
        blocks.pop_back();
        continue;
      case Tok::end: {
        const uint32_t at = blocks.empty() ? open.begin : blocks.back();
        Diagnostic& error =
            diagnostics_.error(token.span(), "the file ends inside of a body", kStatementRule);
        Diagnostics::note(error, {at, at + 1}, "this '{' is never closed");
        finish_body(function);
        return false;
      }
      default: break;
    }
    statement_begin_ = token.begin;
    first_operand_ = operands_.size();
    const std::size_t statements = statements_.size();
    if (!read_statement(function)) {
      statements_.resize(statements);
      operands_.resize(first_operand_);
      skip_statement(token.begin);
    }
  }
  finish_body(function);
  return false;
}

void Parser::finish_body(Function& function) {
  function.body.assign(statements_.begin(), statements_.end());
  function.operands.assign(operands_.begin(), operands_.end());
  function.declarations.shrink_to_fit();
  function.locations.shrink_to_fit();
}

// Skips behind the ';' that ends the statement, or to the '}' that ends its block.
void Parser::skip_statement(uint32_t begin) {
  in_.lexer().set_quiet(true);
  const uint32_t stuck = in_.token().begin;
  bool function = false;
  std::size_t depth = open_braces(begin, function);
  while (!in_.at(Tok::end)) {
    if (in_.at(Tok::left_brace)) {
      if (depth == 0 && in_.token().begin == stuck && begin != stuck)
        break;  // a block where none was expected
      ++depth;
    }
    if (in_.at(Tok::right_brace)) {
      if (depth == 0) break;
      --depth;
    }
    const bool done = in_.at(Tok::semicolon);
    // A statement without its ';' is over where a directive begins a line.
    const isa::Directive what = directive();
    if (what != isa::Directive::none && depth == 0 && in_.token().begin != begin &&
        (isa::info(what).places & (isa::place_body | isa::place_space)) != 0 &&
        begins_line(in_.token().begin)) {
      break;
    }
    in_.advance();
    if (done) break;
  }
  in_.lexer().set_quiet(false);
}

bool Parser::begins_line(uint32_t offset) const {
  const std::string_view text = source_->text();
  while (offset > 0 && (text[offset - 1] == ' ' || text[offset - 1] == '\t')) --offset;
  return offset == 0 || text[offset - 1] == '\n';
}

bool Parser::read_statement(Function& function) {
  switch (in_.token().kind) {
    case Tok::name: return read_named(function);
    case Tok::directive: return read_body_directive(function);
    case Tok::at: {
      in_.advance();
      const bool negated = in_.accept(Tok::exclamation);
      if (!in_.at(Tok::name))
        return in_.unexpected("a predicate behind '@'", "PTX ISA 9.3 Predicated Execution");
      const Token guard = in_.token();
      in_.advance();
      if (!in_.at(Tok::name)) {
        return in_.unexpected("an instruction behind a predicate", "PTX ISA 9.3 Predicated Execution");
      }
      return read_instruction(intern(guard), negated);
    }
    case Tok::semicolon: return in_.fail(in_.token().span(), "a ';' that ends no statement", kStatementRule);
    default: return in_.unexpected("an instruction, a label or a directive", kStatementRule);
  }
}

// A label, or an instruction.
bool Parser::read_named(Function& function) {
  const Token name = in_.token();
  // `name:` but not `name::`, which nothing is.
  Lexer& lexer = in_.lexer();
  if (lexer.peek() != ':') return read_instruction(no_name, false);
  in_.advance();
  in_.advance();
  switch (directive()) {
    case isa::Directive::branchtargets: return read_target_list(StatementKind::branch_targets, name);
    case isa::Directive::calltargets: return read_target_list(StatementKind::call_targets, name);
    case isa::Directive::callprototype: return read_call_prototype(function, name);
    default: break;
  }
  Statement statement{.kind = StatementKind::label};
  statement.name = intern(name);
  statement.offset = name.begin;
  statements_.push_back(statement);
  return true;
}

// name: .branchtargets a, b;
bool Parser::read_target_list(StatementKind kind, const Token& label) {
  constexpr const char* rule = "PTX ISA 11.3 Control Flow Directives";
  in_.advance();
  Statement statement{.kind = kind};
  statement.name = intern(label);
  statement.offset = label.begin;
  statement.index = static_cast<uint32_t>(operands_.size());
  do {
    const std::optional<Token> target = read_name("the name of a target", rule);
    if (!target) return false;
    Operand operand;
    operand.name = intern(*target);
    operand.offset = target->begin;
    if (!push(operand)) return false;
  } while (in_.accept(Tok::comma));
  statement.operand_count = static_cast<uint16_t>(operands_.size() - statement.index);
  statements_.push_back(statement);
  return in_.expect(Tok::semicolon, "behind a list of targets", rule);
}

bool Parser::read_body_directive(Function& function) {
  const uint32_t offset = in_.token().begin;
  const auto declare = [&] {
    const auto first = static_cast<uint32_t>(function.declarations.size());
    const bool good = read_declaration(Linkage::none, Where::body, function.declarations);
    if (!good) {
      function.declarations.resize(first);
      return false;
    }
    for (uint32_t i = first; i < function.declarations.size(); ++i) {
      statements_.push_back({.kind = StatementKind::declaration, .index = i, .offset = offset});
    }
    return true;
  };
  const isa::Directive what = directive();
  switch (what) {
    case isa::Directive::reg:
    case isa::Directive::sreg:
    case isa::Directive::const_:
    case isa::Directive::global:
    case isa::Directive::local:
    case isa::Directive::param:
    case isa::Directive::shared:
    case isa::Directive::tex:
    case isa::Directive::align:
    case isa::Directive::attribute: return declare();
    case isa::Directive::func: return read_function(Linkage::none, false);
    case isa::Directive::extern_:
    case isa::Directive::visible:
    case isa::Directive::weak: {
      in_.advance();
      const Linkage linkage = what == isa::Directive::extern_   ? Linkage::extern_
                              : what == isa::Directive::visible ? Linkage::visible
                                                                : Linkage::weak;
      if (in_.at_directive(".func")) return read_function(linkage, false);
      return in_.unexpected(".func; variables of a body have no linkage", "PTX ISA 11.6 Linking Directives");
    }
    case isa::Directive::loc: return read_location(function);
    case isa::Directive::pragma: {
      std::vector<uint32_t> strings;
      if (!read_pragma(strings)) return false;
      for (const uint32_t index : strings) {
        statements_.push_back({.kind = StatementKind::pragma, .index = index, .offset = offset});
      }
      return true;
    }
    case isa::Directive::branchtargets:
    case isa::Directive::calltargets:
    case isa::Directive::callprototype:
      return in_.fail(in_.token().span(), quoted(in_.text()) + " needs a label before it",
                      "PTX ISA 11.3 Control Flow Directives");
    default: break;
  }
  return in_.fail(in_.token().span(), quoted(in_.text()) + " may not stand in a body", kStatementRule);
}

// The mnemonic is at hand; what follows are operands up to the ';'.
bool Parser::read_instruction(NameId guard, bool guard_negated) {
  Token token = in_.token();
  const std::string_view text = in_.lexer().mnemonic(token);
  const bool stable = text.data() == source_->text().data() + token.begin;
  in_.advance();
  const std::optional<uint32_t> mnemonic = mnemonics_.find(text, stable, token.span());
  if (!mnemonic) return false;
  Statement statement{.kind = StatementKind::instruction};
  statement.guard_negated = guard_negated;
  statement.mnemonic = *mnemonic;
  statement.index = static_cast<uint32_t>(operands_.size());
  statement.name = guard;
  statement.offset = token.begin;
  if (!in_.at(Tok::semicolon)) {
    const bool lists = mnemonics_.takes_lists(*mnemonic);
    for (;;) {
      const std::size_t first = operands_.size();
      if (!read_operand(lists)) return false;
      if (in_.accept(Tok::comma)) continue;
      if (!in_.at(Tok::bar)) break;
      in_.advance();
      operands_[first].piped = true;
    }
    if (!in_.at(Tok::semicolon))
      return in_.expect(Tok::semicolon, "or ',' behind an operand", kInstructionRule);
  }
  const std::span<const Operand> operands = std::span(operands_).subspan(statement.index);
  statement.operand_count = static_cast<uint16_t>(operands.size());
  statement.candidate = mnemonics_.choose(*mnemonic, operands, {token.begin, in_.token().begin});
  in_.advance();
  if (statement.candidate == Statement::no_candidate) {
    operands_.resize(statement.index);
    return true;  // all of it has been read
  }
  statements_.push_back(statement);
  return true;
}

}  // namespace heddle::ptx
