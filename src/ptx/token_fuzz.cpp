// Token soup: the input chooses words of the instruction tables, directives and punctuation, so that most of
// it comes past the lexer. What is read without errors is printed and read back the same.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "ptx/parse.h"
#include "ptx/random_text.h"

namespace {

using namespace heddle;

class Soup {
 public:
  Soup(const uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::string write() {
    text_ = ".version 9.0 .target sm_90a .address_size 64\n";
    tidy_ = choose(2) == 0;
    while (at_ < size_ && text_.size() < 20'000) top_level();
    return std::move(text_);
  }

 private:
  uint32_t choose(uint32_t n) {
    if (n <= 1 || at_ >= size_) return 0;
    uint32_t value = data_[at_++];
    if (n > 256 && at_ < size_) value = value << 8 | data_[at_++];
    return value % n;
  }

  void token() {
    static const char* const fixed[] = {
        "{",  "}",  "(",  ")",     "[",   "]",       ",",       ";",          ":",    "|",  "@",   "!",
        "+",  "-",  "*",  "/",     "%",   "<",       ">",       "<<",         "?",    "=",  "&&",  "~",
        "_",  "a",  "%r", "%r1",   "f",   "WARP_SZ", "L",       "1",          "0",    "5U", "1.5", "-1",
        "\n", "\"", "//", "/* */", "v.x", "generic", "0xFF(a)", "0f00000000", "a[1]", "<4>"};
    switch (choose(8)) {
      case 0:
        text_ += '.' + std::string(
                           isa::info(static_cast<isa::Directive>(1 + choose(isa::directive_count - 1))).name);
        break;
      case 1:
        text_ += '.' + std::string(isa::spelling(static_cast<isa::Word>(1 + choose(isa::word_count - 1))));
        break;
      case 2:
        text_ += '.' + std::string(isa::info(static_cast<isa::Type>(1 + choose(isa::type_count - 1))).name);
        break;
      case 3: text_ += isa::name(static_cast<isa::Opcode>(1 + choose(isa::opcode_count - 1))); break;
      default: text_ += fixed[choose(std::size(fixed))]; break;
    }
    text_ += ' ';
  }

  void declaration() {
    static const char* const spaces[] = {".reg",   ".global", ".const",           ".shared",
                                         ".local", ".param",  ".visible .global", ".extern .shared"};
    static const char* const types[] = {".b32", ".pred",   ".v4 .f32",    ".align 8 .b8",
                                        ".u64", ".texref", ".samplerref", ".f16x2"};
    static const char* const names[] = {"a", "%r<4>", "b[4]", "c[]", "d[2][2]", "e, f", "g"};
    static const char* const values[] = {"",
                                         " = 5",
                                         " = {1, 2}",
                                         " = {{1, -2}, {3.0}}",
                                         " = {a, b+4}",
                                         " = generic(a)",
                                         " = {0xFF(a)}",
                                         " = {x = wrap, y = 3}"};
    const uint32_t type = choose(std::size(types));
    uint32_t value = choose(std::size(values));
    // Fields are for textures and samplers alone, and in a body nothing has linkage.
    const bool opaque = type == 5 || type == 6;
    if (tidy_ && opaque != (value == std::size(values) - 1)) value = 0;
    text_ += spaces[choose(tidy_ && in_body_ ? 6 : std::size(spaces))];
    text_ += std::string(" ") + types[type] + ' ' + names[choose(std::size(names))] + values[value] + ";\n";
  }

  void statement() {
    switch (choose(10)) {
      case 0: declaration(); break;
      case 1: text_ += "L" + std::to_string(choose(4)) + ":\n"; break;
      case 2:
        text_ += "{\n";
        ++depth_;
        break;
      case 3:
        if (depth_ > 0 || !tidy_) text_ += "}\n";
        if (depth_ > 0) --depth_;
        break;
      case 4:
        if (tidy_) break;
        for (uint32_t n = choose(8); n > 0; --n) token();
        break;
      case 5: text_ += "t: .branchtargets L1, L2;\n.loc 1 2 3\n"; break;
      case 6: text_ += "c: .callprototype (.param .b32 _) _ (.reg .b32 _) .noreturn;\n"; break;
      default: {
        const auto forms = isa::all_forms();
        const isa::FormInfo& form = forms[choose(static_cast<uint32_t>(forms.size()))];
        const std::string text =
            ptx::testing::InstructionWriter(form, [this](uint32_t n) { return choose(n); }).write();
        if (text.empty()) break;
        if (choose(4) == 0) text_ += "@!p ";
        text_ += text;
        if (tidy_ || choose(16) != 0) text_ += ";\n";
        break;
      }
    }
  }

  void top_level() {
    switch (choose(6)) {
      case 0: declaration(); break;
      case 1:
        for (uint32_t n = tidy_ ? 0 : choose(8); n > 0; --n) token();
        break;
      case 2: text_ += ".section .s { a: .b8 1, 2 .b32 a+4 .b64 a-b }\n.file 1 \"f\"\n"; break;
      case 3: text_ += ".func (.reg .b32 r) f(.param .align 8 .b8 x[8]) .noreturn;\n.alias f, g;\n"; break;
      default:
        in_body_ = true;
        text_ += choose(2) == 0 ? ".entry k(.param .u64 p) .maxntid 1, 2 {\n" : ".func f {\n";
        for (uint32_t n = choose(32); n > 0; --n) statement();
        in_body_ = false;
        for (; depth_ > 0; --depth_) text_ += "}\n";
        if (tidy_ || choose(8) != 0) text_ += "}\n";
        break;
    }
  }

  const uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  bool tidy_ = false;
  bool in_body_ = false;
  unsigned depth_ = 0;
  std::string text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const auto source = std::make_shared<const SourceText>("soup.ptx", Soup(data, size).write());
  Diagnostics diagnostics;
  const ptx::Module first = ptx::parse(source, diagnostics);
  if (diagnostics.has_errors()) {
    if (diagnostics.render(*source).empty()) std::abort();
    ptx::print(first);
    return 0;
  }
  const auto printed = std::make_shared<const SourceText>("printed.ptx", ptx::print(first));
  Diagnostics verified;
  ptx::verify(first, verified);
  const ptx::Module second = ptx::parse(printed, diagnostics);
  if (diagnostics.has_errors() || !ptx::equal(first, second) || ptx::print(second) != printed->text())
    std::abort();
  return 0;
}
