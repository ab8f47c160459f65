#include "analysis/barrier_joins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

struct Text {
  std::shared_ptr<const module::Image> image;
  uint32_t entry = 0;
  uint32_t find(uint32_t function, isa::Opcode opcode, uint32_t which = 0) const {
    const auto& code = image->functions[function].code;
    for (uint32_t i = 0; i < code.size(); ++i)
      if (code[i].opcode == opcode && which-- == 0) return i;
    return module::none;
  }
};
Text text(const std::string& body, const std::string& before = "") {
  Text t;
  t.image = module::link_text(before +
                              ".visible .entry k(.param .u64 x) { .reg .b64 a; .reg .b32 i; .reg .pred p, q; "
                              "mov.u32 i, %tid.x; setp.lt.u32 p, i, 7; setp.eq.u32 q, i, 3; " +
                              body + " }");
  t.entry = t.image->function_index("k");
  return t;
}
Absent absent(const Text& t) {
  return BarrierJoins(*t.image, t.entry).absent(t.entry, t.find(t.entry, isa::Opcode::bar));
}

TEST(BarrierJoins, AreWhereBranchesMeet) {
  EXPECT_EQ(absent(text("bar.sync 0; ret;")), Absent::comes);
  EXPECT_EQ(absent(text("@p bra l; bar.sync 0; l: add.u32 i, i, 1; ret;")), Absent::waits);
  EXPECT_EQ(absent(text("@p bra l; bar.sync 0; l: ret;")), Absent::may_end);
  EXPECT_EQ(absent(text("@p bra l; add.u32 i, i, 1; l: bar.sync 0; ret;")), Absent::comes);
  EXPECT_EQ(absent(text("@p bra l; @q bra m; bar.sync 0; m: add.u32 i, i, 1; l: ret;")), Absent::may_end);
  EXPECT_EQ(
      absent(text("l: add.u32 i, i, 1; bar.sync 0; setp.lt.u32 q, i, 9; @q bra l; add.u32 i, i, 2; ret;")),
      Absent::waits);
  EXPECT_EQ(absent(text("l: bar.sync 0; add.u32 i, i, 1; setp.lt.u32 q, i, 9; @q bra l; ret;")),
            Absent::waits);
  EXPECT_EQ(absent(text("@p bra m; l: bar.sync 0; add.u32 i, i, 1; setp.lt.u32 q, i, 9; @q bra l; m: ret;")),
            Absent::may_end);
}

TEST(BarrierJoins, OfFunctionsAreThoseOfTheirCalls) {
  const std::string inner = ".func f() { bar.sync 0; ret; } ";
  const auto of = [&](const std::string& body) {
    const Text t = text(body, inner);
    const uint32_t f = t.image->function_index("f");
    return BarrierJoins(*t.image, t.entry).absent(f, t.find(f, isa::Opcode::bar));
  };
  EXPECT_EQ(of("call f; ret;"), Absent::comes);
  EXPECT_EQ(of("@p bra l; call f; l: ret;"), Absent::may_end);
  EXPECT_EQ(of("@p bra l; call f; l: add.u32 i, i, 1; ret;"), Absent::waits);
}

TEST(BarrierJoins, ArePassedOnTheWayToTheEnd) {
  const Text t = text("@p bra l; bar.sync 0; l: add.u32 i, i, 1; ret;");
  const BarrierJoins joins(*t.image, t.entry);
  const uint32_t barrier = t.find(t.entry, isa::Opcode::bar), end = t.find(t.entry, isa::Opcode::ret);
  EXPECT_TRUE(joins.passed_join(t.entry, end, barrier));
  const Text early = text("@p bra l; bar.sync 0; add.u32 i, i, 1; ret; l: add.u32 i, i, 2; ret;");
  const BarrierJoins other(*early.image, early.entry);
  EXPECT_FALSE(other.passed_join(early.entry, early.find(early.entry, isa::Opcode::ret, 1),
                                 early.find(early.entry, isa::Opcode::bar)));
}

}  // namespace
}  // namespace heddle::analysis
