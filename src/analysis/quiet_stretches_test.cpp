#include "analysis/quiet_stretches.h"

#include <gtest/gtest.h>

#include <string>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

// Of the loads of shared memory in the text, in order: 'q' for one in a quiet stretch, 'w' for another one.
std::string loads(const std::string& body, const std::string& before = "") {
  const auto image = module::link_text(
      before +
      ".visible .entry k(.param .u64 x) { .reg .b64 a; .reg .b32 i, v; .reg .pred q; .shared .u32 tile[64]; "
      "mov.u32 i, %tid.x; setp.eq.u32 q, i, 3; ld.param.u64 a, [x]; " +
      body + " ret; }");
  const uint32_t entry = image->function_index("k");
  const QuietStretches stretches = quiet_stretches(*image, entry);
  const module::Function& function = image->functions[entry];
  std::string text;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const module::Instruction& instruction = function.code[i];
    if (instruction.opcode != isa::Opcode::ld ||
        function.operands[instruction.first_operand + 1].space != module::Space::shared)
      continue;
    text += !stretches.quiet.empty() && stretches.quiet[i] ? 'q' : 'w';
  }
  return text;
}

TEST(QuietStretches, AreBetweenBarriers) {
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; bar.sync 0; st.shared.u32 [tile], i; ld.shared.u32 v, [tile]; "
                  "bar.sync 0; ld.shared.u32 v, [tile];"),
            "qwq");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile];"), "q");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; barrier.sync 0; atom.shared.add.u32 v, [tile], 1;"), "q");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; st.global.u32 [a], v;"), "q");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; st.u32 [a], v;"), "w");  // a generic address
}

TEST(QuietStretches, GoAroundLoops) {
  EXPECT_EQ(loads("l: st.shared.u32 [tile], i; bar.sync 0; ld.shared.u32 v, [tile]; bar.sync 0; @q bra l;"),
            "q");
  // Without the second barrier the store of the next turn is there, too.
  EXPECT_EQ(loads("l: st.shared.u32 [tile], i; bar.sync 0; ld.shared.u32 v, [tile]; @q bra l;"), "w");
}

TEST(QuietStretches, EndAtBarriersThatAllThreadsWaitAt) {
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; @q bar.sync 0; st.shared.u32 [tile], i;"), "w");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; bar.sync 0, 32; st.shared.u32 [tile], i;"), "w");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; bar.arrive 0, 64; st.shared.u32 [tile], i;"), "w");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; bar.warp.sync -1; st.shared.u32 [tile], i;"), "w");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; @q bra l; bar.sync 0; l: st.shared.u32 [tile], i;"), "w");
}

TEST(QuietStretches, KnowWhatFunctionsDo) {
  EXPECT_EQ(loads("call f; ld.shared.u32 v, [tile];", ".func f() { ret; }"), "q");
  EXPECT_EQ(loads("call f; ld.shared.u32 v, [tile]; bar.sync 0; ld.shared.u32 v, [tile];",
                  ".shared .u32 other; .func f() { st.shared.u32 [other], 1; ret; }"),
            "wq");
  EXPECT_EQ(loads("ld.shared.u32 v, [tile]; call f;", ".func f() { bar.sync 0; ret; }"), "w");
}

TEST(QuietStretches, AreNotKnownWhereCopiesWriteMeanwhile) {
  EXPECT_EQ(loads("cp.async.ca.shared.global [tile], [a], 4; bar.sync 0; ld.shared.u32 v, [tile];"), "w");
}

}  // namespace
}  // namespace heddle::analysis
