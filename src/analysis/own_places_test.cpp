#include "analysis/own_places.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

struct Shape {
  std::array<uint32_t, 3> grid{4, 1, 1}, block{64, 1, 1};
};

// Two allocations of 4 KiB, a and b, and a number.
std::string threads(const std::string& body, uint32_t n = 1000, const Shape& shape = {}) {
  const std::string text =
      ".extern .func (.param .b32 r) __nv_sinf(.param .b32 x); .extern .func (.param .b32 r) other(.param "
      ".b32 "
      "x); "
      ".func own(.reg .b64 x) { .reg .b32 v; ld.global.u32 v, [x]; ret; } .func empty() { ret; } "
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) { .reg .b64 x, y, o, d, e; "
      ".reg .b32 c, i, j, m, t, u, v, w; .reg .pred p, q, r; .shared .u32 tile[8]; ld.param.u64 x, [a]; "
      "ld.param.u64 "
      "y, [b]; ld.param.u32 m, [n]; "
      "mov.u32 c, %ctaid.x; mov.u32 j, %ntid.x; mov.u32 t, %tid.x; mad.lo.s32 i, c, j, t; " +
      body + " done: ret; }";
  const auto image = module::link_text(text);
  std::vector<std::byte> parameters(20);
  const uint64_t a = 0x10000, b = 0x20000;
  std::memcpy(parameters.data(), &a, 8);
  std::memcpy(parameters.data() + 8, &b, 8);
  std::memcpy(parameters.data() + 16, &n, 4);
  const LaunchValues values{shape.grid, shape.block, parameters, {}, {}};
  const OwnPlaces own = own_places(*image, image->function_index("k"), values,
                                   [&](uint64_t address) -> std::optional<MemoryRange> {
                                     for (const uint64_t begin : {a, b})
                                       if (address - begin < 4096) return MemoryRange{begin, 4096};
                                     return std::nullopt;
                                   });
  return !own.known ? "meet" : own.accesses_shared ? "own, shared" : "own";
}

const std::string at_i = "mul.wide.s32 o, i, 4; add.s64 d, x, o; ";

TEST(OwnPlaces, AreThoseOfTheThreadsIndex) {
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i;"), "own");
  EXPECT_EQ(threads(at_i + "cvta.to.global.u64 e, d; ld.global.u32 v, [e]; st.global.u32 [d], v;"), "own");
  EXPECT_EQ(threads(at_i + "st.global.u64 [d], x;"), "meet");  // the next one's bytes as well
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i; ld.global.u32 v, [d+4];"), "meet");
  EXPECT_EQ(threads("st.global.u32 [x], i;"), "meet");
  EXPECT_EQ(threads("mul.wide.s32 o, t, 4; add.s64 d, x, o; st.global.u32 [d], i;"),
            "meet");  // of each block
  EXPECT_EQ(threads("mul.wide.s32 o, t, 4; add.s64 d, x, o; st.global.u32 [d], i;", 0, {.grid = {1, 1, 1}}),
            "own");
}

TEST(OwnPlaces, AreAllThatIsOnlyRead) {
  EXPECT_EQ(threads(at_i + "ld.global.u32 v, [y]; st.global.u32 [d], v;"), "own");
  EXPECT_EQ(threads("ld.global.u32 v, [y]; ld.global.u32 w, [y+4];"), "own");
}

TEST(OwnPlaces, MayBeSeveralOfAThread) {
  const std::string two = "mul.wide.s32 o, i, 8; add.s64 d, x, o; ";
  EXPECT_EQ(threads(two + "st.global.u32 [d], i; st.global.u32 [d+4], i;"), "own");
  EXPECT_EQ(threads(two + "st.global.u32 [d], i; st.global.u32 [d+8], i;"), "meet");
  // The second half, too.
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i; st.global.u32 [d+1024], i;"), "own");
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i; st.global.u32 [d+512], i;"), "meet");
}

