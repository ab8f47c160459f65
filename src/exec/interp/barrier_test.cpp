// Barriers of a block, a warp, a cluster and a grid.
#include <chrono>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string kernel(std::string_view body, std::string_view target = "sm_30") {
  return ".version 8.0\n.target " + std::string(target) +
         "\n.address_size 64\n.file 1 \"weave.cu\"\n"
         ".visible .entry k(.param .u64 out)\n{\n"
         ".shared .align 4 .b8 s[4096];\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [out];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mov.u32 %r15, s;\n"
         "shl.b32 %r14, %r1, 2;\n"
         "add.u32 %r15, %r15, %r14;\n"  // &s[tid]
         "mul.wide.u32 %rd2, %r1, 4;\n"
         "add.u64 %rd3, %rd1, %rd2;\n" +  // &out[tid]
         std::string(body) +
         "\n}\n";
}

class Barriers : public testing::TestWithParam<const char*> {
 protected:
  std::vector<uint32_t> run(std::string_view body, uint32_t threads) {
    TestProgram program(kernel(body), GetParam());
    auto out = program.buffer<uint32_t>(threads);
    auto result = program.run("k", {.block = {threads}}, out);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return out.values();
  }
  Fault fault(std::string_view body, uint32_t threads) {
    TestProgram program(kernel(body), GetParam());
    auto out = program.buffer<uint32_t>(threads);
    return program.fault("k", {.block = {threads}}, out);
  }
};
INSTANTIATE_TEST_SUITE_P(Scheduling, Barriers, testing::Values("gtx980", "h200"));

TEST_P(Barriers, what_was_stored_before_is_seen_after) {
  const auto out = run(R"(
    st.shared.u32 [%r15], %r1;
    bar.sync 0;
    mov.u32 %r2, %ntid.x;
    sub.u32 %r2, %r2, 1;
    sub.u32 %r2, %r2, %r1;          // the mirrored thread
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, s;
    add.u32 %r3, %r3, %r4;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd3], %r5;
    ret;)",
                       200);
  for (uint32_t i = 0; i < 200; ++i) EXPECT_EQ(out[i], 199 - i);
}

TEST_P(Barriers, a_loop_of_barriers_keeps_the_warps_in_step) {
  // Each round every thread adds its left neighbour's value of the round before.
  const auto out = run(R"(
    mov.u32 %r2, 1;
    mov.u32 %r3, 0;
    mov.u32 %r6, s;
    LOOP:
      st.shared.u32 [%r15], %r2;
      barrier.sync 1;
      mov.u32 %r5, 0;
      setp.eq.u32 %p1, %r1, 0;
      @%p1 bra FIRST;
      ld.shared.u32 %r5, [%r15+-4];
      FIRST:
      barrier.sync 2;
      add.u32 %r2, %r2, %r5;
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p2, %r3, 3;
      @%p2 bra LOOP;
    st.global.u32 [%rd3], %r2;
    ret;)",
                       96);
  const uint32_t expected[] = {1, 4, 7, 8};  // sums of the first binomials of 3
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], expected[std::min(i, 3u)]) << i;
}

TEST_P(Barriers, threads_that_exited_are_not_waited_for) {
  const auto out = run(R"(
    setp.lt.u32 %p1, %r1, 40;
    @%p1 exit;
    bar.sync 0;
    st.global.u32 [%rd3], 1;
    bar.sync 0;
    setp.lt.u32 %p2, %r1, 70;
    @%p2 exit;
    bar.sync 0;
    st.global.u32 [%rd3], 2;
    ret;)",
                       100);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(out[i], i < 40 ? 0u : i < 70 ? 1u : 2u) << i;
}

TEST_P(Barriers, a_count_lets_some_warps_meet) {
  const auto out = run(R"(
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra REST;
    st.shared.u32 [%r15], %r1;
    bar.sync 3, 64;
    xor.b32 %r2, %r14, 128;         // the same lane of the other warp
    mov.u32 %r4, s;
    add.u32 %r2, %r2, %r4;
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%rd3], %r5;
    REST:
    ret;)",
                       96);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i ^ 32);
}

TEST_P(Barriers, a_producer_arrives_without_waiting) {
  const auto out = run(R"(
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra CONSUMER;
    add.u32 %r2, %r1, 500;
    st.shared.u32 [%r15], %r2;
    bar.arrive 5, 64;
    exit;
    CONSUMER:
    bar.sync 5, 64;
    ld.shared.u32 %r3, [%r15+-128];
    st.global.u32 [%rd3], %r3;
    ret;)",
                       64);
  for (uint32_t i = 32; i < 64; ++i) EXPECT_EQ(out[i], i - 32 + 500);
}

