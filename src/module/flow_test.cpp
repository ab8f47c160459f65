#include "module/flow.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

namespace heddle::module {
namespace {

// Functions made of letters, one an instruction: the mnemonic's number is its Flow.
class Text {
 public:
  Text& next() { return add(Flow::next, false, {}); }
  Text& jump(std::vector<uint32_t> targets, bool guarded = false) {
    return add(Flow::jump, guarded, std::move(targets));
  }
  Text& branch(uint32_t target) { return jump({target}, true); }
  Text& leave(bool guarded = false) { return add(Flow::leave, guarded, {}); }
  Function build() {
    static const Flow flows[] = {Flow::next, Flow::call, Flow::jump, Flow::leave};
    build_blocks(function_, flows);
    return std::move(function_);
  }

 private:
  Text& add(Flow flow, bool guarded, std::vector<uint32_t> targets) {
    Instruction instruction;
    instruction.mnemonic = static_cast<uint32_t>(flow);
    instruction.guard = guarded ? 0 : none;
    instruction.first_operand = static_cast<uint32_t>(function_.operands.size());
    if (!targets.empty()) {
      Operand operand;
      instruction.operand_count = 1;
      if (targets.size() == 1) {
        operand.kind = OperandKind::label;
        operand.value = targets[0];
      } else {
        operand.kind = OperandKind::table;
        operand.index = static_cast<uint32_t>(function_.tables.size());
        function_.tables.push_back(std::move(targets));
      }
      function_.operands.push_back(operand);
    }
    function_.code.push_back(instruction);
    return *this;
  }
  Function function_;
};

std::vector<uint32_t> post_dominators(const Function& f) {
  std::vector<uint32_t> result;
  for (const Block& block : f.blocks) result.push_back(block.post_dominator);
  return result;
}
std::vector<uint32_t> meetings(const Function& f) {
  std::vector<uint32_t> result;
  for (const Block& block : f.blocks) result.push_back(block.meeting);
  return result;
}

TEST(Flow, StraightLineIsOneBlock) {
  const Function f = Text().next().next().leave().build();
  ASSERT_EQ(f.blocks.size(), 1u);
  EXPECT_EQ(f.blocks[0].end, 3u);
  EXPECT_TRUE(f.blocks[0].successors.empty());
  EXPECT_EQ(f.block_of, (std::vector<uint32_t>{0, 0, 0}));
}

TEST(Flow, IfElseMeetsAtItsEnd) {
  //                     0:branch    1:then  2:jump      3:else  4:end
  const Function f = Text().branch(3).next().jump({4}).next().leave().build();
  ASSERT_EQ(f.blocks.size(), 4u);
  EXPECT_EQ(f.blocks[0].successors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(f.blocks[3].predecessors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(post_dominators(f), (std::vector<uint32_t>{3, 3, 3, none}));
}

TEST(Flow, ABranchToTheNextInstructionHasOneSuccessor) {
  const Function f = Text().branch(1).leave().build();
  EXPECT_EQ(f.blocks[0].successors, (std::vector<uint32_t>{1}));
}

TEST(Flow, ATableOfTargetsHasEachOnceAndNoFallThrough) {
  const Function f = Text().jump({3, 4, 3}).next().leave().next().leave().build();
  EXPECT_EQ(f.blocks[0].successors, (std::vector<uint32_t>{f.block_of[3], f.block_of[4]}));
}

TEST(Flow, AGuardedExitLetsTheOthersGoOn) {
  const Function f = Text().next().leave(true).next().leave().build();
  ASSERT_EQ(f.blocks.size(), 2u);
  EXPECT_EQ(f.blocks[0].successors, (std::vector<uint32_t>{1}));
  EXPECT_EQ(post_dominators(f), (std::vector<uint32_t>{none, none}));
  EXPECT_EQ(meetings(f), (std::vector<uint32_t>{1, none}));
}

TEST(Flow, AnEarlyReturnInsideAConditionDoesNotKeepTheRestApart) {
  // if (a) { if (b) return; x } y      blocks: 0: a, 1: b, 2: x, 3: y, 4: ret
  const Function f = Text().branch(3).branch(5).next().next().next().leave().build();
  ASSERT_EQ(f.blocks.size(), 5u);
  EXPECT_EQ(post_dominators(f), (std::vector<uint32_t>{4, 4, 3, 4, none}));
  EXPECT_EQ(meetings(f), (std::vector<uint32_t>{3, 2, 3, none, none}));
}

TEST(Flow, ATrapAtTheEndOfTheTextIsNotTheMainEnd) {
  // if (a) { if (b) goto bad; x } y; ret;  bad: report; trap
  const Function f = Text().branch(3).branch(5).next().next().leave().next().leave().build();
  ASSERT_EQ(f.blocks.size(), 5u);
  EXPECT_EQ(meetings(f), (std::vector<uint32_t>{3, 2, 3, none, none}));
}

TEST(Flow, AnEndlessLoopHasPostDominatorsInside) {
  // loop: if (a) x else y; z; goto loop      blocks: 0: a, 1: x, 2: y, 3: z
  const Function f = Text().branch(3).next().jump({4}).next().next().jump({0}).build();
  ASSERT_EQ(f.blocks.size(), 4u);
  EXPECT_EQ(post_dominators(f), (std::vector<uint32_t>{3, 3, 3, none}));
  EXPECT_EQ(meetings(f), post_dominators(f));
}

TEST(Flow, AWayIntoAnEndlessLoopIsAnEnd) {
  // 0: if (a) goto 2; 1: ret; 2: goto 2
  const Function f = Text().branch(2).leave().jump({2}).build();
  EXPECT_EQ(post_dominators(f), (std::vector<uint32_t>{none, none, none}));
}

TEST(Flow, ALoopLeftByReturningOnlyStillMeetsInside) {
  // 0: loop: if (done) goto 5; 1: if (a) goto 3; 2: x; 3: y; 4: goto loop; 5: ret
  const Function f = Text().branch(5).branch(3).next().next().jump({0}).leave().build();
  EXPECT_EQ(f.blocks[f.block_of[1]].meeting, f.block_of[3]);
  EXPECT_EQ(f.blocks[f.block_of[1]].post_dominator, f.block_of[3]);
  EXPECT_EQ(f.blocks[f.block_of[0]].post_dominator, f.block_of[5]);
}

TEST(Flow, UnreachableCodeHasItsBlocks) {
  const Function f = Text().jump({3}).next().jump({1}).leave().build();
  ASSERT_EQ(f.blocks.size(), 3u);
  EXPECT_TRUE(f.blocks[1].predecessors == std::vector<uint32_t>{1});
}

TEST(Flow, AHundredThousandBlocksTakeWellUnderASecond) {
  Text text;
  constexpr uint32_t rungs = 50000;  // nested conditions: rung i jumps to its own join, from the outside in
  for (uint32_t i = 0; i < rungs; ++i) text.branch(2 * rungs - i);
  for (uint32_t i = 0; i < rungs; ++i) text.next();
  text.next().leave();
  const auto begin = std::chrono::steady_clock::now();
  const Function f = text.build();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(f.blocks[0].post_dominator, f.block_of[2 * rungs]);
  EXPECT_EQ(f.blocks[rungs / 2].post_dominator, f.block_of[2 * rungs - rungs / 2]);
  EXPECT_LT(taken.count(), 5.0);  // tens of milliseconds; a quadratic search takes minutes
}

}  // namespace
}  // namespace heddle::module
