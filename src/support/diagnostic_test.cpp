#include "support/diagnostic.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Diagnostics, RendersPlaceMessageRuleLineCaretAndNotes) {
  const SourceText source("k.ptx", ".version 8.0\n  add.q32 a, b;\n");
  Diagnostics diagnostics;
  Diagnostic& error = diagnostics.error({15, 22}, "'q32' is no type of add", "PTX ISA 9.7.1.1");
  Diagnostics::note(error, {0, 8}, "the module begins here");
  EXPECT_EQ(diagnostics.render(source),
            "k.ptx:2:3: error: 'q32' is no type of add [PTX ISA 9.7.1.1]\n"
            "    add.q32 a, b;\n"
            "    ^~~~~~~\n"
            "k.ptx:1:1: note: the module begins here\n"
            "  .version 8.0\n"
            "  ^~~~~~~~\n");
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "odd");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.warning_count(), 1u);
  EXPECT_EQ(diagnostics.all().front().severity, Severity::warning);
}

TEST(Diagnostics, StopsAtTheLimitAndSaysSo) {
  const SourceText source("k.ptx", "x");
  Diagnostics diagnostics(2);
  diagnostics.error({}, "one");
  EXPECT_FALSE(diagnostics.full());
  diagnostics.error({}, "two");
  EXPECT_TRUE(diagnostics.full());
  Diagnostics::note(diagnostics.error({}, "three"), {}, "dropped as well");
  EXPECT_EQ(diagnostics.error_count(), 2u);
  const std::string text = diagnostics.render(source);
  EXPECT_EQ(text.find("three"), std::string::npos);
  EXPECT_TRUE(text.ends_with("k.ptx: error: stopped after 2 errors\n")) << text;
}

TEST(Diagnostics, ShowsAWindowOfALongLineAndNoControlBytes) {
  std::string text(100'000, 'a');
  text[50'000] = '\0';
  const SourceText source("k.ptx", text);
  Diagnostics diagnostics;
  diagnostics.error({50'000, 50'001}, std::string("byte \0 here", 11));
  const std::string out = diagnostics.render(source);
  EXPECT_LT(out.size(), 500u);
  EXPECT_NE(out.find("k.ptx:1:50001: error: byte \\x00 here\n"), std::string::npos) << out;
  EXPECT_EQ(out.find('\0'), std::string::npos);
}

TEST(Diagnostics, PlacesPastTheEndAreTheEnd) {
  const SourceText source("k.ptx", "ab");
  Diagnostics diagnostics;
  diagnostics.error({100, 200}, "unexpected end");
  EXPECT_EQ(diagnostics.render(source), "k.ptx:1:3: error: unexpected end\n  ab\n    ^\n");
}

}  // namespace
}  // namespace heddle
