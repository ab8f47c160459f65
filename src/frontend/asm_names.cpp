// `asm("mov.u64 %0, %globaltimer;" : "=l"(t))`: nvcc takes a name behind % as it stands, and programs have
// that; clang wants %%globaltimer. So % before a letter is doubled where it is no operand: a letter and a
// digit (%h0), or a letter and a bracket (%h[t]), stay what GCC says they are, and so do errors. The linker
// puts this function in the place of clang's (cmake/externals.cmake).
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#define HEDDLE_ACT_ON_ASM                                                                \
  "_ZN5clang4Sema15ActOnGCCAsmStmtENS_14SourceLocationEbbjjPPNS_14IdentifierInfoEN4llvm" \
  "15MutableArrayRefIPNS_4ExprEEES9_S8_S9_jS1_"

namespace {

// The text with names escaped, or nothing where there are none.
std::string escape_names(llvm::StringRef text) {
  std::string escaped;
  bool found = false;
  for (size_t at = 0; at < text.size(); ++at) {
    escaped += text[at];
    if (text[at] != '%' || at + 1 == text.size()) continue;
    const char next = text[at + 1];
    const char behind = at + 2 < text.size() ? text[at + 2] : '\0';
    if (llvm::isAlpha(next) && !llvm::isDigit(behind) && behind != '[') {
      escaped += '%', found = true;
    } else {
      escaped += text[++at];  // %% and all that means something
    }
  }
  return found ? escaped : std::string();
}

// As a literal of the program's own, since errors are told by places in its spelling.
clang::Expr* literal_of(clang::Sema& sema, const clang::StringLiteral& before, llvm::StringRef text) {
  std::string spelling;
  llvm::raw_string_ostream out(spelling);
  out << '"';
  out.write_escaped(text, /*UseHexEscapes=*/false);
  out << '"';
  clang::Token token;
  token.startToken();
  token.setKind(clang::tok::string_literal);
  sema.getPreprocessor().CreateString(out.str(), token, before.getBeginLoc(), before.getEndLoc());
  const clang::ExprResult literal = sema.ActOnStringLiteral(token);
  return literal.isUsable() ? literal.get() : nullptr;
}

}  // namespace

clang::StmtResult clang_act_on_asm(clang::Sema* sema, clang::SourceLocation place, bool is_simple,
                                   bool is_volatile, unsigned outputs, unsigned inputs,
                                   clang::IdentifierInfo** names, clang::MultiExprArg constraints,
                                   clang::MultiExprArg operands, clang::Expr* text,
                                   clang::MultiExprArg clobbers, unsigned labels,
                                   clang::SourceLocation end) __asm__("__real_" HEDDLE_ACT_ON_ASM);

clang::StmtResult heddle_act_on_asm(clang::Sema* sema, clang::SourceLocation place, bool is_simple,
                                    bool is_volatile, unsigned outputs, unsigned inputs,
                                    clang::IdentifierInfo** names, clang::MultiExprArg constraints,
                                    clang::MultiExprArg operands, clang::Expr* text,
                                    clang::MultiExprArg clobbers, unsigned labels,
                                    clang::SourceLocation end) __asm__("__wrap_" HEDDLE_ACT_ON_ASM);

clang::StmtResult heddle_act_on_asm(clang::Sema* sema, clang::SourceLocation place, bool is_simple,
                                    bool is_volatile, unsigned outputs, unsigned inputs,
                                    clang::IdentifierInfo** names, clang::MultiExprArg constraints,
                                    clang::MultiExprArg operands, clang::Expr* text,
                                    clang::MultiExprArg clobbers, unsigned labels,
                                    clang::SourceLocation end) {
  // A statement without colons means its text as it stands, names and all.
  const bool is_ptx = sema->getASTContext().getTargetInfo().getTriple().isNVPTX();
  const auto* literal = llvm::dyn_cast<clang::StringLiteral>(text);
  if (is_ptx && !is_simple && literal != nullptr && literal->isOrdinary()) {
    const std::string escaped = escape_names(literal->getString());
    clang::Expr* const mended = escaped.empty() ? nullptr : literal_of(*sema, *literal, escaped);
    if (mended != nullptr) text = mended;
  }
  return clang_act_on_asm(sema, place, is_simple, is_volatile, outputs, inputs, names, constraints, operands,
                          text, clobbers, labels, end);
}
