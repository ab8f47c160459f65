#include "ptx/lexer.h"

#include <cstring>

#include "ptx/characters.h"

namespace heddle::ptx {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Text out of a host program often carries the NUL that ended it there.
std::string_view without_final_nuls(std::string_view text) {
  while (text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

// Digits, and then a letter that no exponent begins with: .4byte
bool begins_word(const char* at) {
  while (is(*at, char_digit)) ++at;
  return is(*at, char_name_start) && *at != 'e' && *at != 'E';
}

}  // namespace

std::string_view spelling(Tok kind) {
  switch (kind) {
    case Tok::end: return "the end of the file";
    case Tok::error: return "bytes that are no PTX";
    case Tok::name: return "a name";
    case Tok::directive: return "a directive";
    case Tok::integer: return "an integer";
    case Tok::float32:
    case Tok::float64: return "a floating-point number";
    case Tok::string: return "a string";
    case Tok::left_brace: return "'{'";
    case Tok::right_brace: return "'}'";
    case Tok::left_paren: return "'('";
    case Tok::right_paren: return "')'";
    case Tok::left_bracket: return "'['";
    case Tok::right_bracket: return "']'";
    case Tok::comma: return "','";
    case Tok::semicolon: return "';'";
    case Tok::colon: return "':'";
    case Tok::at: return "'@'";
    case Tok::at_at: return "'@@'";
    case Tok::plus: return "'+'";
    case Tok::minus: return "'-'";
    case Tok::star: return "'*'";
    case Tok::slash: return "'/'";
    case Tok::percent: return "'%'";
    case Tok::exclamation: return "'!'";
    case Tok::tilde: return "'~'";
    case Tok::ampersand: return "'&'";
    case Tok::bar: return "'|'";
    case Tok::caret: return "'^'";
    case Tok::question: return "'?'";
    case Tok::equals: return "'='";
    case Tok::less: return "'<'";
    case Tok::greater: return "'>'";
    case Tok::less_less: return "'<<'";
    case Tok::greater_greater: return "'>>'";
    case Tok::less_equal: return "'<='";
    case Tok::greater_equal: return "'>='";
    case Tok::equal_equal: return "'=='";
    case Tok::not_equal: return "'!='";
    case Tok::and_and: return "'&&'";
    case Tok::or_or: return "'||'";
  }
  return "";
}

Lexer::Lexer(const SourceText& source, Diagnostics& diagnostics)
    : base_(source.text().data()), at_(base_), diagnostics_(diagnostics) {
  const std::string_view text = without_final_nuls(source.text());
  end_ = base_ + text.size();
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

void Lexer::error(const char* begin, const char* end, std::string message, std::string rule) {
  if (quiet_) return;
  diagnostics_.error({static_cast<uint32_t>(begin - base_), static_cast<uint32_t>(end - base_)},
                     std::move(message), std::move(rule));
}

Token Lexer::make(Tok kind, const char* begin) const {
  Token token;
  token.kind = kind;
  token.begin = static_cast<uint32_t>(begin - base_);
  token.end = static_cast<uint32_t>(at_ - base_);
  return token;
}

void Lexer::skip_blanks() {
  for (;;) {
    while (is(*at_, char_blank)) ++at_;
    if (*at_ == '/') {
      if (!skip_comment()) return;
    } else if (*at_ == '#') {
      if (!skip_hash_line()) return;
    } else {
      return;
    }
  }
}

bool Lexer::skip_comment() {
  if (at_[1] == '/') {
    const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = newline != nullptr ? static_cast<const char*>(newline) : end_;
    return true;
  }
  if (at_[1] != '*') return false;
  const char* const begin = at_;
  const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
  const std::size_t close = rest.find("*/");
  if (close == rest.npos) {
    error(begin, begin + 2, "this comment is never closed", "PTX ISA 4.2 Comments");
    at_ = end_;
  } else {
    at_ += 2 + close + 2;
  }
  return true;
}

// Lines that begin with '#' are the preprocessor's (PTX ISA 4.1). It ran before us, so that only its marks of
// lines
// (`# 7 "k.cu"`, which SourceText understands) and pragmas may be left.
bool Lexer::skip_hash_line() {
  for (const char* before = at_; before != base_ && before[-1] != '\n'; --before) {
    if (!is(before[-1], char_blank)) return false;
  }
  const char* const begin = at_;
  const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = newline != nullptr ? static_cast<const char*>(newline) : end_;
  const char* word = begin + 1;
  while (word != at_ && is(*word, char_blank)) ++word;
  const std::string_view rest(word, static_cast<std::size_t>(at_ - word));
  if (!rest.empty() && !is(rest[0], char_digit) && !rest.starts_with("line") && !rest.starts_with("pragma")) {
    error(begin, at_, "a preprocessor directive; run the preprocessor before this",
          "PTX ISA 4.1 Source Format");
  }
  return true;
}

Token Lexer::next() {
  skip_blanks();
  const char* const begin = at_;
  const char c = *at_;
  if (is(c, char_name_start)) {
    do ++at_;
    while (is(*at_, char_name));
    if (c == '%' && at_ == begin + 1) return make(Tok::percent, begin);
    if (c == '$' && at_ == begin + 1) {
      error(begin, at_, "'$' alone is no name", "PTX ISA 4.4 Identifiers");
      return make(Tok::error, begin);
    }
    return make(Tok::name, begin);
  }
  if (is(c, char_digit)) return number();
  const auto one = [&](Tok kind) {
    ++at_;
    return make(kind, begin);
  };
  const auto two = [&](char second, Tok kind, Tok otherwise) {
    at_ += at_[1] == second ? 2 : 1;
    return make(at_ == begin + 2 ? kind : otherwise, begin);
  };
  switch (c) {
    case '{': return one(Tok::left_brace);
    case '}': return one(Tok::right_brace);
    case '(': return one(Tok::left_paren);
    case ')': return one(Tok::right_paren);
    case '[': return one(Tok::left_bracket);
    case ']': return one(Tok::right_bracket);
    case ',': return one(Tok::comma);
    case ';': return one(Tok::semicolon);
    case ':': return one(Tok::colon);
    case '+': return one(Tok::plus);
    case '-': return one(Tok::minus);
    case '*': return one(Tok::star);
    case '/': return one(Tok::slash);
    case '~': return one(Tok::tilde);
    case '^': return one(Tok::caret);
    case '?': return one(Tok::question);
    case '@': return two('@', Tok::at_at, Tok::at);
    case '!': return two('=', Tok::not_equal, Tok::exclamation);
    case '&': return two('&', Tok::and_and, Tok::ampersand);
    case '|': return two('|', Tok::or_or, Tok::bar);
    case '=': return two('=', Tok::equal_equal, Tok::equals);
    case '<':
      return at_[1] == '<' ? two('<', Tok::less_less, Tok::less) : two('=', Tok::less_equal, Tok::less);
    case '>':
      return at_[1] == '>' ? two('>', Tok::greater_greater, Tok::greater)
                           : two('=', Tok::greater_equal, Tok::greater);
    case '"': return string();
    case '.':
      if (is(at_[1], char_digit)) return begins_word(at_ + 1) ? directive() : number();
      if (is(at_[1], char_name_start)) return directive();
      break;
    default: break;
  }
  return at_ == end_ ? make(Tok::end, begin) : bad_bytes();
}

Token Lexer::directive() {
  const char* const begin = at_;
  ++at_;
  while (is(*at_, char_word)) ++at_;
  while (at_[0] == ':' && at_[1] == ':' && is(at_[2], char_word)) {
    at_ += 2;
    while (is(*at_, char_word)) ++at_;
  }
  if (at_ == begin + 1) return bad_bytes();  // a dot before '$' or '%'
  return make(Tok::directive, begin);
}

Token Lexer::string() {
  const char* const begin = at_;
  ++at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') ++at_;
  if (at_ == end_ || *at_ != '"') {
    error(begin, at_, "this string is not closed on its line", "PTX ISA 4 Syntax");
    return make(Tok::error, begin);
  }
  Token token = make(Tok::string, begin + 1);
  ++at_;
  return token;
}

Token Lexer::bad_bytes() {
  const char* const begin = at_;
  // One message for the whole run; what may begin a token ends it.
  do ++at_;
  while (at_ != end_ &&
         (static_cast<unsigned char>(*at_) >= 0x80 || static_cast<unsigned char>(*at_) < 0x20) &&
         !is(*at_, char_blank));
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(*begin);
  std::string message = "no PTX token begins with ";
  if (byte > 0x20 && byte < 0x7f) {
    message += std::string("'") + *begin + "'";
  } else {
    message += std::string("the byte 0x") + hex[byte >> 4] + hex[byte & 15];
  }
  error(begin, at_, std::move(message), "PTX ISA 4.1 Source Format");
  return make(Tok::error, begin);
}

std::string_view Lexer::mnemonic(Token& token) {
  const char* const begin = base_ + token.begin;
  at_ = base_ + token.end;
  const auto words = [&] {
    while (*at_ == '.' && is(at_[1], char_word)) {
      const char* const word = at_;
      at_ += 2;
      for (;;) {
        while (is(*at_, char_word)) ++at_;
        if (at_[0] != ':' || at_[1] != ':' || !is(at_[2], char_word)) break;
        at_ += 2;
      }
      if (*at_ == '[' && std::string_view(word, static_cast<std::size_t>(at_ - word)) == ".const")
        skip_bank();
    }
  };
  words();
  token.end = offset();
  std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
  if (!is(*at_, char_blank) && *at_ != '/') return text;
  // `add .u32` is one mnemonic too; `.5` begins an operand.
  bool copied = false;
  while (peek() == '.' && is(at_[1], char_word) && !is(at_[1], char_digit)) {
    if (!copied) joined_ = text;
    copied = true;
    const char* const more = at_;
    words();
    joined_.append(more, at_);
    token.end = offset();
  }
  return copied ? std::string_view(joined_) : text;
}

// ld.const[3].u32: the bank belongs to the word (PTX ISA 5.1.3.1, before PTX 2.2).
void Lexer::skip_bank() {
  const char* end = at_ + 1;
  while (is(*end, char_digit)) ++end;
  if (end != at_ + 1 && end[0] == ']' && end[1] == '.') at_ = end + 1;
}

void Lexer::section_name(Token& token) {
  at_ = base_ + token.begin + 1;
  while (is(*at_, char_name) || *at_ == '.') ++at_;
  token.end = offset();
}

}  // namespace heddle::ptx
