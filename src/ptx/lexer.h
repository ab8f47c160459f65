// PTX text as tokens (PTX ISA 4). Names stay views into the source. Instruction mnemonics are not tokens: the
// parser asks for one where a statement begins, because `add.f16x2` and `1d` follow no other rule of the
// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/diagnostic.h"
#include "support/source.h"

namespace heddle::ptx {

enum class Tok : uint8_t {
  end,
  error,      // bytes that are no token; already reported
  name,       // %r1, $L, foo, _; WARP_SZ too
  directive,  // .reg, .v4, .shared::cta: the text includes the dot
  integer,    // value; is_unsigned
  float32,    // value: its 32 bits
  float64,    // value: its 64 bits
  string,     // the text is without its quotes; there are no escapes
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  comma,
  semicolon,
  colon,
  at,
  at_at,  // @@ of @@DWARF
  plus,
  minus,
  star,
  slash,
  percent,
  exclamation,
  tilde,
  ampersand,
  bar,
  caret,
  question,
  equals,
  less,
  greater,
  less_less,
  greater_greater,
  less_equal,
  greater_equal,
  equal_equal,
  not_equal,
  and_and,
  or_or,
};
std::string_view spelling(Tok);  // "';'", "a name"

struct Token {
  Tok kind = Tok::end;
  bool is_unsigned = false;
  uint32_t begin = 0, end = 0;  // place in the source
  uint64_t value = 0;
  SourceSpan span() const { return {begin, end}; }
};

class Lexer {
 public:
  // The source is of less than 4 GiB and outlives the lexer.
  Lexer(const SourceText& source, Diagnostics& diagnostics);

  Token next();
  // `token` was a name and begins a statement: reads on over `.word` modifiers, blanks and comments between
  // them too. The text is canonical, without the blanks; it lives in the source, or until the next call. The
  // token grows to cover it.
  std::string_view mnemonic(Token& token);
  // A name of a section: a dot and anything up to a blank, comma or brace. Given the directive that begins
  // it.
  void section_name(Token& token);

  std::string_view text(const Token& token) const { return {base_ + token.begin, token.end - token.begin}; }
  void reset(uint32_t offset) { at_ = base_ + offset; }
  void set_quiet(bool quiet) { quiet_ = quiet; }  // no complaints: text is skipped
  uint32_t offset() const { return static_cast<uint32_t>(at_ - base_); }
  // The next byte after blanks and comments, without taking it.
  char peek() {
    skip_blanks();
    return *at_;
  }

 private:
  void skip_blanks();
  bool skip_comment();
  void skip_bank();
  bool skip_hash_line();
  Token number();
  Token hex_float(char letter);
  Token decimal_float(const char* begin);
  Token string();
  Token directive();
  Token bad_bytes();
  Token make(Tok kind, const char* begin) const;
  void error(const char* begin, const char* end, std::string message, std::string rule);

  const char* base_;
  const char* at_;
  const char* end_;  // a NUL that is no part of the text
  Diagnostics& diagnostics_;
  bool quiet_ = false;
  std::string joined_;  // a mnemonic that had blanks inside
};

}  // namespace heddle::ptx