TEST_P(Barriers, reductions_over_the_block) {
  const auto out = run(R"(
    setp.lt.u32 %p1, %r1, 50;
    setp.lt.u32 %p2, %r1, 1000;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.popc.u32 %r3, 0, !%p1;
    bar.red.and.pred %p3, 0, %p1;
    bar.red.or.pred %p4, 0, %p1;
    bar.red.and.pred %p5, 1, %p2;
    bar.red.or.pred %p6, 1, !%p2;
    selp.u32 %r4, 1, 0, %p3;
    selp.u32 %r5, 2, 0, %p4;
    selp.u32 %r6, 4, 0, %p5;
    selp.u32 %r7, 8, 0, %p6;
    add.u32 %r4, %r4, %r5;
    add.u32 %r4, %r4, %r6;
    add.u32 %r4, %r4, %r7;
    shl.b32 %r2, %r2, 8;
    shl.b32 %r3, %r3, 16;
    add.u32 %r4, %r4, %r2;
    add.u32 %r4, %r4, %r3;
    st.global.u32 [%rd3], %r4;
    ret;)",
                       96);
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], 6u + (50u << 8) + (46u << 16)) << i;
}

TEST_P(Barriers, a_barrier_number_may_come_from_a_register) {
  const auto out = run(R"(
    shr.u32 %r2, %r1, 6;            // two warps each
    add.u32 %r2, %r2, 4;
    bar.sync %r2, 64;
    st.global.u32 [%rd3], %r2;
    ret;)",
                       128);
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], 4 + i / 64);
}

