#include "support/source.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(SourceText, LocatesLinesAndColumnsFromOne) {
  const SourceText source("a.ptx", "ab\ncd\n\nx");
  const auto at = [&](uint32_t offset) {
    const LineColumn place = source.locate(offset);
    return std::pair(place.line, place.column);
  };
  EXPECT_EQ(at(0), std::pair(1u, 1u));
  EXPECT_EQ(at(2), std::pair(1u, 3u));  // the newline belongs to its line
  EXPECT_EQ(at(3), std::pair(2u, 1u));
  EXPECT_EQ(at(6), std::pair(3u, 1u));
  EXPECT_EQ(at(7), std::pair(4u, 1u));
  EXPECT_EQ(at(8), std::pair(4u, 2u));
  EXPECT_EQ(at(4'000'000'000u), std::pair(4u, 2u));
}

TEST(SourceText, GivesLinesWithoutTheirEnd) {
  const SourceText source("a.ptx", "one\r\ntwo\n\nlast");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.line(0), "");
}

TEST(SourceText, PreprocessorMarksRenameLines) {
  const SourceText source(
      "a.ptx", "one\n# 7 \"k.cu\"\nseven\neight\n  #line 40 \"l.cu\" 3\nforty\n#pragma x\n# 5\nfive");
  const auto at = [&](std::string_view text) {
    const PresumedPlace place = source.presume(static_cast<uint32_t>(source.text().find(text)));
    return std::string(place.file) + ':' + std::to_string(place.line);
  };
  EXPECT_EQ(at("one"), "a.ptx:1");
  EXPECT_EQ(at("seven"), "k.cu:7");
  EXPECT_EQ(at("eight"), "k.cu:8");
  EXPECT_EQ(at("forty"), "l.cu:40");
  EXPECT_EQ(at("five"), "l.cu:5");
}

TEST(SourceText, EmptyTextIsOneEmptyLine) {
  const SourceText source("a.ptx", "");
  EXPECT_EQ(source.locate(0).line, 1u);
  EXPECT_EQ(source.locate(9).column, 1u);
  EXPECT_EQ(source.line(1), "");
}

}  // namespace
}  // namespace heddle
