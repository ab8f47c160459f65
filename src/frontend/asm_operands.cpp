// `asm("..." :: "r"(value) "l"(place) : "memory")`: nvcc takes operands without a comma between them, and
// programs have that (NVIDIA's conjugateGradientMultiDeviceCG). Behind an operand's expression nothing else
// may begin with a string, so the parser gets the comma. The linker puts this function in the place of
// clang's (cmake/externals.cmake), which reads the texts of an asm statement, an operand's constraint among
// them.
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "clang/Parse/Parser.h"
#include "llvm/ADT/SmallVector.h"

namespace {

using clang::Preprocessor;
using clang::Token;
namespace tok = clang::tok;

bool is_text(const Token& token) { return tok::isStringLiteral(token.getKind()); }

// How many tokens an operand's expression has, with its parentheses, from `first` tokens ahead; 0 where there
// is no whole one.
unsigned expression_tokens(Preprocessor& preprocessor, unsigned first) {
  unsigned depth = 0;
  for (unsigned at = first;; ++at) {
    const Token& token = preprocessor.LookAhead(at);
    if (token.isOneOf(tok::eof, tok::semi, tok::annot_module_end)) return 0;
    if (token.is(tok::l_paren)) ++depth;
    if (depth == 0) return 0;
    if (token.is(tok::r_paren) && --depth == 0) return at - first + 1;
  }
}

// While the parser is at a constraint: a comma behind its expression, if another constraint follows.
void separate_operands(Preprocessor& preprocessor) {
  unsigned texts = 0;
  while (is_text(preprocessor.LookAhead(texts))) ++texts;
  const unsigned expression = expression_tokens(preprocessor, texts);
  if (expression == 0) return;
  const Token next = preprocessor.LookAhead(texts + expression);
  if (!is_text(next) && next.isNot(tok::l_square)) return;
  llvm::SmallVector<Token, 16> tokens(texts + expression + 1);
  for (unsigned i = 0; i < texts + expression; ++i) preprocessor.Lex(tokens[i]);
  Token& comma = tokens.back();
  comma.startToken();
  comma.setKind(tok::comma);
  comma.setLocation(next.getLocation());
  preprocessor.EnterTokenStream(tokens, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
}

}  // namespace

#define HEDDLE_PARSE_ASM_TEXT "_ZN5clang6Parser21ParseAsmStringLiteralEb"

clang::ExprResult clang_parse_asm_text(clang::Parser* parser,
                                       bool is_label) __asm__("__real_" HEDDLE_PARSE_ASM_TEXT);

clang::ExprResult heddle_parse_asm_text(clang::Parser* parser,
                                        bool is_label) __asm__("__wrap_" HEDDLE_PARSE_ASM_TEXT);

clang::ExprResult heddle_parse_asm_text(clang::Parser* parser, bool is_label) {
  if (!is_label && parser->getLangOpts().CUDA && is_text(parser->getCurToken()))
    separate_operands(parser->getPreprocessor());
  return clang_parse_asm_text(parser, is_label);
}
