#include "beginnings/leading_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::beginnings {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LeadingHeaders, AreThoseBeforeAnythingElse) {
  EXPECT_THAT(
      leading_headers("#include <a>\n  # include/**/<b/c.h> // why\n\n#include <d>\nint x;\n#include <e>"),
      ElementsAre("a", "b/c.h", "d"));
  EXPECT_THAT(
      leading_headers("/* a\n licence */\r\n// words\r\n#include <a>\r\n#include \"b.h\"\n#include <c>"),
      ElementsAre("a"));
  EXPECT_THAT(leading_headers("\xef\xbb\xbf#include <a>"), ElementsAre("a"));
  EXPECT_THAT(leading_headers(""), IsEmpty());
}

TEST(LeadingHeaders, EndAtWhatChangesWhatFollows) {
  for (const char* other : {"#define N 1\n", "#ifdef X\n", "#pragma once\n", "int x;\n", "#include NAME\n",
                            "#include_next <x>\n", "#include <x\n", "#include <x> y\n", "/* open\n", "#\n"})
    EXPECT_THAT(leading_headers(std::string("#include <a>\n") + other + "#include <b>\n"), ElementsAre("a"))
        << other;
}

TEST(LeadingHeaders, LeavesContinuedLinesToTheCompiler) {
  EXPECT_THAT(leading_headers("#include <a>\n// goes on \\\n#include <b>\n#include <c>\n"), ElementsAre("a"));
  EXPECT_THAT(leading_headers("#include <a>\n// goes on ?\?/\n#include <b>\n#include <c>\n"),
              ElementsAre("a"));
}

}  // namespace
}  // namespace heddle::beginnings
