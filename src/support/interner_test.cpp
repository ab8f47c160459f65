#include "support/interner.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Interner, TheEmptyNameIsNumberZero) {
  Interner names;
  EXPECT_EQ(names.add(""), no_name);
  EXPECT_EQ(names.add_copy(""), no_name);
  EXPECT_EQ(names.find(""), no_name);
  EXPECT_EQ(names.text(no_name), "");
  EXPECT_EQ(names.size(), 1u);
}

TEST(Interner, EqualTextHasOneNumber) {
  Interner names;
  const NameId a = names.add("%r1");
  const std::string other = "%r1";
  EXPECT_EQ(names.add_copy(other), a);
  EXPECT_EQ(names.find("%r1"), a);
  EXPECT_EQ(names.find("%r2"), no_name);
  EXPECT_NE(names.add("%r2"), a);
  EXPECT_EQ(names.text(a), "%r1");
}

TEST(Interner, CopiesOutliveTheirSource) {
  Interner names;
  NameId id;
  {
    std::string text = "a name that is longer than any small string buffer";
    id = names.add_copy(text);
    text.assign(text.size(), 'x');
  }
  EXPECT_EQ(names.text(id), "a name that is longer than any small string buffer");
}

TEST(Interner, KeepsManyNamesOfEveryLengthApart) {
  Interner names;
  std::vector<std::string> texts;
  for (int i = 0; i < 50'000; ++i) texts.push_back("%r" + std::to_string(i));
  for (std::size_t n = 1; n < 100; ++n) {
    texts.emplace_back(n, 'a');
    texts.push_back(std::string(n, 'a') + 'b');
    texts.push_back('b' + std::string(n, 'a'));
  }
  std::vector<NameId> ids;
  for (const std::string& text : texts) ids.push_back(names.add(text));
  EXPECT_EQ(names.size(), texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(names.text(ids[i]), texts[i]);
    ASSERT_EQ(names.find(texts[i]), ids[i]);
  }
}

}  // namespace
}  // namespace heddle
