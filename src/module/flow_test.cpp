#include "module/flow.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>

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

// The blocks as a warp goes through them, with what it goes through again in brackets.
std::string order(const Function& f) {
  std::map<uint32_t, std::string> at;
  for (uint32_t block = 0; block < f.blocks.size(); ++block) {
    const Block& b = f.blocks[block];
    at[b.order] = (b.latch != none ? "(" : "") + std::to_string(block);
    if (b.latch != none) at[b.latch] = ")";
  }
  std::string text;
  for (const auto& [place, one] : at) text += (text.empty() || one == ")" ? "" : " ") + one;
  return text;
}

TEST(Flow, StraightLineIsOneBlock) {
  const Function f = Text().next().next().leave().build();
  ASSERT_EQ(f.blocks.size(), 1u);
  EXPECT_EQ(f.blocks[0].end, 3u);
  EXPECT_TRUE(f.blocks[0].successors.empty());
  EXPECT_EQ(f.block_of, (std::vector<uint32_t>{0, 0, 0}));
}

TEST(Flow, IfElseComesBeforeItsEnd) {
  //                     0:branch    1:then  2:jump      3:else  4:end
  const Function f = Text().branch(3).next().jump({4}).next().leave().build();
  ASSERT_EQ(f.blocks.size(), 4u);
  EXPECT_EQ(f.blocks[0].successors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(f.blocks[3].predecessors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(order(f), "0 1 2 3");
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
  EXPECT_EQ(order(f), "0 1");
}

TEST(Flow, CodeAboveThatIsJumpedToComesWhenItsWaysIn) {
  //                     0: goto 3    1: x    2: goto 5    3: branch 1    4: y   5: ret
  const Function f = Text().jump({3}).next().jump({5}).branch(1).next().leave().build();
  EXPECT_EQ(order(f), "0 2 1 3 4");
}

TEST(Flow, ALoopIsInOnePiece) {
  // 0: x; 1: loop: if (done) goto 4; 2: y; 3: goto loop; 4: ret
  const Function f = Text().next().branch(4).next().jump({1}).leave().build();
  EXPECT_EQ(order(f), "0 (1 2) 3");
}

TEST(Flow, ALoopWhoseConditionIsBelowBeginsThere) {
  // 0: goto 2; 1: body; 2: if (more) goto 1; 3: ret
  const Function f = Text().jump({2}).next().branch(1).leave().build();
  EXPECT_EQ(order(f), "0 (2 1) 3");
}

TEST(Flow, TheWaysOutOfALoopComeBehindIt) {
  // 0: loop: if (a) goto 4; 1: if (b) goto 5; 2: x; 3: goto loop; 4: y; 5: ret
  const Function f = Text().branch(4).branch(5).next().jump({0}).next().leave().build();
  EXPECT_EQ(order(f), "(0 1 2) 3 4");
}

TEST(Flow, LoopsInLoops) {
  // 0: i; 1: j; 2: k, to itself; 3: to j; 4: to i; 5: ret
  const Function f = Text().next().next().branch(2).branch(1).branch(0).leave().build();
  EXPECT_EQ(order(f), "(0 (1 (2) 3) 4) 5");
}

TEST(Flow, AnEndlessLoopHasAnOrderToo) {
  // loop: if (a) x else y; z; goto loop      blocks: 0: a, 1: x, 2: y, 3: z
  const Function f = Text().branch(3).next().jump({4}).next().next().jump({0}).build();
  EXPECT_EQ(order(f), "(0 1 2 3)");
}

TEST(Flow, ALoopWithTwoWaysInHasItsFirstAsHead) {
  // 0: if (a) goto 2; 1: x; 2: if (b) goto 1; 3: ret
  const Function f = Text().branch(2).next().branch(1).leave().build();
  EXPECT_EQ(order(f), "0 (1 2) 3");
}

// Places are unique, and a jump backward goes to the head of a loop around it.
void check_order(const Function& f) {
  std::set<uint32_t> places;
  for (const Block& block : f.blocks) {
    EXPECT_TRUE(places.insert(block.order).second);
    if (block.latch != none) EXPECT_TRUE(places.insert(block.latch).second);
  }
  EXPECT_EQ(*places.rbegin() + 1, places.size());
  for (const Block& block : f.blocks)
    for (const uint32_t to : block.successors) {
      const Block& target = f.blocks[to];
      if (target.order > block.order) continue;
      ASSERT_NE(target.latch, none);
      ASSERT_GT(target.latch, block.order) << "it is not inside the loop";
    }
}

TEST(Flow, BackwardJumpsGoToHeadsOnly) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    Text text;
    const auto size = static_cast<uint32_t>(2 + random() % 12);
    for (uint32_t i = 0; i + 1 < size; ++i) switch (random() % 3) {
        case 0: text.branch(static_cast<uint32_t>(random() % size)); break;
        case 1:
          text.jump({static_cast<uint32_t>(random() % size), static_cast<uint32_t>(random() % size)});
          break;
        default: text.next();
      }
    const Function f = text.leave().build();
    check_order(f);
  }
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
  EXPECT_EQ(f.blocks[f.block_of[2 * rungs]].order, 2 * rungs);
  EXPECT_LT(taken.count(), 5.0);  // tens of milliseconds; a quadratic search takes minutes
}

TEST(Flow, TenThousandLoopsInLoopsTakeWellUnderASecond) {
  Text text;
  constexpr uint32_t loops = 10000;
  for (uint32_t i = 0; i < loops; ++i) text.branch(loops + i);  // a way on, so that each loop has a head
  for (uint32_t i = 0; i < loops; ++i) text.branch(loops - 1 - i);
  const auto begin = std::chrono::steady_clock::now();
  const Function f = text.leave().build();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  check_order(f);
  EXPECT_LT(taken.count(), 5.0);  // quadratic without a limit to the depth: 7 s
}

}  // namespace
}  // namespace heddle::module
