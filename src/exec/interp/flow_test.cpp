// Divergence and reconvergence, in both kinds of scheduling.
#include <chrono>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using namespace std::chrono_literals;

constexpr const char* stack_device = "gtx980";      // lanes of a warp have one program counter
constexpr const char* independent_device = "h200";  // lanes make progress independently

std::string kernel(std::string_view body) {
  return ".version 6.4\n.target sm_30\n.address_size 64\n"
         ".visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [out];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %rd2, %r1, 4;\n"
         "add.u64 %rd3, %rd1, %rd2;\n" +  // &out[tid]
         std::string(body) +
         "\n}\n";
}

class Flow : public testing::TestWithParam<const char*> {
 protected:
  std::vector<uint32_t> run(const std::string& ptx, uint32_t threads = 32) {
    TestProgram program(ptx, GetParam());
    auto out = program.buffer<uint32_t>(threads);
    auto result = program.run("k", {.block = {threads}}, out);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return out.values();
  }
};
INSTANTIATE_TEST_SUITE_P(Scheduling, Flow, testing::Values(stack_device, independent_device));

TEST_P(Flow, nested_branches_give_each_lane_its_own_way_and_meet_again) {
  const auto out = run(kernel(R"(
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra ODD;
      setp.lt.u32 %p2, %r1, 16;
      @%p2 bra LOW;
        mov.u32 %r3, 1;
        bra EVEN_DONE;
      LOW:
        mov.u32 %r3, 2;
      EVEN_DONE:
      activemask.b32 %r4;
      bra DONE;
    ODD:
      mov.u32 %r3, 3;
      activemask.b32 %r4;
    DONE:
    activemask.b32 %r5;
    add.u32 %r3, %r3, %r4;
    setp.ne.u32 %p3, %r5, 0xffffffff;
    @%p3 mov.u32 %r3, 0;
    st.global.u32 [%rd3], %r3;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i % 2 != 0 ? 3 + 0xaaaaaaaau : (i < 16 ? 2 : 1) + 0x55555555u) << i;
}

TEST_P(Flow, lanes_that_leave_a_loop_early_wait_behind_it) {
  const auto out = run(kernel(R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    LOOP:
      setp.ge.u32 %p1, %r2, %r1;
      @%p1 bra DONE;                 // a break in the middle
      add.u32 %r3, %r3, %r2;
      add.u32 %r2, %r2, 1;
      bra LOOP;
    DONE:
    activemask.b32 %r4;
    setp.ne.u32 %p2, %r4, 0xffffffff;
    @%p2 mov.u32 %r3, 0xdead;
    st.global.u32 [%rd3], %r3;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i * (i - 1) / 2) << i;
}

TEST_P(Flow, a_loop_with_two_exits_meets_behind_both) {
  const auto out = run(kernel(R"(
    mov.u32 %r2, 0;
    LOOP:
      add.u32 %r2, %r2, 1;
      setp.eq.u32 %p1, %r2, 20;
      @%p1 bra DONE;
      setp.lt.u32 %p2, %r2, %r1;
      @%p2 bra LOOP;
    DONE:
    activemask.b32 %r4;
    setp.ne.u32 %p3, %r4, 0xffffffff;
    @%p3 mov.u32 %r2, 0xdead;
    st.global.u32 [%rd3], %r2;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], std::clamp(i, 1u, 20u)) << i;
}

TEST_P(Flow, lanes_that_exited_are_not_waited_for) {
  const auto out = run(kernel(R"(
    st.global.u32 [%rd3], 7;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 exit;
    setp.lt.u32 %p2, %r1, 16;
    @%p2 bra SKIP;
      setp.eq.u32 %p3, %r1, 20;
      @%p3 ret;
    SKIP:
    activemask.b32 %r4;
    st.global.u32 [%rd3], %r4;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 || i == 20 ? 7u : 0xffffff00u & ~(1u << 20)) << i;
}

TEST_P(Flow, a_partial_warp_has_only_its_threads) {
  const auto out = run(kernel("activemask.b32 %r4;\nst.global.u32 [%rd3], %r4;\nret;"), 37);
  for (uint32_t i = 0; i < 37; ++i) EXPECT_EQ(out[i], i < 32 ? 0xffffffffu : 0x1fu) << i;
}

TEST_P(Flow, an_indexed_branch_takes_each_lane_to_its_target) {
  const auto out = run(kernel(R"(
    rem.u32 %r2, %r1, 3;
    setp.eq.u32 %p1, %r1, 31;
    mov.u32 %r3, 5;
    TARGETS: .branchtargets A, B, C;
    @!%p1 brx.idx %r2, TARGETS;
    bra DONE;
    A: mov.u32 %r3, 100; bra DONE;
    B: mov.u32 %r3, 200; bra DONE;
    C: mov.u32 %r3, 300;
    DONE:
    activemask.b32 %r4;
    setp.ne.u32 %p2, %r4, 0xffffffff;
    @%p2 mov.u32 %r3, 0xdead;
    st.global.u32 [%rd3], %r3;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i == 31 ? 5u : 100 * (i % 3 + 1)) << i;
}

TEST_P(Flow, a_body_without_a_ret_ends_at_its_end) {
  const auto out = run(kernel("st.global.u32 [%rd3], 9;"));
  EXPECT_EQ(out[31], 9u);
}

TEST_P(Flow, guards_act_lane_by_lane) {
  const auto out = run(kernel(R"(
    setp.lt.u32 %p1, %r1, 5;
    mov.u32 %r2, 1;
    @%p1 mov.u32 %r2, 2;
    @!%p1 add.u32 %r2, %r2, %r1;
    st.global.u32 [%rd3], %r2;
    ret;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 5 ? 2 : 1 + i);
}

TEST_P(Flow, an_index_past_the_list_is_a_fault) {
  TestProgram program(kernel(R"(
    TARGETS: .branchtargets A, B;
    brx.idx %r1, TARGETS;
    A: ret;
    B: ret;)"),
                      GetParam());
  auto out = program.buffer<uint32_t>(32);
  const Fault fault = program.fault("k", {.block = {32}}, out);
  EXPECT_EQ(fault.kind, FaultKind::invalid_pc);
  EXPECT_EQ(fault.lane, 2u);
}

TEST_P(Flow, an_endless_loop_ends_at_the_deadline) {
  TestProgram program(kernel("LOOP: bra LOOP;"), GetParam());
  auto out = program.buffer<uint32_t>(32);
  program.settings.deadline = std::chrono::steady_clock::now() + 20ms;
  const Fault fault = program.fault("k", {.block = {64}}, out);
  EXPECT_EQ(fault.kind, FaultKind::timeout);
  EXPECT_EQ(fault.instruction_text, "bra LOOP");
}

TEST_P(Flow, the_host_can_end_a_launch) {
  TestProgram program(kernel("LOOP: bra LOOP;"), GetParam());
  auto out = program.buffer<uint32_t>(32);
  const std::atomic<bool> cancel = true;
  program.settings.cancel = &cancel;
  EXPECT_EQ(program.fault("k", {.block = {64}}, out).kind, FaultKind::cancelled);
}

// ---- lanes that wait for one another
// -------------------------------------------------------------------------

TEST(IndependentLanes, a_lane_may_wait_for_what_another_does_behind_the_meeting_point) {
  // Lane 0 spins in the branch; lane 1 sets the flag only after the join.
  TestProgram program(kernel(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra JOIN;
    SPIN:
      ld.volatile.global.u32 %r2, [%rd1];
      setp.eq.u32 %p2, %r2, 0;
      @%p2 bra SPIN;
    JOIN:
    setp.ne.u32 %p3, %r1, 1;
    @%p3 bra DONE;
    st.volatile.global.u32 [%rd1], 1;
    DONE:
    st.global.u32 [%rd3+4], %r1;
    ret;)"),
                      independent_device);
  auto out = program.buffer<uint32_t>(33);
  program.settings.deadline = std::chrono::steady_clock::now() + 10s;
  const auto result = program.run("k", {.block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i + 1], i);
}

TEST(IndependentLanes, producer_and_consumer_in_one_warp) {
  // Lane 0 hands 50 values to lane 1, one at a time, through a mailbox that is 0 when empty.
  TestProgram program(kernel(R"(
    mov.u32 %r2, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra PRODUCE;
    CONSUME:
      ld.volatile.global.u32 %r3, [%rd1];
      setp.eq.u32 %p2, %r3, 0;
      @%p2 bra CONSUME;
      add.u32 %r4, %r4, %r3;
      st.volatile.global.u32 [%rd1], 0;
      add.u32 %r2, %r2, 1;
      setp.le.u32 %p3, %r2, 50;
      @%p3 bra CONSUME;
    st.global.u32 [%rd1+4], %r4;
    bra DONE;
    PRODUCE:
      ld.volatile.global.u32 %r3, [%rd1];
      setp.ne.u32 %p2, %r3, 0;
      @%p2 bra PRODUCE;
      st.volatile.global.u32 [%rd1], %r2;
      add.u32 %r2, %r2, 1;
      setp.le.u32 %p3, %r2, 50;
      @%p3 bra PRODUCE;
    DONE:
    ret;)"),
                      independent_device);
  auto out = program.buffer<uint32_t>(2);
  program.settings.deadline = std::chrono::steady_clock::now() + 10s;
  const auto result = program.run("k", {.block = {2}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[1], 50u * 51 / 2);
}

TEST(IndependentLanes, a_long_loop_without_polling_keeps_its_meeting) {
  // Lane 31 loops 100000 times; the others wait for it all that while.
  TestProgram program(kernel(R"(
    shr.u32 %r5, %r1, 3;
    mul.lo.u32 %r5, %r5, 30000;
    mov.u32 %r2, 0;
    LOOP:
      add.u32 %r2, %r2, 1;
      setp.lt.u32 %p1, %r2, %r5;
      @%p1 bra LOOP;
    activemask.b32 %r4;
    st.global.u32 [%rd3], %r4;
    ret;)"),
                      independent_device);
  auto out = program.buffer<uint32_t>(32);
  ASSERT_TRUE(program.run("k", {.block = {32}}, out).ok());
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu);
}

}  // namespace
}  // namespace heddle::exec::interp
