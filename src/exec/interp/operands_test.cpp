// What is told of every instruction to who follows values.
#include "observe/operands.h"

#include "exec/interp/test_program.h"
#include "observe/several.h"

namespace heddle::exec::interp {
namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u32 n)
{
  .reg .u32 a, b, thread;
  .reg .pred p;
  mov.u32 thread, %tid.x;
  ld.param.u32 a, [n];
  setp.lt.u32 p, thread, 4;
  @p add.s32 b, a, thread;
  setp.gt.u32 p, thread, 99;
  @p sub.s32 b, b, 1;
  ret;
}
)";

class Following final : public observe::OperandObserver, private observe::OperandSink {
 public:
  observe::Needs needs() const override { return observe::nothing; }
  observe::ValueSink& sink() override { return *this; }
  struct Told {
    observe::Mask came = 0, lanes = 0;
    std::vector<uint64_t> operands;  // of lane 3
  };
  std::vector<Told> told;

 private:
  void executed(const observe::Executed& e) override {
    Told& one = told.emplace_back();
    one.came = e.came, one.lanes = e.lanes;
    if (e.operands != nullptr && e.place.instruction == 3)
      for (unsigned o = 0; o < 3; ++o) one.operands.push_back(e.operands[32 * o + 3]);
  }
};

class Counting final : public observe::Observer, private observe::Sink {
 public:
  observe::Needs needs() const override { return observe::counts; }
  observe::Sink& sink() override { return *this; }
};

TEST(Operands, AreToldBeforeAndAfterEachInstruction) {
  TestProgram program(text);
  Following alone, among;
  Counting counting;
  observe::Several several({&counting, &among});
  for (observe::Observer* observer :
       {static_cast<observe::Observer*>(&alone), static_cast<observe::Observer*>(&several)}) {
    EXPECT_TRUE(observe::wants_operands(observer));
    program.settings.observer = observer;
    ASSERT_TRUE(program.run("sum", {.block = {8}}, uint32_t{100}).ok());
  }
  EXPECT_FALSE(observe::wants_operands(&counting));
  EXPECT_FALSE(observe::wants_operands(nullptr));
  for (const Following* one : {&alone, &among}) {
    ASSERT_EQ(one->told.size(), 7U);
    EXPECT_EQ(one->told[3].came, 0xffU);
    EXPECT_EQ(one->told[3].lanes, 0xfU);
    EXPECT_EQ(one->told[3].operands, (std::vector<uint64_t>{103, 100, 3}));
    // Switched off for all: that the guard said so is told.
    EXPECT_EQ(one->told[5].came, 0xffU);
    EXPECT_EQ(one->told[5].lanes, 0U);
    EXPECT_TRUE(one->told[5].operands.empty());
  }
}

}  // namespace
}  // namespace heddle::exec::interp
