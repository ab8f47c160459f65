// Launches in an order that somebody asked for.
#include "observe/schedule.h"

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry tickets(.param .u64 counter, .param .u64 out)
{
  .reg .u64 c, o, at;
  .reg .u32 ticket, block, thread;
  .reg .pred p;
  ld.param.u64 c, [counter];
  ld.param.u64 o, [out];
  mov.u32 thread, %tid.x;
  setp.ne.u32 p, thread, 0;
  @p ret;
  mov.u32 block, %ctaid.x;
  atom.global.add.u32 ticket, [c], 1;
  mul.wide.u32 at, block, 4;
  add.u64 at, at, o;
  st.global.u32 [at], ticket;
  ret;
}
.visible .entry lost(.param .u64 counter)
{
  .reg .u64 c;
  .reg .u32 value, thread;
  .reg .pred p;
  ld.param.u64 c, [counter];
  mov.u32 thread, %laneid;
  setp.ne.u32 p, thread, 0;
  @p ret;
  ld.global.u32 value, [c];
  add.u32 value, value, 1;
  st.global.u32 [c], value;
  ret;
}
.visible .entry sum(.param .u64 out)
{
  .reg .u64 o, at;
  .reg .u32 thread, block, other, slot, a, b;
  .shared .u32 values[128];
  ld.param.u64 o, [out];
  mov.u32 thread, %tid.x;
  mov.u32 block, %ctaid.x;
  mov.u32 slot, values;
  mad.lo.u32 slot, thread, 4, slot;
  st.shared.u32 [slot], thread;
  bar.sync 0;
  mov.u32 other, values;
  sub.u32 a, 127, thread;
  mad.lo.u32 other, a, 4, other;
  ld.shared.u32 b, [other];
  bar.sync 0;
  mul.wide.u32 at, block, 4;
  add.u64 at, at, o;
  red.global.add.u32 [at], b;
  ret;
}
)";

class Ordered final : public observe::ScheduleObserver, private observe::Sink {
 public:
  explicit Ordered(const observe::Schedule& schedule) : schedule_(schedule) {}
  const observe::Schedule* schedule() const override { return &schedule_; }
  observe::Sink& sink() override { return *this; }

 private:
  const observe::Schedule schedule_;
};

TEST(Schedules, BlocksComeInTheOrderThatWasAskedFor) {
  TestProgram program(text);
  for (uint64_t seed = 0; seed < 8; seed += 2) {
    const observe::Schedule schedule = observe::Schedule::of_seed(seed);
    Ordered observer(schedule);
    program.settings.observer = &observer;
    auto counter = program.buffer<uint32_t>(1);
    auto out = program.buffer<uint32_t>(24);
    ASSERT_TRUE(program.run("tickets", {.grid = {24}, .block = {32}}, counter, out).ok());
    const observe::BlockOrder order(schedule, 24);
    for (uint32_t i = 0; i < 24; ++i) EXPECT_EQ(out[order[i]], i) << seed;
  }
}

// Warps of several blocks have turns of a few instructions, the same ones each time.
TEST(Schedules, InterleavedWarpsMeet) {
  TestProgram program(text);
  const auto run = [&](uint64_t seed) {
    Ordered observer(observe::Schedule::of_seed(seed));
    program.settings.observer = &observer;
    auto counter = program.buffer<uint32_t>(1);
    EXPECT_TRUE(program.run("lost", {.grid = {16}, .block = {128}}, counter).ok());
    return counter[0];
  };
  EXPECT_EQ(run(0), 64U);  // one behind the other
  bool differ = false;
  for (const uint64_t seed : {1U, 3U, 5U, 7U}) {
    EXPECT_LT(run(seed), 64U);
    EXPECT_GT(run(seed), 0U);
    EXPECT_EQ(run(seed), run(seed));
    differ |= run(seed) != run(1);
  }
  EXPECT_TRUE(differ);
}

TEST(Schedules, BarriersAndClustersHoldInAnyOrder) {
  TestProgram program(text);
  for (uint64_t seed = 0; seed < 12; ++seed)
    for (const uint32_t cluster : {1U, 2U})
      for (const bool cooperative : {false, true}) {
        observe::Schedule schedule = observe::Schedule::of_seed(seed);
        schedule.keeps_blocks = seed > 8;
        Ordered observer(schedule);
        program.settings.observer = &observer;
        auto out = program.buffer<uint32_t>(12);
        const LaunchShape shape{
            .grid = {12}, .block = {128}, .cluster = {cluster, 1, 1}, .cooperative = cooperative};
        ASSERT_TRUE(program.run("sum", shape, out).ok());
        for (uint32_t i = 0; i < 12; ++i) EXPECT_EQ(out[i], 127U * 64) << seed;
      }
}

}  // namespace
}  // namespace heddle::exec::interp
