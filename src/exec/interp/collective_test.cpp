// Instructions with a membermask, executed by lanes that are not together (PTX ISA 9.7.9.6, 9.7.13: threads
// wait for all non-exited threads of the membermask, wherever they execute the same instruction).
#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using testing::HasSubstr;

std::string kernel(std::string_view body, std::string_view functions = "") {
  return ".version 6.2\n.target sm_70\n.address_size 64\n" + std::string(functions) +
         ".visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [out];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %rd2, %r1, 4;\n"
         "add.u64 %rd3, %rd1, %rd2;\n" +  // &out[tid]
         std::string(body) +
         "\nst.global.u32 [%rd3], %r9;\nret;\n}\n";
}

std::vector<uint32_t> run(const std::string& ptx, uint32_t threads = 32) {
  TestProgram program(ptx);
  auto out = program.buffer<uint32_t>(threads);
  const auto result = program.run("k", {.block = {threads}}, out);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return out.values();
}

TEST(Collective, a_shuffle_sees_lanes_of_both_sides_of_a_branch) {
  const auto out = run(kernel(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    add.u32 %r2, %r1, 500;
    shfl.sync.bfly.b32 %r9, %r2, 16, 31, 0xffffffff;
    bra DONE;
    LOW:
    mul.lo.u32 %r3, %r1, 10;
    shfl.sync.bfly.b32 %r9, %r3, 16, 31, 0xffffffff;
    DONE:)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? i + 16 + 500 : (i - 16) * 10) << i;
}

TEST(Collective, lanes_of_three_places_vote_together) {
  const auto out = run(kernel(R"(
    rem.u32 %r2, %r1, 3;
    setp.lt.u32 %p3, %r1, 20;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra ONE;
    setp.eq.u32 %p2, %r2, 2;
    @%p2 bra TWO;
    vote.sync.ballot.b32 %r9, %p3, 0xffffffff;
    bra DONE;
    ONE:
    vote.sync.ballot.b32 %r9, !%p3, 0xffffffff;
    bra DONE;
    TWO:
    vote.sync.ballot.b32 %r9, 1, 0xffffffff;
    DONE:)"));
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 32; ++i)
    if (i % 3 == 0 ? i < 20 : i % 3 == 1 ? i >= 20 : true) expected |= 1u << i;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], expected) << i;
}

TEST(Collective, different_masks_at_one_instruction_are_different_collectives) {
  const auto out = run(kernel(R"(
    shr.u32 %r2, %r1, 3;
    shl.b32 %r2, %r2, 3;
    mov.u32 %r3, 0xff;
    shl.b32 %r3, %r3, %r2;            // each eight lanes are members of their own
    setp.ge.u32 %p1, %r1, 13;
    vote.sync.ballot.b32 %r9, %p1, %r3;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? 0u : 0xffu << (i / 8 * 8) & 0xffffe000u) << i;
}

TEST(Collective, members_that_exited_are_not_waited_for) {
  const auto out = run(kernel(R"(
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra LEAVE;
    setp.ge.u32 %p2, %r1, 2;
    vote.sync.ballot.b32 %r9, %p2, 0xffffffff;
    bra DONE;
    LEAVE:
    mov.u32 %r4, 0;
    LOOP:
      add.u32 %r4, %r4, 1;
      setp.lt.u32 %p3, %r4, 300;
      @%p3 bra LOOP;
    st.global.u32 [%rd3], 1;
    exit;
    DONE:)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 4 ? 1u : 0xfffffff0u) << i;
}

TEST(Collective, lanes_of_two_calls_of_one_function_meet_in_it) {
  // The function is entered from two places, so its registers exist twice.
  const auto out = run(kernel(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    add.u32 %r2, %r1, 1000;
    call (%r9), mirror, (%r2);
    bra DONE;
    LOW:
    call (%r9), mirror, (%r1);
    DONE:
    activemask.b32 %r8;
    setp.ne.u32 %p2, %r8, 0xffffffff;
    @%p2 mov.u32 %r9, 0xdead;)",
                              R"(
    .func (.reg .u32 r) mirror(.reg .u32 a)
    {
      .reg .u32 t;
      mad.lo.u32 t, a, 2, 1;
      shfl.sync.bfly.b32 r, t, 31, 31, 0xffffffff;
      ret;
    }
)"));
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t j = 31 - i;
    EXPECT_EQ(out[i], (j < 16 ? j : j + 1000) * 2 + 1) << i;
  }
}

TEST(Collective, lanes_that_wait_to_meet_others_go_on_when_those_need_them) {
  // The lower lanes vote inside the branch, the upper ones behind it.
  const auto out = run(kernel(R"(
    setp.ge.u32 %p1, %r1, 16;
    setp.ne.u32 %p2, %r1, 20;
    @%p1 bra JOIN;
    vote.sync.ballot.b32 %r9, %p2, 0xffffffff;
    JOIN:
    setp.lt.u32 %p3, %r1, 16;
    @%p3 bra DONE;
    vote.sync.ballot.b32 %r9, %p2, 0xffffffff;
    DONE:)"),
                       64);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i < 32 ? ~(1u << 20) : 0xffffffffu) << i;
}

