#include "frontend/macro_pragmas.h"

#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"

namespace heddle::frontend {

namespace {

namespace tok = clang::tok;

class MacroPragmas : public clang::PPCallbacks {
 public:
  explicit MacroPragmas(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override {
    const clang::MacroInfo* macro = directive->getMacroInfo();
    // In a macro with parameters '#' makes a string, and another preprocessor refuses it before a word.
    if (!macro->isObjectLike() || macro->getNumTokens() < 3) return;
    const clang::ArrayRef<clang::Token> tokens = macro->tokens();
    const clang::IdentifierInfo* word = tokens[1].getIdentifierInfo();
    if (tokens[0].isNot(tok::hash) || word == nullptr || word->getName() != "pragma") return;

    std::string text = "\"";
    for (const clang::Token& token : tokens.drop_front(2)) {
      if (text.size() > 1 && token.hasLeadingSpace()) text += ' ';
      for (const char c : preprocessor_.getSpelling(token)) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
    }
    text += '"';
    replace(name, *macro, text);
  }

 private:
  void replace(const clang::Token& name, const clang::MacroInfo& macro, const std::string& text) {
    const clang::SourceLocation place = macro.tokens().front().getLocation();
    clang::Token all[4];
    for (clang::Token& token : all) {
      token.startToken();
      token.setLocation(place);
      token.setLength(1);
    }
    clang::IdentifierInfo* pragma = preprocessor_.getIdentifierInfo("_Pragma");
    all[0].setKind(tok::identifier);
    all[0].setIdentifierInfo(pragma);
    all[0].setLength(pragma->getLength());
    all[1].setKind(tok::l_paren);
    all[2].setKind(tok::string_literal);
    preprocessor_.CreateString(text, all[2], place, place);
    all[3].setKind(tok::r_paren);

    clang::MacroInfo* whole = preprocessor_.AllocateMacroInfo(macro.getDefinitionLoc());
    whole->setDefinitionEndLoc(macro.getDefinitionEndLoc());
    whole->setTokens(all, preprocessor_.getPreprocessorAllocator());
    // The same definition may come again, and is then compared with this one.
    whole->setIsAllowRedefinitionsWithoutWarning(true);
    preprocessor_.appendDefMacroDirective(name.getIdentifierInfo(), whole);
  }

  clang::Preprocessor& preprocessor_;
};

}  // namespace

void accept_macro_pragmas(clang::Preprocessor& preprocessor) {
  preprocessor.addPPCallbacks(std::make_unique<MacroPragmas>(preprocessor));
}

}  // namespace heddle::frontend
