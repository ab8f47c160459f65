#include "checker/place_text.h"

#include <gtest/gtest.h>

namespace heddle::checker {
namespace {

// The first two are of a recording (tests/hw/h200/sanitizer).
TEST(FunctionText, HasConstInFrontOfWhatAPointerPointsTo) {
  EXPECT_EQ(function_text("_Z4copyPKiPi"), "copy(const int *, int *)");
  EXPECT_EQ(function_text("_Z7partialPiPKi"), "partial(int *, const int *)");
  EXPECT_EQ(function_text("_Z1fPKjc"), "f(const unsigned int *, char)");
  EXPECT_EQ(function_text("_Z1gIKiEvPT_"), "void g<const int>(const int *)");
}

TEST(FunctionText, LeavesOtherNamesAlone) {
  EXPECT_EQ(function_text("_Z1fPii"), "f(int *, int)");
  EXPECT_EQ(function_text("kernel"), "kernel");
  EXPECT_EQ(function_text("_ZNK5Shape4areaEv"), "Shape::area() const");
}

}  // namespace
}  // namespace heddle::checker
