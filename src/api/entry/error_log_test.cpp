#include "api/entry/error_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::entry {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr Record function{"cudaSomething", ""};

TEST(ErrorLog, KeepsTheLastInTheirOrder) {
  ErrorLog& log = ErrorLog::get();
  const uint32_t begin = log.end();
  uint32_t next = 0;
  EXPECT_EQ(log.lines(begin, 1000, next), "");
  log.note(function, "first\nof two lines");
  log.note(function, "second");
  const std::string text = log.lines(begin, 1000, next);
  EXPECT_THAT(text,
              MatchesRegex("\\[[0-9:]+\\.[0-9]+\\]\\[[0-9]+\\]\\[CUDA\\]\\[E\\]\\[cudaSomething\\] first of "
                           "two lines\n.*second\n"));
  EXPECT_EQ(next, begin + 2);
  EXPECT_THAT(log.lines(begin + 1, 1000, next), EndsWith("] second\n"));
  EXPECT_THAT(log.lines(begin + 1, 1000, next), Not(HasSubstr("first")));

  for (std::size_t i = 0; i < ErrorLog::kept; ++i) log.note(function, "number " + std::to_string(i));
  const std::string rest = log.lines(begin, 100000, next);
  EXPECT_THAT(rest, StartsWith("(older entries are left out)\n"));
  EXPECT_THAT(rest, HasSubstr("number 0\n"));
  EXPECT_THAT(rest, Not(HasSubstr("second")));
  EXPECT_EQ(log.oldest(), begin + 2);
}

TEST(ErrorLog, FillsNoMoreThanItMay) {
  ErrorLog& log = ErrorLog::get();
  const uint32_t begin = log.end();
  for (int i = 0; i < 10; ++i) log.note(function, "a text of some length, number " + std::to_string(i));
  uint32_t next = 0;
  for (std::size_t bytes = 0; bytes < 1200; ++bytes) {
    const std::string text = log.lines(begin, bytes, next);
    ASSERT_LE(text.size(), bytes);
    ASSERT_EQ(text.starts_with("("), !text.empty() && text.find("number 0") == text.npos) << bytes;
    ASSERT_EQ(next, begin + 10);
  }
  EXPECT_THAT(log.lines(begin, 200, next), EndsWith("number 9\n"));
}

}  // namespace
}  // namespace heddle::entry
