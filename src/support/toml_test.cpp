#include "support/toml.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string toml_error(std::string_view text) {
  const auto table = read_toml(text);
  return table.ok() ? "accepted" : table.error().message;
}

TEST(Toml, ReadsWhatRecordsUse) {
  const auto table = read_toml(
      "a = 1_000 # comment\n'b c' = [1, 2,\n 3]\n[t.u]\ns = \"x\\ty\"\nm = \"\"\"\none\ntwo\"\"\"\n"
      "i = { p = true, q = -0x1F }\r\n[t]\nw = 'raw\\n'\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(
      shown({*table}),
      "{'a': 1000, 'b c': [1, 2, 3], 't': {'u': {'s': 'x\ty', 'm': 'one\ntwo', 'i': {'p': true, 'q': -31}}, "
      "'w': 'raw\\n'}}");
}

TEST(Toml, SaysWhereAndWhat) {
  EXPECT_EQ(toml_error("a = 1\nb = 1.5\n"), "line 2: '1.5' is no integer, string, true or false");
  EXPECT_EQ(toml_error("a = \n"), "line 1: expected a value");
  EXPECT_EQ(toml_error("a = 1 b = 2\n"), "line 1: expected the end of the line");
  EXPECT_EQ(toml_error("a = 1\na = 2\n"), "line 2: 'a' stands here twice");
  EXPECT_EQ(toml_error("[t]\n[t]\n"), "line 2: the table stands here twice");
  EXPECT_EQ(toml_error("a = 1\n[a]\n"), "line 2: 'a' is no table");
  EXPECT_EQ(toml_error("[[t]]\n"), "line 1: lists of tables ([[...]]) are not read");
  EXPECT_EQ(toml_error("s = \"x\n"), "line 1: the string does not end");
  EXPECT_EQ(toml_error("s = \"\\q\"\n"),
            "line 1: the escape in the string is none of \\b \\t \\n \\f \\r \\\" \\\\");
  EXPECT_EQ(toml_error("= 3\n"), "line 1: expected a key");
  EXPECT_EQ(toml_error("n = 99999999999999999999\n"),
            "line 1: '99999999999999999999' is no integer, string, true or false");
  EXPECT_EQ(toml_error("a = " + std::string(40, '[')), "line 1: values are nested too deeply");
}

}  // namespace
}  // namespace heddle
