#include "support/escape.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Escape, ReturnsNothingWhenTheWorkEnds) {
  int done = 0;
  EXPECT_EQ(with_escape([&] { done = 1; }), std::nullopt);
  EXPECT_EQ(done, 1);
}

TEST(Escape, EndsTheWorkWithItsMessage) {
  volatile int done = 0;
  EXPECT_EQ(with_escape([&] {
              escape("no such register");
              done = 1;
            }),
            "no such register");
  EXPECT_EQ(done, 0);
}

TEST(Escape, EndsTheInnermostWorkOnly) {
  volatile bool outer_went_on = false;
  EXPECT_EQ(with_escape([&] {
              EXPECT_EQ(with_escape([] { escape("inner"); }), "inner");
              outer_went_on = true;
              escape("outer");
            }),
            "outer");
  EXPECT_TRUE(outer_went_on);
}

TEST(Escape, ReturnsWhereNobodyWaits) { escape("ignored"); }

}  // namespace
}  // namespace heddle