TEST_P(Barriers, numbers_and_counts_that_cannot_be_are_faults) {
  const Fault number = fault("mov.u32 %r2, 16;\nbar.sync %r2;\nret;", 64);
  EXPECT_EQ(number.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(number.detail, HasSubstr("16"));
  const Fault odd = fault("mov.u32 %r2, 40;\nbar.sync 0, %r2;\nret;", 64);
  EXPECT_EQ(odd.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(odd.detail, HasSubstr("multiple of the warp size"));
  const Fault many = fault("mov.u32 %r2, 128;\nbar.sync 0, %r2;\nret;", 64);
  EXPECT_EQ(many.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(many.detail, HasSubstr("never be reached"));
  const Fault zero = fault("mov.u32 %r2, 0;\nbar.sync 0, %r2;\nret;", 64);
  EXPECT_EQ(zero.kind, FaultKind::illegal_barrier);
}

TEST_P(Barriers, warps_that_give_one_barrier_different_counts_are_a_fault) {
  const Fault f = fault(R"(
    shr.u32 %r2, %r1, 5;
    shl.b32 %r2, %r2, 5;
    add.u32 %r2, %r2, 64;           // 64 in warp 0, 96 in warp 1
    bar.sync 0, %r2;
    ret;)",
                        96);
  EXPECT_EQ(f.kind, FaultKind::illegal_barrier);
  EXPECT_EQ(f.warp, 1u);
}

TEST_P(Barriers, a_barrier_that_nobody_completes_is_a_fault_that_names_it) {
  const Fault f = fault(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra ONE;
    .loc 1 41 0
    bar.sync 1;
    bra DONE;
    ONE:
    .loc 1 43 0
    bar.sync 2;
    DONE:
    ret;)",
                        64);
  EXPECT_EQ(f.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(f.detail, HasSubstr("barrier 1 (weave.cu:41)"));
  EXPECT_THAT(f.detail, HasSubstr("barrier 2 (weave.cu:43)"));
  EXPECT_THAT(f.message(), HasSubstr("weave.cu:43"));
}

TEST(BarriersOfThreads, both_sides_of_a_branch_may_come_to_one_barrier) {
  TestProgram program(kernel(R"(
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    st.shared.u32 [%r15], %r1;
    @%p1 bra ODD;
    barrier.sync 0;
    xor.b32 %r3, %r1, 1;
    bra DONE;
    ODD:
    barrier.sync 0;
    mov.u32 %r3, 1000;
    DONE:
    st.global.u32 [%rd3], %r3;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(64);
  const auto result = program.run("k", {.block = {64}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? 1000 : i + 1);
}

TEST(BarriersOfThreads, lanes_of_one_warp_at_different_barriers_can_be_a_deadlock) {
  TestProgram program(kernel(R"(
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra ODD;
    barrier.sync 0;
    ret;
    ODD:
    barrier.sync 1;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  EXPECT_EQ(program.fault("k", {.block = {32}}, out).kind, FaultKind::illegal_barrier);
}

TEST(BarriersOfThreads, a_lane_that_waits_to_meet_others_lets_them_pass_a_barrier) {
  // Lanes 16 to 31 stand behind the branch while the others wait at the barrier for a second visit.
  TestProgram program(kernel(R"(
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra JOIN;
    barrier.sync 0;
    JOIN:
    setp.lt.u32 %p2, %r1, 16;
    @%p2 bra DONE;
    barrier.sync 0;
    DONE:
    st.global.u32 [%rd3], 5;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  const auto result = program.run("k", {.block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 5u);
}

// ---- the warp
// --------------------------------------------------------------------------------------------------

TEST(WarpBarrier, named_lanes_wait_for_one_another_wherever_they_are) {
  // Even lanes store early, odd lanes loop first; then each reads its neighbour's.
  TestProgram program(kernel(R"(
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra ODD;
    st.shared.u32 [%r15], %r1;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r3, [%r15+4];
    bra DONE;
    ODD:
    mov.u32 %r4, 0;
    LOOP:
      add.u32 %r4, %r4, 1;
      setp.lt.u32 %p2, %r4, 20000;
      @%p2 bra LOOP;
    add.u32 %r5, %r1, 100;
    st.shared.u32 [%r15], %r5;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r3, [%r15+-4];
    DONE:
    st.global.u32 [%rd3], %r3;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  const auto result = program.run("k", {.block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? i - 1 : i + 101) << i;
}

TEST(WarpBarrier, lanes_that_exited_are_not_waited_for) {
  TestProgram program(kernel(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra SLOW;
    bar.warp.sync 0xffffffff;
    activemask.b32 %r3;
    st.global.u32 [%rd3], %r3;
    ret;
    SLOW:
    st.global.u32 [%rd3], 3;
    exit;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  const auto result = program.run("k", {.block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 10 ? 3u : 0xfffffc00u);
}

TEST(WarpBarrier, disjoint_masks_do_not_wait_for_one_another) {
  TestProgram program(kernel(R"(
    setp.lt.u32 %p1, %r1, 16;
    selp.b32 %r2, 0x0000ffff, 0xffff0000, %p1;
    bar.warp.sync %r2;
    @%p1 bra LOW;
    bar.warp.sync %r2;
    LOW:
    bar.warp.sync 0xffffffff;
    activemask.b32 %r3;
    st.global.u32 [%rd3], %r3;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  const auto result = program.run("k", {.block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu);
}

TEST(WarpBarrier, a_member_that_never_comes_is_a_fault_that_names_the_instruction) {
  TestProgram program(kernel(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    bar.warp.sync 0xffffffff;
    LOW:
    bar.sync 0;
    bar.sync 0;
    ret;)"),
                      "h200");
  auto out = program.buffer<uint32_t>(32);
  const Fault f = program.fault("k", {.block = {32}}, out);
  EXPECT_EQ(f.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(f.detail, HasSubstr("bar.warp.sync"));
}

// ---- the cluster and the grid
// --------------------------------------------------------------------------------

TEST(ClusterBarrier, misuse_is_a_fault) {
  TestProgram wait(kernel("barrier.cluster.wait;\nret;", "sm_90"));
  auto out = wait.buffer<uint32_t>(32);
  EXPECT_EQ(wait.fault("k", {.block = {32}}, out).kind, FaultKind::illegal_barrier);
  TestProgram twice(kernel("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nret;", "sm_90"));
  EXPECT_EQ(twice.fault("k", {.block = {32}}, out).kind, FaultKind::illegal_barrier);
}

TEST(ClusterBarrier, a_block_that_never_arrives_is_a_deadlock) {
  TestProgram program(kernel(R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra OTHER;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
    OTHER:
    setp.ge.u32 %p2, %r1, 32;
    @%p2 ret;
    bar.sync 0, 64;
    ret;)",
                             "sm_90"),
                      "h200");
  auto out = program.buffer<uint32_t>(64);
  const Fault f = program.fault("k", {.grid = {2}, .block = {64}, .cluster = {2}}, out);
  EXPECT_EQ(f.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(f.detail, HasSubstr("cluster"));
}

}  // namespace
}  // namespace heddle::exec::interp
