#include "analysis/pointer_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

// "0:0 1:8!": numbers and offsets, with a mark where the value is observed.
std::string found(const std::string& text) {
  const auto image = module::link_text(text);
  std::string list;
  for (const PointerParameter& p : pointer_parameters(*image, image->function_index("k"))) {
    if (!list.empty()) list += ' ';
    list += std::to_string(p.parameter) + ":" + std::to_string(p.offset) + (p.observed ? "!" : "");
  }
  return list;
}

std::string kernel(const std::string& params, const std::string& body) {
  return ".visible .entry k(" + params +
         ") { .reg .b64 a, b, c; .reg .b32 i, v; .reg .pred q; mov.u32 i, %tid.x; " + body + " ret; }";
}

constexpr const char* two = ".param .u64 x, .param .u64 y";

TEST(PointerParameters, TheBaseOfAnAccessIsOneThroughCopiesAndSums) {
  EXPECT_EQ(found(kernel(two,
                         "ld.param.u64 a, [y]; cvta.to.global.u64 b, a; mad.wide.u32 c, i, 4, b; "
                         "add.s64 c, c, 16; st.global.u32 [c], i;")),
            "1:8");
  EXPECT_EQ(
      found(kernel(two, "ld.param.u64 a, [x]; ld.param.u64 b, [y]; ld.u32 v, [a]; atom.add.u32 v, [b], v;")),
      "0:0 1:8");
}

TEST(PointerParameters, AValueThatIsNeverABaseIsNone) {
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; ld.param.u64 b, [y]; st.global.u64 [b], a;")), "1:8");
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; prefetch.global.L2 [a];")), "");
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; cvt.u32.u64 v, a;")), "");
}

TEST(PointerParameters, AWordOfAStructureIsToldFromItsNeighbours) {
  EXPECT_EQ(found(kernel(".param .align 8 .b8 s[32]",
                         "ld.param.v2.u64 {a, b}, [s+8]; st.global.u32 [b], i; st.global.u64 [b], a;")),
            "0:16");
}

TEST(PointerParameters, AStructureIsReadByItsAddressToo) {
  EXPECT_EQ(found(kernel(".param .align 8 .b8 s[32]",
                         "mov.b64 a, s; mov.u64 b, a; ld.param.u64 c, [b+16]; st.global.u32 [c], i; "
                         "add.s64 b, a, 8; cvta.param.u64 b, b; ld.u64 c, [b+16]; st.global.u32 [c], i;")),
            "0:16 0:24");
}

TEST(PointerParameters, AComputedPlaceIsAnyBehindItsBase) {
  EXPECT_EQ(
      found(kernel(".param .align 8 .b8 s[32], .param .u64 x",
                   "mov.b64 a, s; mad.wide.u32 b, i, 8, a; ld.param.u64 c, [b+12]; st.global.u32 [c], i;")),
      "0:16 0:24");
}

TEST(PointerParameters, TestsForNullObserveNothingOtherUsesDo) {
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; setp.eq.s64 q, a, 0; @q ret; st.global.u32 [a], i;")),
            "0:0");
  EXPECT_EQ(found(kernel(two,
                         "ld.param.u64 a, [x]; ld.param.u64 b, [y]; setp.lt.u64 q, a, b; @q ret; "
                         "st.global.u32 [a], i;")),
            "0:0!");
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; st.global.u64 [a], a;")), "0:0!");
  EXPECT_EQ(found(kernel(two, "ld.param.u64 a, [x]; and.b64 b, a, -16; st.global.u32 [b], i;")), "0:0!");
}

TEST(PointerParameters, WhatALoopHandsOnIsFoundAgainstTheOrderOfTheText) {
  EXPECT_EQ(
      found(kernel(two,
                   "mov.u64 c, 0; mov.u64 b, 0; again: @q st.global.u32 [c], i; mov.u64 c, b; mov.u64 b, a; "
                   "ld.param.u64 a, [x]; setp.lt.u32 q, i, 9; @q bra again;")),
      "0:0");
}

TEST(PointerParameters, AFunctionMayUseWhatItIsGiven) {
  const std::string call = "{ .param .b64 p; st.param.b64 [p], a; call.uni f, (p); }";
  EXPECT_EQ(found(".func f(.param .b64 p) { ret; }\n" + kernel(two, "ld.param.u64 a, [x];" + call)), "0:0!");
  EXPECT_EQ(found(".extern .func f(.param .b64 p);\n" + kernel(two, "ld.param.u64 a, [x];" + call)), "");
}

TEST(PointerParameters, ProgramsOf32BitsHaveNone) {
  EXPECT_EQ(
      found(".version 3.0\n.target sm_20\n.address_size 32\n.visible .entry k(.param .u32 x) { .reg .u32 a; "
            "ld.param.u32 a, [x]; st.global.u32 [a], 1; ret; }"),
      "");
}

// "0+8 v+0?": offset in the buffer or variable, and distance, with a mark where there may be others.
std::string in_memory(const std::string& text) {
  const auto image = module::link_text(text);
  std::string list;
  for (const FoundPointer& p : found_pointers(*image, image->function_index("k"))) {
    if (!list.empty()) list += ' ';
    list += (p.by_symbol ? image->symbols[p.from].name : std::to_string(p.from)) + "+" +
            std::to_string(p.distance) + (p.exact ? "" : "?");
  }
  return list;
}

TEST(FoundPointers, AWordOfAStructureInMemoryIsOne) {
  EXPECT_EQ(in_memory(kernel(two,
                             "ld.param.u64 a, [y]; add.s64 b, a, 16; ld.global.u64 c, [b+8]; "
                             "mad.wide.u32 c, i, 4, c; st.global.u32 [c], i;")),
            "8+24");
  // What is loaded and no base is none, nor is a base that is no more than an argument.
  EXPECT_EQ(in_memory(kernel(two, "ld.param.u64 a, [x]; ld.global.u64 b, [a]; st.global.u64 [a], b;")), "");
}

TEST(FoundPointers, AWordOfAVariableIsOne) {
  const std::string variables = ".global .u64 g; .const .align 8 .b8 d[32];";
  EXPECT_EQ(in_memory(variables + kernel(two, "ld.global.u64 a, [g]; st.global.u32 [a], i;")), "g+0");
  EXPECT_EQ(in_memory(variables + kernel(two, "ld.const.u64 a, [d+16]; st.global.u32 [a], i;")), "d+16");
  EXPECT_EQ(in_memory(variables + kernel(two,
                                         "mov.u64 a, g; cvta.global.u64 b, a; ld.u64 c, [b]; "
                                         "st.global.u32 [c], i;")),
            "g+0");
}

TEST(FoundPointers, OfATableTheFirstIsLookedAt) {
  EXPECT_EQ(in_memory(kernel(two,
                             "ld.param.u64 a, [x]; mad.wide.u32 b, i, 8, a; ld.global.u64 c, [b+8]; "
                             "st.global.u32 [c], i;")),
            "0+8?");
  EXPECT_EQ(in_memory(kernel(two,
                             "ld.param.u64 a, [x]; again: ld.global.u64 c, [a]; st.global.u32 [c], i; "
                             "add.s64 a, a, 8; setp.lt.u32 q, i, 9; @q bra again;")),
            "0+0? 0+0");
}

}  // namespace
}  // namespace heddle::analysis
