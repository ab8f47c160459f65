// `__shared__ alignas(16) float tile[64];` in a function: nvcc takes it, and programs have it. clang reads
// the macro's GNU attribute as the beginning of the declaration's specifiers, among which C++ has no alignas.
// C's _Alignas may stand there and means the same, so the parser gets that. The linker puts this function in
// the place of clang's (cmake/externals.cmake).
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/StringSwitch.h"

namespace {

using clang::Token;
namespace tok = clang::tok;

// Follows __attribute__((NAME)) and alignas(...) behind it. The parser may have a token again, from what it
// looked ahead at.
class Watch {
 public:
  void see(Token& token) {
    if (token.getLocation() == last_) return;
    last_ = token.getLocation();
    switch (place_) {
      case Place::attribute:
        if (token.is(tok::l_paren)) return void(++depth_);
        if (token.is(tok::r_paren) && --depth_ == 0) place_ = memory_ ? Place::behind : Place::elsewhere;
        if (depth_ == 2 && token.is(tok::identifier))
          memory_ |= is_memory(token.getIdentifierInfo()->getName());
        return;
      case Place::alignment:
        if (token.is(tok::l_paren)) ++depth_;
        if (token.is(tok::r_paren) && --depth_ == 0) place_ = Place::behind;
        return;
      case Place::behind:
        if (token.isOneOf(tok::kw_alignas, tok::kw__Alignas)) {
          token.setKind(tok::kw__Alignas);
          begin(Place::alignment);
          return;
        }
        break;
      case Place::elsewhere: break;
    }
    if (token.is(tok::kw___attribute)) return begin(Place::attribute);  // one more, perhaps
    place_ = Place::elsewhere, memory_ = false;
  }

 private:
  enum class Place : uint8_t { elsewhere, attribute, alignment, behind };

  static bool is_memory(llvm::StringRef name) {
    return llvm::StringSwitch<bool>(name).Cases("shared", "device", "constant", true).Default(false);
  }
  void begin(Place place) { place_ = place, depth_ = 0; }

  Place place_ = Place::elsewhere;
  unsigned depth_ = 0;   // of parentheses
  bool memory_ = false;  // an attribute was one of a memory space
  clang::SourceLocation last_;
};

thread_local Watch watch;

}  // namespace

extern "C" {

void __real__ZN5clang12Preprocessor3LexERNS_5TokenE(clang::Preprocessor* preprocessor,
                                                    Token& token);  // NOLINT

void __wrap__ZN5clang12Preprocessor3LexERNS_5TokenE(clang::Preprocessor* preprocessor,
                                                    Token& token) {  // NOLINT
  __real__ZN5clang12Preprocessor3LexERNS_5TokenE(preprocessor, token);
  if (preprocessor->getLangOpts().CUDA) watch.see(token);
}

}  // extern "C"