TEST(Collective, a_guard_takes_lanes_out) {
  const auto out = run(kernel(R"(
    mov.u32 %r9, 7;
    setp.lt.u32 %p1, %r1, 16;
    setp.ne.u32 %p2, %r1, 3;
    @%p1 vote.sync.ballot.b32 %r9, %p2, 0x0000ffff;
    activemask.b32 %r8;
    setp.ne.u32 %p3, %r8, 0xffffffff;
    @%p3 mov.u32 %r9, 0xdead;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0xfff7u : 7u) << i;
}

TEST(Collective, a_lane_outside_its_own_mask_is_alone) {
  const auto out = run(kernel(R"(
    setp.eq.u32 %p1, %r1, %r1;
    vote.sync.ballot.b32 %r9, %p1, 0x7fffffff;)"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 31 ? 0x7fffffffu : 0x80000000u) << i;
}

TEST(Collective, different_instructions_are_no_partners) {
  TestProgram program(kernel(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r9, %r1, 16, 31, 0xffffffff;
    bra DONE;
    LOW:
    shfl.sync.up.b32 %r9, %r1, 1, 0, 0xffffffff;
    DONE:)"));
  auto out = program.buffer<uint32_t>(32);
  const Fault fault = program.fault("k", {.block = {32}}, out);
  EXPECT_EQ(fault.kind, FaultKind::illegal_barrier);
  EXPECT_THAT(fault.detail, HasSubstr("shfl.sync.bfly.b32"));
  EXPECT_THAT(fault.detail, HasSubstr("shfl.sync.up.b32"));
}

TEST(Collective, earlier_devices_take_the_lanes_that_are_there) {
  TestProgram program(R"(.version 6.2
    .target sm_30
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
      .reg .pred %p<4>;
      .reg .b32 %r<5>;
      .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [out];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd2, %r1, 4;
      add.u64 %rd3, %rd1, %rd2;
      setp.lt.u32 %p1, %r1, 16;
      setp.eq.u32 %p2, %r1, %r1;
      @%p1 bra LOW;
      vote.ballot.b32 %r2, %p2;
      bra DONE;
      LOW:
      vote.ballot.b32 %r2, %p2;
      DONE:
      st.global.u32 [%rd3], %r2;
      ret;
    })",
                      "gtx980");
  auto out = program.buffer<uint32_t>(32);
  ASSERT_TRUE(program.run("k", {.block = {32}}, out).ok());
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0xffffu : 0xffff0000u);
}

// ---- the shared memory of a cluster
// ----------------------------------------------------------------------------

TEST(ClusterMemory, a_block_reads_and_writes_the_shared_memory_of_another) {
  TestProgram program(R"(.version 7.8
    .target sm_90
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
      .shared .align 4 .b8 s[128];
      .reg .pred %p<4>;
      .reg .b32 %r<12>;
      .reg .b64 %rd<9>;
      ld.param.u64 %rd1, [out];
      mov.u32 %r1, %cluster_ctarank;
      mov.u32 %r2, s;
      mul.lo.u32 %r3, %r1, 11;
      st.shared.u32 [s], %r3;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      add.u32 %r4, %r1, 1;
      and.b32 %r4, %r4, 3;                       // the next block's rank
      mapa.shared::cluster.u32 %r5, %r2, %r4;
      ld.shared::cluster.u32 %r6, [%r5];
      getctarank.shared::cluster.u32 %r7, %r5;
      add.u32 %r8, %r3, 100;
      st.shared::cluster.u32 [%r5+4], %r8;
      mov.u64 %rd4, s;
      cvta.shared.u64 %rd5, %rd4;
      mapa.u64 %rd6, %rd5, %r4;
      ld.u32 %r9, [%rd6];
      barrier.cluster.arrive;
      barrier.cluster.wait;
      ld.shared.u32 %r10, [s+4];
      mul.wide.u32 %rd2, %r1, 16;
      add.u64 %rd3, %rd1, %rd2;
      st.global.v4.u32 [%rd3], {%r6, %r7, %r9, %r10};
      ret;
    })");
  auto out = program.buffer<uint32_t>(16);
  const auto result = program.run("k", {.grid = {4}, .block = {1}, .cluster = {4}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t next = (i + 1) % 4, before = (i + 3) % 4;
    EXPECT_EQ(out[4 * i], next * 11);
    EXPECT_EQ(out[4 * i + 1], next);
    EXPECT_EQ(out[4 * i + 2], next * 11);
    EXPECT_EQ(out[4 * i + 3], before * 11 + 100);
  }
}

}  // namespace
}  // namespace heddle::exec::interp
