#include "frontend/launch_brackets.h"

#include <vector>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

namespace heddle::frontend {

namespace {

namespace tok = clang::tok;

struct Piece {
  tok::TokenKind kind;
  std::size_t begin, end;
};

std::vector<Piece> pieces_of(const std::string& source) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus17 = language.CUDA = language.LineComment =
      true;
  language.RawStringLiterals = true;
  clang::Lexer lexer(clang::SourceLocation(), language, source.c_str(), source.c_str(),
                     source.c_str() + source.size());
  std::vector<Piece> pieces;
  clang::Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof); lexer.LexFromRawLexer(token)) {
    const std::size_t end = lexer.getCurrentBufferOffset();
    pieces.push_back({token.getKind(), end - token.getLength(), end});
  }
  return pieces;
}

class Mender {
 public:
  explicit Mender(std::string_view source) : text_(source), pieces_(pieces_of(text_)) {}

  std::optional<std::string> run() {
    for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
      const bool whole = pieces_[i].kind == tok::lesslessless;
      if (!whole && !(apart(i, tok::lessless, tok::less) && follows_kernel(i))) continue;
      const std::size_t close = closing(i + (whole ? 1 : 2));
      if (close == 0) continue;
      if (!whole) join(i, '<');
      if (pieces_[close].kind == tok::greatergreater) join(close, '>');
    }
    if (!changed_) return std::nullopt;
    return std::move(text_);
  }

 private:
  // Two pieces with nothing but blanks of one line between them.
  bool apart(std::size_t i, tok::TokenKind first, tok::TokenKind second) const {
    if (i + 1 >= pieces_.size() || pieces_[i].kind != first || pieces_[i + 1].kind != second) return false;
    for (std::size_t at = pieces_[i].end; at < pieces_[i + 1].begin; ++at)
      if (text_[at] != ' ' && text_[at] != '\t') return false;
    return true;
  }
  // operator<< <T> is a function's name.
  bool follows_kernel(std::size_t i) const {
    const Piece& before = pieces_[i - 1];
    if (before.kind == tok::raw_identifier)
      return std::string_view(text_).substr(before.begin, before.end - before.begin) != "operator";
    return before.kind == tok::greater || before.kind == tok::r_paren || before.kind == tok::r_square;
  }
  // Where the brackets close that are open before piece `i`; 0: nowhere.
  std::size_t closing(std::size_t i) const {
    int depth = 0;
    for (; i + 1 < pieces_.size(); ++i) {
      switch (pieces_[i].kind) {
        case tok::l_paren:
        case tok::l_brace:
        case tok::l_square: ++depth; break;
        case tok::r_paren:
        case tok::r_brace:
        case tok::r_square:
          if (--depth < 0) return 0;
          break;
        case tok::semi:
          if (depth == 0) return 0;
          break;
        case tok::greatergreatergreater:
          if (depth == 0) return i;
          break;
        case tok::greatergreater:
          if (depth == 0 && apart(i, tok::greatergreater, tok::greater) && i + 2 < pieces_.size() &&
              pieces_[i + 2].kind == tok::l_paren)
            return i;
          break;
        default: break;
      }
    }
    return 0;
  }
  void join(std::size_t i, char bracket) {
    for (std::size_t at = pieces_[i].begin; at < pieces_[i + 1].end; ++at)
      text_[at] = at < pieces_[i].begin + 3 ? bracket : ' ';
    changed_ = true;
  }

  std::string text_;
  std::vector<Piece> pieces_;
  bool changed_ = false;
};

}  // namespace

std::optional<std::string> with_whole_launch_brackets(std::string_view source) {
  // Most sources have nothing that looks so: they are not read twice.
  const auto blank_between = [&](std::string_view two, char third) {
    for (std::size_t at = source.find(two); at != source.npos; at = source.find(two, at + 2)) {
      const std::size_t next = source.find_first_not_of(" \t", at + 2);
      if (next != source.npos && next > at + 2 && source[next] == third) return true;
    }
    return false;
  };
  if (!blank_between("<<", '<') && !blank_between(">>", '>')) return std::nullopt;
  return Mender(source).run();
}

}  // namespace heddle::frontend
