#include "ptx/lexer.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace heddle::ptx {
namespace {

struct Lexed {
  std::vector<Tok> kinds;
  std::vector<std::string> texts;
  std::vector<uint64_t> values;
  std::vector<std::string> errors;
};

Lexed lex(std::string text) {
  const SourceText source("t.ptx", std::move(text));
  Diagnostics diagnostics;
  Lexer lexer(source, diagnostics);
  Lexed out;
  for (Token token = lexer.next(); token.kind != Tok::end; token = lexer.next()) {
    out.kinds.push_back(token.kind);
    out.texts.emplace_back(lexer.text(token));
    out.values.push_back(token.value);
  }
  for (const Diagnostic& d : diagnostics.all()) out.errors.push_back(d.message);
  return out;
}

uint64_t integer(std::string text) {
  const Lexed out = lex(text);
  EXPECT_TRUE(out.errors.empty()) << text;
  EXPECT_EQ(out.kinds, std::vector{Tok::integer}) << text;
  return out.values.empty() ? 0 : out.values[0];
}

double real(std::string text) {
  const Lexed out = lex(text);
  EXPECT_TRUE(out.errors.empty()) << text;
  EXPECT_EQ(out.kinds, std::vector{Tok::float64}) << text;
  return out.values.empty() ? 0 : std::bit_cast<double>(out.values[0]);
}

// PTX ISA 4.4: [a-zA-Z]followsym* | [_$%]followsym+
TEST(Lexer, Names) {
  const Lexed out = lex("a %r1 $L__BB0_1 _x %tid foo$2 A9_ %$x _");
  EXPECT_EQ(out.kinds, std::vector<Tok>(9, Tok::name));
  EXPECT_EQ(out.texts[2], "$L__BB0_1");
  EXPECT_TRUE(out.errors.empty());
  EXPECT_EQ(lex("%").kinds, std::vector{Tok::percent});
  EXPECT_EQ(lex("$").errors, std::vector<std::string>{"'$' alone is no name"});
  // A name holds no '%' in the middle.
  EXPECT_EQ(lex("a%b").texts, (std::vector<std::string>{"a", "%b"}));
}

TEST(Lexer, DirectivesKeepTheirDotAndDoubleColons) {
  EXPECT_EQ(lex(".reg.b32 .shared::cta .v4").texts,
            (std::vector<std::string>{".reg", ".b32", ".shared::cta", ".v4"}));
}

// PTX ISA 4.5.1
TEST(Lexer, IntegersOfEveryBase) {
  EXPECT_EQ(integer("0"), 0u);
  EXPECT_EQ(integer("42"), 42u);
  EXPECT_EQ(integer("017"), 15u);
  EXPECT_EQ(integer("0x1F"), 31u);
  EXPECT_EQ(integer("0XfU"), 15u);
  EXPECT_EQ(integer("0b101"), 5u);
  EXPECT_EQ(integer("0B11U"), 3u);
  EXPECT_EQ(integer("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(integer("0xFFFFFFFFFFFFFFFF"), UINT64_MAX);
}

TEST(Lexer, IntegersAreUnsignedWhenTheySaySoOrDoNotFit) {
  const auto is_unsigned = [](std::string text) {
    const SourceText source("t.ptx", std::move(text));
    Diagnostics diagnostics;
    return Lexer(source, diagnostics).next().is_unsigned;
  };
  EXPECT_FALSE(is_unsigned("5"));
  EXPECT_TRUE(is_unsigned("5U"));
  EXPECT_FALSE(is_unsigned("9223372036854775807"));
  EXPECT_TRUE(is_unsigned("9223372036854775808"));
}

TEST(Lexer, BadIntegersAreNamed) {
  EXPECT_EQ(lex("08").errors, std::vector<std::string>{"'08' is no number of base 8"});
  EXPECT_EQ(lex("5u").errors, std::vector<std::string>{"'5u' is no number of base 10"});
  EXPECT_EQ(lex("0x").errors, std::vector<std::string>{"'0x' is no number of base 16"});
  EXPECT_EQ(lex("0b12").errors, std::vector<std::string>{"'0b12' is no number of base 2"});
  EXPECT_EQ(lex("18446744073709551616").errors,
            std::vector<std::string>{"'18446744073709551616' does not fit in 64 bits"});
}

// PTX ISA 4.5.2
TEST(Lexer, FloatingPointNumbers) {
  EXPECT_EQ(real("1.0"), 1.0);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("5."), 5.0);
  EXPECT_EQ(real("1e5"), 1e5);
  EXPECT_EQ(real("1.5E+3"), 1500.0);
  EXPECT_EQ(real("2.5e-1"), 0.25);
  EXPECT_EQ(real("0d3FF8000000000000"), 1.5);
  EXPECT_EQ(real("1e-400"), 0.0);
  EXPECT_EQ(real("0.1e-9999999999999"), 0.0);
  const Lexed single = lex("0f3F800000 0FBF800000");
  EXPECT_EQ(single.kinds, (std::vector{Tok::float32, Tok::float32}));
  EXPECT_EQ(single.values, (std::vector<uint64_t>{0x3f800000, 0xbf800000}));
}

TEST(Lexer, BadFloatingPointNumbersAreNamed) {
  EXPECT_EQ(lex("0f3F80").errors,
            std::vector<std::string>{"'0f3F80' must have 8 hexadecimal digits after 0f"});
  EXPECT_EQ(lex("0f3F8000001").errors.size(), 1u);
  EXPECT_EQ(lex("0d3F800000").errors.size(), 1u);
  EXPECT_EQ(lex("1.0f").errors, std::vector<std::string>{"'1.0f' is no floating-point number"});
  EXPECT_EQ(lex("1e").errors.size(), 1u);
  EXPECT_EQ(lex("1e400").errors, std::vector<std::string>{"this number does not fit in an .f64"});
  EXPECT_EQ(lex("0.001e999999999999999999").errors.size(), 1u);
}

TEST(Lexer, Operators) {
  EXPECT_EQ(lex("<< >> <= >= == != && || < > = ! & | ^ ~ ? : @ @@ + - * / ( ) [ ] { } , ;").kinds,
            (std::vector{Tok::less_less,    Tok::greater_greater,
                         Tok::less_equal,   Tok::greater_equal,
                         Tok::equal_equal,  Tok::not_equal,
                         Tok::and_and,      Tok::or_or,
                         Tok::less,         Tok::greater,
                         Tok::equals,       Tok::exclamation,
                         Tok::ampersand,    Tok::bar,
                         Tok::caret,        Tok::tilde,
                         Tok::question,     Tok::colon,
                         Tok::at,           Tok::at_at,
                         Tok::plus,         Tok::minus,
                         Tok::star,         Tok::slash,
                         Tok::left_paren,   Tok::right_paren,
                         Tok::left_bracket, Tok::right_bracket,
                         Tok::left_brace,   Tok::right_brace,
                         Tok::comma,        Tok::semicolon}));
}

TEST(Lexer, CommentsAreBlanks) {
  EXPECT_EQ(lex("a // b\nc /* d\n * / */ e//").texts, (std::vector<std::string>{"a", "c", "e"}));
  EXPECT_EQ(lex("a /* /* */ b").texts, (std::vector<std::string>{"a", "b"}));  // they do not nest
  EXPECT_EQ(lex("a /* b").errors, std::vector<std::string>{"this comment is never closed"});
  EXPECT_EQ(lex("/*/").errors.size(), 1u);
}

TEST(Lexer, LinesOfThePreprocessorAreSkipped) {
  EXPECT_EQ(lex("a\n  # 12 \"k.cu\"\nb\n#line 3 \"x\"\n#pragma once\n#").texts,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lex("#define X 5\na").errors,
            std::vector<std::string>{"a preprocessor directive; run the preprocessor before this"});
  EXPECT_EQ(lex("a # 5").errors, std::vector<std::string>{"no PTX token begins with '#'"});
}

TEST(Lexer, StringsHaveNoEscapes) {
  const Lexed out = lex("\"C:\\dir\\\" \"\"");
  EXPECT_EQ(out.texts, (std::vector<std::string>{"C:\\dir\\", ""}));
  EXPECT_EQ(lex("\"abc\ndef").errors, std::vector<std::string>{"this string is not closed on its line"});
}

TEST(Lexer, StrangeBytesAreOneErrorARun) {
  EXPECT_EQ(lex("a \xC3\xA9\xC3\xA9 b").errors,
            std::vector<std::string>{"no PTX token begins with the byte 0xc3"});
  EXPECT_EQ(lex(std::string("a\0b", 3)).errors,
            std::vector<std::string>{"no PTX token begins with the byte 0x00"});
  EXPECT_TRUE(lex(std::string("a\0\0", 3)).errors.empty());  // the NUL of a host program's string
  EXPECT_TRUE(lex("\xEF\xBB\xBFz").errors.empty());
}

TEST(Lexer, MnemonicsAreReadAsOneText) {
  const SourceText source("t.ptx", "ld.global .v4.shared::cta/**/ . add .u32\t.5 tex.1d;");
  Diagnostics diagnostics;
  Lexer lexer(source, diagnostics);
  Token token = lexer.next();
  EXPECT_EQ(lexer.mnemonic(token), "ld.global.v4.shared::cta");
  EXPECT_EQ(token.end, 25u);
  EXPECT_EQ(lexer.next().kind, Tok::error);
  token = lexer.next();
  EXPECT_EQ(lexer.mnemonic(token), "add.u32");  // .5 is an operand
  EXPECT_EQ(lexer.next().kind, Tok::float64);
  token = lexer.next();
  EXPECT_EQ(lexer.mnemonic(token), "tex.1d");
  EXPECT_EQ(lexer.next().kind, Tok::semicolon);
}

}  // namespace
}  // namespace heddle::ptx