TEST(OwnPlaces, StayInTheirAllocation) {
  const Shape large{.grid = {32, 1, 1}};
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i;", 1000, large), "meet");
  const std::string guarded = "setp.ge.s32 p, i, m; @p bra done; " + at_i + "st.global.u32 [d], i;";
  EXPECT_EQ(threads(guarded, 1000, large), "own");
  EXPECT_EQ(threads(guarded, 1025, large), "meet");
  EXPECT_EQ(threads("setp.lt.u32 p, i, m; " + at_i + "@p st.global.u32 [d], i;", 1000, large), "own");
  EXPECT_EQ(threads("setp.lt.u32 p, i, m; " + at_i + "@!p st.global.u32 [d], i;", 1000, large), "meet");
  EXPECT_EQ(threads("setp.lt.u32 p, i, m; not.pred q, p; @q bra done; " + at_i + "st.global.u32 [d], i;",
                    1000, large),
            "own");
}

TEST(OwnPlaces, OfOneThreadOfABlock) {
  const std::string of_block = "mul.wide.u32 o, c, 4; add.s64 d, x, o; ";
  EXPECT_EQ(threads("setp.ne.s32 p, t, 0; @p bra done; " + of_block + "st.global.u32 [d], i;"), "own");
  EXPECT_EQ(threads("setp.gt.s32 p, t, 1; @p bra done; " + of_block + "st.global.u32 [d], i;"), "meet");
}

TEST(OwnPlaces, OfTwoDimensions) {
  const std::string body =
      "mov.u32 u, %tid.y; setp.lt.s32 p, i, 20; setp.lt.s32 q, u, 10; and.pred r, p, q; @!r bra done; "
      "mad.lo.s32 v, u, m, i; mul.wide.s32 o, v, 4; add.s64 d, x, o; st.global.u32 [d], i;";
  const Shape shape{.grid = {2, 1, 1}, .block = {16, 16, 1}};
  EXPECT_EQ(threads(body, 20, shape), "own");
  EXPECT_EQ(threads(body, 19, shape), "meet");  // rows that overlap
}

TEST(OwnPlaces, AreNotKnownOfWhatMemorySays) {
  EXPECT_EQ(threads("ld.global.u32 v, [y]; mul.wide.s32 o, v, 4; add.s64 d, x, o; st.global.u32 [d], i;"),
            "meet");
  EXPECT_EQ(threads("mov.u32 v, 0; more: add.s32 v, v, 1; mul.wide.s32 o, v, 4; add.s64 d, x, o; "
                    "st.global.u32 [d], i; setp.lt.u32 p, v, m; @p bra more;"),
            "meet");
  EXPECT_EQ(threads(at_i + "atom.global.add.u32 v, [d], 1;"), "meet");
  EXPECT_EQ(threads(at_i + "st.volatile.global.u32 [d], i;"), "meet");
  EXPECT_EQ(threads(at_i + "st.global.u32 [d], i; st.shared.u32 [tile], i;"), "own, shared");
}

TEST(OwnPlaces, AreNotKnownOfFunctionsThatAccessMemory) {
  const auto call = [](const std::string& name) {
    return "{ .param .b32 r0; .param .b32 x0; st.param.b32 [x0], i; call (r0), " + name +
           ", (x0); ld.param.b32 v, [r0]; } " + at_i + "st.global.u32 [d], v;";
  };
  EXPECT_EQ(threads(call("__nv_sinf")), "own");
  EXPECT_EQ(threads(call("other")), "meet");
  EXPECT_EQ(threads("call empty; " + at_i + "st.global.u32 [d], i;"), "own");
  EXPECT_EQ(threads("call own, (y); " + at_i + "st.global.u32 [d], i;"), "meet");
}

TEST(OwnPlaces, DoNotOverflow) {
  // 2^31 bytes behind: the sum is negative.
  EXPECT_EQ(threads("shl.b32 v, i, 26; mul.wide.s32 o, v, 4; add.s64 d, x, o; st.global.u32 [d], i;"),
            "meet");
  EXPECT_EQ(threads("add.s32 v, i, -1; add.s32 w, v, 1; mul.wide.u32 o, w, 4; add.s64 d, x, o; "
                    "st.global.u32 [d], i;"),
            "own");
}

}  // namespace
}  // namespace heddle::analysis
