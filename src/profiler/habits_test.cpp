#include "profiler/habits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "module/test_link.h"

namespace heddle::profiler {
namespace {

// The counters of the habits of a kernel, in the order of its text.
std::vector<Counter> habits(const std::string& body) {
  const auto image = module::link_text(
      ".extern .func (.param .b32 r) __nv_sinf (.param .b32 a);\n"
      ".extern .func (.param .b32 r) __nv_cosf (.param .b32 a);\n"
      ".extern .func (.param .b32 r) __nv_powf (.param .b32 a, .param .b32 b);\n"
      ".visible .entry k(.param .u64 p) { .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .f64 %d<20>; .reg .b64 "
      "%rd<20>; .reg .pred %p;\n ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; ld.f32 %f1, [%rd1];\n" +
      body + "ret; }");
  const module::Function& function = image->functions[image->function_index("k")];
  const Habits found(*image, function);
  std::vector<Counter> result;
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (const auto counter = found.of(i)) result.push_back(*counter);
  return result;
}
using All = std::vector<Counter>;

std::string call(const std::string& function, const std::string& first, const std::string& second = "") {
  return "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.f32 [a], " + first + ";" +
         (second.empty() ? "" : "st.param.f32 [b], " + second + ";") + "call (r), __nv_" + function + ", (a" +
         (second.empty() ? "" : ", b") + "); ld.param.f32 %f9, [r]; }\n";
}

TEST(Habits, DivisionsOfIntegersByWhatIsNotKnown) {
  EXPECT_EQ(habits("div.u32 %r2, %r1, %r1; rem.s32 %r3, %r1, %r2; div.u32 %r4, %r1, 12;"),
            (All{Counter::slow_divide, Counter::slow_divide}));
}

TEST(Habits, RoundedDivisionsOfSinglePrecision) {
  EXPECT_EQ(habits("div.rn.f32 %f2, %f1, %f1; div.approx.f32 %f3, %f1, %f1; div.rn.f64 %d1, %d1, %d1;"),
            (All{Counter::slow_quotient}));
}

TEST(Habits, OneOverARoot) {
  EXPECT_EQ(habits("sqrt.rn.f32 %f2, %f1; rcp.rn.f32 %f3, %f2;"), (All{Counter::slow_root}));
  EXPECT_EQ(habits("sqrt.rn.f32 %f2, %f1; div.rn.f32 %f3, 0f3F800000, %f2;"), (All{Counter::slow_root}));
  EXPECT_EQ(habits("sqrt.rn.f32 %f2, %f1; rcp.rn.f32 %f3, %f1; rsqrt.approx.f32 %f4, %f1;"), (All{}));
}

TEST(Habits, ADoubleLiteralAmongFloats) {
  const std::string there = "cvt.f64.f32 %d1, %f1;", back = "cvt.rn.f32.f64 %f2, %d3;";
  EXPECT_EQ(habits(there + "mul.f64 %d3, %d1, 0d3FD3333333333333;" + back), (All{Counter::slow_double}));
  EXPECT_EQ(
      habits(there + "mov.f64 %d4, 0d3FF8000000000000; fma.rn.f64 %d3, %d1, 0d3FD3333333333333, %d4;" + back),
      (All{Counter::slow_double}));
  // A sum in double precision is meant so.
  EXPECT_EQ(habits(there + "cvt.f64.f32 %d2, %f1; mul.f64 %d3, %d1, %d2;" + back), (All{}));
  EXPECT_EQ(habits(there + "ld.f64 %d2, [%rd1]; fma.rn.f64 %d3, %d1, 0d3FD3333333333333, %d2;" + back),
            (All{}));
}

TEST(Habits, FunctionsThatHaveAnIntrinsic) {
  EXPECT_EQ(habits(call("sinf", "%f1")), (All{Counter::slow_function}));
  EXPECT_EQ(habits(call("powf", "%f1", "%f1")), (All{Counter::slow_function}));
}

TEST(Habits, GeneralFunctionsWhereThereAreSpecialOnes) {
  EXPECT_EQ(habits(call("powf", "%f1", "0f40400000")), (All{Counter::slow_power}));
  EXPECT_EQ(habits(call("powf", "0f40000000", "%f1")), (All{Counter::slow_power}));
  EXPECT_EQ(habits("mul.f32 %f2, %f1, 0f40490FDB;" + call("sinf", "%f2")), (All{Counter::slow_angle}));
  EXPECT_EQ(habits("mul.f32 %f2, %f1, 0f40400000;" + call("sinf", "%f2")), (All{Counter::slow_function}));
  EXPECT_EQ(habits(call("sinf", "%f1") + call("cosf", "%f1")),
            (All{Counter::slow_function, Counter::slow_pair}));
}

// The guide's loop (CUDA C Best Practices Guide 4.0, 6.3), as clang compiles both: an index that is widened
// each time, and a pointer that goes on.
TEST(Habits, AnIndexWithoutASignThatIsWidenedInALoop) {
  const std::string fill =
      "add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2;"
      "add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2;"
      "add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f2;";
  EXPECT_EQ(habits("mov.u32 %r2, 0;\n"
                   "again: mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.f32 %f2, [%rd3];\n" +
                   fill +
                   "add.s32 %r3, %r2, %r1; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4;"
                   "ld.f32 %f2, [%rd5]; add.s32 %r2, %r2, %r1; setp.lt.u32 %p, %r2, 99; @%p bra again;"),
            (All{Counter::slow_index, Counter::slow_index}));
  EXPECT_EQ(habits("mov.u64 %rd3, %rd1; mov.u32 %r2, 0; mul.wide.u32 %rd2, %r1, 4;\n"
                   "again: ld.f32 %f2, [%rd3];" +
                   fill + fill +
                   "add.s64 %rd3, %rd3, %rd2; add.s32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 99;"
                   "@%p bra again;"),
            (All{}));
}

TEST(Habits, TheWayBackOfAShortLoop) {
  EXPECT_EQ(habits("mov.u32 %r2, 0;\n"
                   "again: fma.rn.f32 %f1, %f1, %f1, %f1; add.s32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 99;\n"
                   "@%p bra again;"),
            (All{Counter::slow_loop}));
}

}  // namespace
}  // namespace heddle::profiler
