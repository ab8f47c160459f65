// One token of lookahead over the lexer, and the ways a parser complains.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ptx/lexer.h"

namespace heddle::ptx {

class Reader {
 public:
  Reader(const SourceText& source, Diagnostics& diagnostics)
      : lexer_(source, diagnostics), diagnostics_(diagnostics) {
    advance();
  }

  const Token& token() const { return token_; }
  std::string_view text() const { return lexer_.text(token_); }
  std::string_view text(const Token& token) const { return lexer_.text(token); }
  bool at(Tok kind) const { return token_.kind == kind; }
  bool at_directive(std::string_view with_dot) const { return at(Tok::directive) && text() == with_dot; }
  uint32_t last_end() const { return last_end_; }  // of the token before

  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool accept(Tok kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  bool accept_directive(std::string_view with_dot) {
    if (!at_directive(with_dot)) return false;
    advance();
    return true;
  }
  // Complains "expected ';' after <what>" when something else stands there.
  bool expect(Tok kind, std::string_view what, std::string_view rule = {});
  // "expected <what>, found <the token>"; false, so that a parser can return it. Bytes that the lexer
  // complained about are not complained about again.
  bool unexpected(std::string_view what, std::string_view rule = {});
  bool fail(SourceSpan span, std::string message, std::string_view rule = {});
  Diagnostics& diagnostics() { return diagnostics_; }

  // For the few places where the text is not read token by token. The token at hand is dropped or changed.
  Lexer& lexer() { return lexer_; }
  Token& raw_token() { return token_; }
  void restart(uint32_t offset) {
    lexer_.reset(offset);
    token_ = lexer_.next();
  }

 private:
  Lexer lexer_;
  Diagnostics& diagnostics_;
  Token token_;
  uint32_t last_end_ = 0;
};

}  // namespace heddle::ptx
