#include "api/entry/trace.h"

#include <gtest/gtest.h>

namespace heddle::entry {
namespace {

enum Kind { first_kind, second_kind };
struct Pair {
  int x, y;
};

TEST(Trace, ShowsEveryKindOfArgument) {
  int out = -3;
  void* pointer = nullptr;
  const Record record{"f", "*out,count,\"name,kind,ratio,pair,where"};
  const char* name = "abc";
  const std::string text =
      call_text(record, "ok", true,
                {argument(&out), argument(std::size_t{7}), argument(name), argument(second_kind),
                 argument(0.5F), argument(Pair{1, 2}), argument(pointer)});
  EXPECT_NE(text.find(" -> -3, count=7, name=\"abc\", kind=1, ratio=0.5, pair={...}, where=NULL) = ok"),
            std::string::npos)
      << text;
}

TEST(Trace, ShowsNothingWrittenByACallThatFailed) {
  int out = 5;
  const std::string text = call_text({"f", "*out"}, "bad", false, {argument(&out)});
  EXPECT_EQ(text.find("->"), std::string::npos) << text;
  EXPECT_NE(text.find(") = bad"), std::string::npos) << text;
  EXPECT_EQ(call_text({"g", ""}, "", true, {}), "g()");
}

TEST(Trace, CutsLongStrings) {
  const std::string text(200, 'x');
  EXPECT_EQ(call_text({"f", "\"text"}, "", true, {argument(text.c_str())}),
            "f(text=\"" + std::string(80, 'x') + "...\")");
}

TEST(Trace, ReadsWhatIsWrittenThroughItsOwnSize) {
  float single = 1.25F;
  double wide = -2.5;
  unsigned char small = 200;
  EXPECT_NE(call_text({"f", "*a"}, "", true, {argument(&single)}).find("-> 1.25)"), std::string::npos);
  EXPECT_NE(call_text({"f", "*a"}, "", true, {argument(&wide)}).find("-> -2.5)"), std::string::npos);
  EXPECT_NE(call_text({"f", "*a"}, "", true, {argument(&small)}).find("-> 200)"), std::string::npos);
}

}  // namespace
}  // namespace heddle::entry
