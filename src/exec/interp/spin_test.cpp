// Threads that wait for one another through memory: spin locks, counters, grids.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using namespace std::chrono_literals;

constexpr const char* stack_device = "gtx980";      // lanes of a warp have one program counter
constexpr const char* independent_device = "h200";  // lanes make progress independently

std::string kernel(std::string_view body, std::string_view target = "sm_30") {
  return ".version 8.0\n.target " + std::string(target) +
         "\n.address_size 64\n"
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

// Every lane takes a lock, adds to a plain counter and frees the lock. The loop is of the kind that hangs
// where lanes have no progress of their own: the winner waits behind the loop for the losers.
std::string spin_lock() {
  return kernel(R"(
    SPIN:
      atom.global.cas.b32 %r2, [%rd1], 0, 1;
      setp.ne.u32 %p1, %r2, 0;
      @%p1 bra SPIN;
    ld.volatile.global.u32 %r3, [%rd1+4];
    add.u32 %r3, %r3, 1;
    st.volatile.global.u32 [%rd1+4], %r3;
    membar.gl;
    atom.global.exch.b32 %r4, [%rd1], 0;
    ret;)");
}

TEST(IndependentLanes, a_spin_lock_of_every_lane_is_passed_on) {
  TestProgram program(spin_lock(), independent_device);
  auto out = program.buffer<uint32_t>(2);
  program.settings.deadline = std::chrono::steady_clock::now() + 20s;
  const auto result = program.run("k", {.grid = {2}, .block = {128}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[1], 256u);
  EXPECT_EQ(out[0], 0u);
  EXPECT_LT(result->warp_instructions, 400'000u);
}

// One lock of a thread's own and one of all. Who does not get that one gives its own back and falls into the
// head of the loop: no branch leads there.
TEST(IndependentLanes, who_needs_two_locks_gets_them_some_time) {
  TestProgram program(kernel(R"(
    mov.u32 %r5, %ctaid.x;
    mad.lo.u32 %r5, %r5, 64, %r1;
    mul.wide.u32 %rd4, %r5, 4;
    add.u64 %rd4, %rd1, %rd4;
    add.u64 %rd4, %rd4, 8;
    mov.u64 %rd5, %rd1;
    bra.uni FIRST;
    BACK:
      st.volatile.global.u32 [%rd4], 0;
    FIRST:
      atom.global.cas.b32 %r2, [%rd4], 0, 1;
      setp.ne.u32 %p1, %r2, 0;
      @%p1 bra FIRST;
      atom.global.cas.b32 %r3, [%rd5], 0, 1;
      setp.eq.u32 %p2, %r3, 0;
      @%p2 bra BOTH;
      bra.uni BACK;
    BOTH:
    ld.volatile.global.u32 %r4, [%rd1+4];
    add.u32 %r4, %r4, 1;
    st.volatile.global.u32 [%rd1+4], %r4;
    membar.gl;
    st.volatile.global.u32 [%rd5], 0;
    st.volatile.global.u32 [%rd4], 0;
    ret;)"),
                      independent_device);
  auto out = program.buffer<uint32_t>(2 + 256);
  program.settings.deadline = std::chrono::steady_clock::now() + 20s;
  const auto result = program.run("k", {.grid = {4}, .block = {64}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[1], 256u);
}

TEST(StackOfLanes, the_same_spin_lock_hangs_as_on_the_hardware) {
  TestProgram program(spin_lock(), stack_device);
  auto out = program.buffer<uint32_t>(2);
  program.settings.deadline = std::chrono::steady_clock::now() + 50ms;
  EXPECT_EQ(program.fault("k", {.block = {32}}, out).kind, FaultKind::timeout);
}

TEST(StackOfLanes, a_spin_lock_of_one_lane_a_warp_works) {
  TestProgram program(kernel(R"(
    and.b32 %r5, %r1, 31;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 ret;
    SPIN:
      atom.global.cas.b32 %r2, [%rd1], 0, 1;
      setp.ne.u32 %p1, %r2, 0;
      @%p1 bra SPIN;
    ld.volatile.global.u32 %r3, [%rd1+4];
    add.u32 %r3, %r3, 1;
    st.volatile.global.u32 [%rd1+4], %r3;
    atom.global.exch.b32 %r4, [%rd1], 0;
    ret;)"),
                      stack_device);
  auto out = program.buffer<uint32_t>(2);
  ASSERT_TRUE(program.run("k", {.block = {256}}, out).ok());
  EXPECT_EQ(out[1], 8u);
}

TEST(ClusterBarrier, blocks_of_a_cluster_wait_for_one_another) {
  // Every block counts up, waits, and reads the sum; clusters of 4 run one after another.
  TestProgram program(kernel(R"(
    mov.u32 %r2, %clusterid.x;
    mul.wide.u32 %rd4, %r2, 4;
    add.u64 %rd5, %rd1, %rd4;
    atom.global.add.u32 %r3, [%rd5], 1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ld.volatile.global.u32 %r4, [%rd5];
    mov.u32 %r6, %ctaid.x;
    mad.lo.u32 %r6, %r6, 32, %r1;
    mul.wide.u32 %rd6, %r6, 4;
    add.u64 %rd7, %rd1, %rd6;
    st.global.u32 [%rd7+16], %r4;
    ret;)",
                             "sm_90"),
                      "h200");
  auto out = program.buffer<uint32_t>(4 + 8 * 32);
  const auto result = program.run("k", {.grid = {8}, .block = {32}, .cluster = {4}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t i = 0; i < 8 * 32; ++i) EXPECT_EQ(out[4 + i], 128u);
}

class CooperativeGrid : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scheduling, CooperativeGrid, testing::Values("gtx980", "h200"));

TEST_P(CooperativeGrid, blocks_may_wait_for_all_others_by_spinning) {
  // A grid barrier as cooperative groups write it: one thread of each block counts up and spins.
  TestProgram program(kernel(R"(
    mov.u32 %r2, 0;
    ROUND:
      bar.sync 0;
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra WAITED;
      membar.gl;
      atom.global.add.u32 %r3, [%rd1], 1;
      add.u32 %r4, %r2, 1;
      mov.u32 %r5, %nctaid.x;
      mul.lo.u32 %r4, %r4, %r5;
      SPIN:
        ld.volatile.global.u32 %r6, [%rd1];
        setp.lt.u32 %p2, %r6, %r4;
        @%p2 bra SPIN;
      WAITED:
      bar.sync 0;
      add.u32 %r2, %r2, 1;
      setp.lt.u32 %p3, %r2, 3;
      @%p3 bra ROUND;
    ret;)"),
                      GetParam());
  auto out = program.buffer<uint32_t>(1);
  program.settings.deadline = std::chrono::steady_clock::now() + 20s;
  const auto result = program.run("k", {.grid = {12}, .block = {64}, .cooperative = true}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[0], 36u);
}

// An ordinary launch: the blocks of a grid that fits are all there.
class PlainGrid : public CooperativeGrid {};
INSTANTIATE_TEST_SUITE_P(Scheduling, PlainGrid, testing::Values("gtx980", "h200"));

// One thread of each block counts up, and waits until so many have; then all meet.
std::string counted_in(unsigned all) {
  return kernel(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WAITED;
    atom.global.add.u32 %r3, [%rd1], 1;
    SPIN:
      ld.volatile.global.u32 %r6, [%rd1];
      setp.lt.u32 %p2, %r6, )" +
                std::to_string(all) + R"(;
      @%p2 bra SPIN;
    WAITED:
    bar.sync 0;
    ret;)");
}

TEST_P(PlainGrid, of_blocks_that_wait_for_all_others_ends) {
  TestProgram program(counted_in(12), GetParam());
  auto out = program.buffer<uint32_t>(1);
  program.settings.deadline = std::chrono::steady_clock::now() + 20s;
  const auto result = program.run("k", {.grid = {12}, .block = {64}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[0], 12u);
}

TEST_P(PlainGrid, as_large_as_the_device_ends_and_a_larger_one_does_not) {
  // By blocks of 1024 threads: two a multiprocessor.
  const unsigned room = GetParam() == std::string_view("h200") ? 264 : 32;
  TestProgram fits(counted_in(room), GetParam());
  auto out = fits.buffer<uint32_t>(1);
  fits.settings.deadline = std::chrono::steady_clock::now() + 60s;
  const auto result = fits.run("k", {.grid = {room}, .block = {1024}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  TestProgram larger(counted_in(room + 1), GetParam());
  auto count = larger.buffer<uint32_t>(1);
  larger.settings.deadline = std::chrono::steady_clock::now() + 1s;
  EXPECT_EQ(larger.fault("k", {.grid = {room + 1}, .block = {1024}}, count).kind, FaultKind::timeout);
}

TEST_P(PlainGrid, whose_blocks_try_for_a_lock_until_all_have_come_ends) {
  // [out] the lock, [out+4] how many have come; it is looked at with the lock alone.
  TestProgram program(kernel(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mov.u32 %r7, 1;
    TRY:
      atom.global.cas.b32 %r2, [%rd1], 0, 1;
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra TRY;
    ld.volatile.global.u32 %r3, [%rd1+4];
    add.u32 %r3, %r3, %r7;
    mov.u32 %r7, 0;
    st.volatile.global.u32 [%rd1+4], %r3;
    membar.gl;
    atom.global.exch.b32 %r4, [%rd1], 0;
    setp.lt.u32 %p3, %r3, 5;
    @%p3 bra TRY;
    ret;)"),
                      GetParam());
  auto out = program.buffer<uint32_t>(2);
  program.settings.deadline = std::chrono::steady_clock::now() + 20s;
  const auto result = program.run("k", {.grid = {5}, .block = {32}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[1], 5u);
}

TEST_P(CooperativeGrid, finds_its_workspace_by_environment_registers) {
  // The size of the workspace, then its barrier, which every block counts up and then reads.
  TestProgram program(kernel(R"(
    mov.u32 %r2, %envreg2;
    mov.u32 %r3, %envreg1;
    mov.b64 %rd4, {%r2, %r3};
    ld.u32 %r4, [%rd4];
    atom.add.u32 %r5, [%rd4+4], 1;
    SPIN:
      ld.volatile.u32 %r6, [%rd4+4];
      setp.lt.u32 %p1, %r6, 5;
      @%p1 bra SPIN;
    mad.lo.u32 %r7, %r4, 100, %r6;
    st.global.u32 [%rd3], %r7;
    ret;)"),
                      GetParam());
  auto out = program.buffer<uint32_t>(1);
  const auto result = program.run("k", {.grid = {5}, .cooperative = true}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[0], 805u);
}

// ---- several launches at once
// -----------------------------------------------------------------------------------

TEST(Launches, run_at_once_on_the_same_memory) {
  // Each launch adds 1 to a counter from every thread, under a lock and atomically.
  TestProgram program(kernel(R"(
    atom.global.add.u32 %r2, [%rd1+8], 1;
    and.b32 %r5, %r1, 31;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 ret;
    SPIN:
      atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1;
      setp.ne.u32 %p1, %r2, 0;
      @%p1 bra SPIN;
    ld.relaxed.gpu.global.u32 %r3, [%rd1+4];
    add.u32 %r3, %r3, 1;
    st.relaxed.gpu.global.u32 [%rd1+4], %r3;
    atom.release.gpu.global.exch.b32 %r4, [%rd1], 0;
    ret;)",
                             "sm_70"),
                      independent_device);
  auto out = program.buffer<uint32_t>(3);
  std::vector<std::thread> streams;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 4; ++i)
    streams.emplace_back([&] {
      if (!program.run("k", {.grid = {10}, .block = {64}}, out).ok()) ++failures;
    });
  for (std::thread& stream : streams) stream.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(out[1], 4u * 10 * 2);
  EXPECT_EQ(out[2], 4u * 10 * 64);
}

TEST(Launches, are_the_same_every_time) {
  // Which warp comes when is decided by the program alone.
  TestProgram program(kernel(R"(
    mov.u32 %r2, 0;
    LOOP:
      atom.global.add.u32 %r3, [%rd1], 1;
      add.u32 %r2, %r2, 1;
      setp.lt.u32 %p1, %r2, %r1;
      @%p1 bra LOOP;
    st.global.u32 [%rd3+4], %r3;
    ret;)"),
                      independent_device);
  auto run = [&] {
    auto out = program.buffer<uint32_t>(257);
    EXPECT_TRUE(program.run("k", {.block = {256}}, out).ok());
    return out.values();
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace heddle::exec::interp
