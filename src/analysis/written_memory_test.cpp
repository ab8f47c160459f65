#include "analysis/written_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

// "0 8 table": offsets of parameters, names of variables; "?" where it is not known.
std::string written(const std::string& text) {
  const auto image = module::link_text(text);
  const WrittenMemory memory = written_memory(*image, image->function_index("k"));
  if (!memory.known) return "?";
  std::string list;
  const auto add = [&](const std::string& word) { list += (list.empty() ? "" : " ") + word; };
  for (const uint32_t offset : memory.parameters) add(std::to_string(offset));
  for (const uint32_t symbol : memory.variables) add(image->symbols[symbol].name);
  return list;
}

std::string kernel(const std::string& body, const std::string& before = "") {
  return before +
         ".visible .entry k(.param .u64 x, .param .u64 y, .param .align 8 .b8 s[16]) { .reg .b64 a, b, c, d; "
         ".reg .b32 i, v; .reg .pred q; mov.u32 i, %tid.x; " +
         body + " ret; }";
}

TEST(WrittenMemory, IsWhatStoresAndAtomicOperationsPointInto) {
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.param.u64 b, [y]; cvta.to.global.u64 b, b; mul.wide.u32 "
                           "c, i, 4; add.s64 c, b, c; "
                           "ld.global.u32 v, [a]; st.global.u32 [c+4], v;")),
            "8");
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.param.u64 b, [s+8]; atom.global.add.u32 v, [a], 1; "
                           "red.global.add.u32 [b], 1;")),
            "0 24");
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.global.u32 v, [a];")), "");
}

TEST(WrittenMemory, MayBeOneOfSeveralBases) {
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.param.u64 b, [y]; setp.eq.u32 q, i, 0; selp.b64 c, a, b, "
                           "q; st.global.u32 [c], i;")),
            "0 8");
  EXPECT_EQ(written(kernel("ld.param.v2.u64 {a, b}, [s]; l: st.u32 [a], i; add.s64 a, a, 4; "
                           "setp.eq.u64 q, a, b; @!q bra l;")),
            "16");
}

TEST(WrittenMemory, HasVariables) {
  const char* table = ".visible .global .u32 table[8]; .visible .const .u32 fixed[8];";
  EXPECT_EQ(written(kernel("mov.u64 a, table; st.global.u32 [a], i; ld.const.u32 v, [fixed];", table)),
            "table");
  EXPECT_EQ(written(kernel("st.global.u32 [table+4], i;", table)), "table");
}

TEST(WrittenMemory, OfABlockOrAThreadIsNotGlobal) {
  EXPECT_EQ(written(kernel("mov.u64 a, tile; cvta.shared.u64 a, a; st.u32 [a], i; st.shared.u32 [tile], i;",
                           ".shared .u32 tile[8];")),
            "");
}

TEST(WrittenMemory, IsNotKnownWhereAddressesAreFoundOrPutTogether) {
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.global.u64 b, [a]; st.global.u32 [b], i;")), "?");
  EXPECT_EQ(written(kernel("ld.param.u64 a, [x]; ld.global.v2.u32 {i, v}, [a]; mov.b64 b, {i, v}; "
                           "st.global.u32 [b], i;")),
            "?");
  EXPECT_EQ(written(kernel("cvt.u64.u32 b, i; st.global.u32 [b], i;")), "?");
  EXPECT_EQ(written(kernel("mov.b64 a, s; cvta.param.u64 a, a; ld.u64 b, [a]; st.u32 [b], i;")), "?");
}

TEST(WrittenMemory, IsNotKnownWhereAFunctionWrites) {
  const char* reads =
      ".func (.param .b32 r) f(.param .u64 p) { .reg .b64 a; .reg .b32 v; ld.param.u64 a, [p]; "
      "ld.u32 v, [a]; st.param.u32 [r], v; ret; }";
  const char* writes =
      ".func (.param .b32 r) f(.param .u64 p) { .reg .b64 a; .reg .b32 v; ld.param.u64 a, [p]; "
      "mov.u32 v, 1; st.u32 [a], v; st.param.u32 [r], v; ret; }";
  const std::string calls =
      "ld.param.u64 a, [x]; ld.param.u64 b, [y]; { .param .b64 p; .param .b32 r; st.param.b64 [p], a; call "
      "(r), f, (p); ld.param.b32 v, [r]; } st.global.u32 [b], v;";
  EXPECT_EQ(written(kernel(calls, reads)), "8");
  EXPECT_EQ(written(kernel(calls, writes)), "?");
  // A device math function with a result in memory.
  EXPECT_EQ(written(kernel(
                "ld.param.u64 a, [x]; { .param .b32 n; .param .b64 p; .param .b32 r; st.param.b32 [n], i; "
                "st.param.b64 [p], a; call (r), __nv_frexpf, (n, p); ld.param.b32 v, [r]; }",
                ".extern .func (.param .b32 r) __nv_frexpf(.param .b32 n, .param .b64 p);")),
            "?");
}

}  // namespace
}  // namespace heddle::analysis
