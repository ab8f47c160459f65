#include "checker/place_text.h"

#include <gtest/gtest.h>

#include "module/test_link.h"

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

// tests/ptx/image/lines.ptx in short.
TEST(CallText, HasTheCallersOfWhatWasInlined) {
  const auto image = module::link_text(
      ".visible .entry k() { .reg .b32 r; .loc 1 3 5 mov.u32 r, 2; "
      "\n.loc 2 8 9, function_name $names, inlined_at 1 3 "
      "5\nmov.u32 r, 3; ret; }\n.file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n"
      ".section .debug_str { $names: .b8 105,110,110,101,114,0 .b8 102,0 }\n");
  const uint32_t entry = image->function_index("k");
  const CallText inlined = call_text(*image, {entry, 1});
  EXPECT_EQ(inlined.at, "inner+0x10 in b.cuh:8");
  EXPECT_EQ(inlined.frames, "\n        Device Frame: k+0x10 in a.cu:3");
  const CallText own = call_text(*image, {entry, 0});
  EXPECT_EQ(own.at, "k+0x0 in a.cu:3");
  EXPECT_EQ(own.frames, "");
}

}  // namespace
}  // namespace heddle::checker
