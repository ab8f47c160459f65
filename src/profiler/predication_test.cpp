#include "profiler/predication.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "module/test_link.h"

namespace heddle::profiler {
namespace {

constexpr arch::Capability g80{1, 0}, hopper{9, 0};
const std::string differing = "mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 7;",
                  alike = "mov.u32 %r1, %ctaid.x; ld.param.u32 %r2, [n]; setp.lt.u32 %p, %r1, %r2;";

std::string times(unsigned count, const std::string& text) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += text;
  return all;
}

// Whether the only branch that a guard has is made instructions under a predicate.
bool replaced(arch::Capability capability, const std::string& text) {
  const auto image = module::link_text(
      ".visible .entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 "
      "%rd<20>; "
      ".reg .pred %p, %q; .shared .b32 s[64];\n ld.param.u64 %rd1, [p];\n" +
      text + "\nret; }");
  const module::Function& function = image->functions[image->function_index("k")];
  const Predication predication(*image, function, capability);
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (const uint32_t end = predication.end_of(i); end != 0) {
      EXPECT_EQ(function.code[i].opcode, isa::Opcode::bra);
      EXPECT_GT(end, i + 1);
      return true;
    }
  return false;
}
bool replaced(arch::Capability capability, const std::string& condition, const std::string& body) {
  return replaced(capability, condition + "@!%p bra L;\n" + body + "\nL: st.global.f32 [%rd1], %f1;");
}

// "If the compiler determines that the condition is likely to produce many divergent warps, this threshold is
// 7, otherwise it is 4" (NVIDIA OpenCL Programming Guide 3.2, 3.4.2).
TEST(Predication, HasTheGuidesThresholds) {
  const std::string one = "fma.rn.f32 %f1, %f1, %f2, %f3;";
  EXPECT_TRUE(replaced(g80, differing, times(7, one)));
  EXPECT_FALSE(replaced(g80, differing, times(8, one)));
  EXPECT_TRUE(replaced(g80, alike, times(4, one)));
  EXPECT_FALSE(replaced(g80, alike, times(5, one)));
}

// As ptxas 13.0 does for sm_75, 80, 90, 100 and 120.
TEST(Predication, HasTheThresholdsOfTodaysAssembler) {
  for (const arch::Capability capability : {arch::Capability{7, 5}, {8, 0}, hopper, {10, 0}, {12, 0}})
    for (const std::string one : {"fma.rn.f32 %f1, %f1, %f2, %f3;", "mad.lo.s32 %r3, %r3, %r4, %r5;",
                                  "st.global.f32 [%rd1+4096], %f2;", "st.volatile.shared.f32 [s], %f2;"}) {
      EXPECT_TRUE(replaced(capability, differing, times(8, one))) << one;
      EXPECT_FALSE(replaced(capability, differing, times(9, one))) << one;
      EXPECT_TRUE(replaced(capability, alike, times(6, one))) << one;
      EXPECT_FALSE(replaced(capability, alike, times(7, one))) << one;
    }
  const std::string pair = "ld.volatile.shared.f32 %f4, [s]; st.volatile.shared.f32 [s], %f4;";
  EXPECT_TRUE(replaced(hopper, differing, times(4, pair)));
  EXPECT_FALSE(replaced(hopper, differing, times(5, pair)));
  EXPECT_TRUE(replaced(hopper, alike, times(3, pair)));
  EXPECT_FALSE(replaced(hopper, alike, times(4, pair)));
}

TEST(Predication, OfWhatIsLoadedLanesMayDiffer) {
  const std::string one = "fma.rn.f32 %f1, %f1, %f2, %f3;",
                    loaded = "ld.global.u32 %r1, [%rd1]; setp.lt.u32 %p, %r1, 7;",
                    counted =
                        "mov.u32 %r1, 0; A: add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 9; @%q bra A;"
                        "setp.lt.u32 %p, %r1, 7;";
  EXPECT_TRUE(replaced(hopper, loaded, times(8, one)));
  EXPECT_TRUE(replaced(hopper, counted, times(6, one)));
  EXPECT_FALSE(replaced(hopper, counted, times(7, one)));
}

TEST(Predication, NeedsABodyOfItsOwn) {
  const std::string one = "add.f32 %f1, %f1, %f2;";
  EXPECT_FALSE(replaced(hopper, differing, "bar.sync 0;"));
  EXPECT_FALSE(replaced(hopper, differing, "div.rn.f32 %f1, %f1, %f2;"));
  EXPECT_FALSE(replaced(hopper, differing, one + "M: " + one + "setp.lt.f32 %q, %f1, %f2; @%q bra M;"));
  // Another way comes to what is jumped over.
  EXPECT_FALSE(replaced(hopper, differing + "setp.lt.u32 %q, %r1, 3; @%q bra M; @!%p bra L;\nM: " + one +
                                    "\nL: st.global.f32 [%rd1], %f1;"));
}

}  // namespace
}  // namespace heddle::profiler
