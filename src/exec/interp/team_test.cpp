// Clusters of one launch on several threads of the host.
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using namespace std::chrono_literals;

// out[0] counts; %r2 is the block, %r3 counts down from 2000.
std::string kernel(std::string_view loop, std::string_view behind) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".extern .func (.param .b64 r) malloc(.param .b64 size);\n"
         ".visible .entry k(.param .u64 out)\n{\n"
         ".shared .align 4 .b32 s;\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [out];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mov.u32 %r2, %ctaid.x;\n"
         "mov.u32 %r3, 2000;\n"
         "LOOP:\n" +
         std::string(loop) +
         "sub.u32 %r3, %r3, 1;\n"
         "setp.ne.u32 %p1, %r3, 0;\n"
         "@%p1 bra LOOP;\n" +
         std::string(behind) + "ret;\n}\n";
}

// Each block adds its threads' numbers in its own shared memory, then to what all see.
const std::string sums = kernel("", R"(
    mov.u32 %r4, 0;
    st.shared.u32 [s], %r4;
    bar.sync 0;
    add.u32 %r5, %r1, %r2;
    red.shared.add.u32 [s], %r5;
    bar.sync 0;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra END;
    ld.shared.u32 %r6, [s];
    red.global.add.u32 [%rd1], %r6;
    END:
)");

TEST(Team, DoesWhatOneThreadDoes) {
  const auto run = [](unsigned threads, const LaunchShape& shape) {
    TestProgram program(sums);
    program.use(make_executor(threads));
    auto out = program.buffer<uint32_t>(1);
    const auto report = program.run("k", shape, out);
    EXPECT_TRUE(report.ok()) << report.error().message();
    const LaunchReport counts = report.ok() ? *report : LaunchReport{};
    return std::tuple(out[0], counts.warp_instructions, counts.thread_instructions);
  };
  for (const LaunchShape& shape :
       {LaunchShape{.grid = {40}, .block = {64}}, LaunchShape{.grid = {40}, .block = {64}, .cluster = {4}},
        LaunchShape{.grid = {1}, .block = {64}}, LaunchShape{.grid = {2}, .block = {64}, .cluster = {2}}}) {
    const auto one = run(1, shape);
    const uint32_t blocks = shape.grid.x;
    EXPECT_EQ(std::get<0>(one), blocks * (64 * 63 / 2) + 64 * (blocks * (blocks - 1) / 2));
    EXPECT_EQ(run(3, shape), one);
  }
}

TEST(Team, IsThere) {
  TestProgram program(kernel("", R"(
    {
      .param .b64 p0;
      .param .b64 q;
      st.param.b64 [p0], 8;
      call.uni (q), malloc, (p0);
    }
)"));
  std::mutex mutex;
  std::set<std::thread::id> seen;
  program.services.allocate_ = [&](uint64_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
    return uint64_t{0};
  };
  auto out = program.buffer<uint32_t>(1);
  const auto threads_of = [&](unsigned threads, const LaunchShape& shape) {
    seen.clear();
    program.use(make_executor(threads));
    EXPECT_TRUE(program.run("k", shape, out).ok());
    return seen.size();
  };
  const LaunchShape several{.grid = {256}, .block = {32}, .cluster = {2}};
  EXPECT_EQ(threads_of(1, several), 1u);
  EXPECT_GT(threads_of(4, several), 1u);
  // All blocks are there at once: nobody takes one behind another.
  EXPECT_EQ(threads_of(4, {.grid = {64}, .block = {32}, .cooperative = true}), 1u);
}

TEST(Team, WaitsForClustersThatHaveNotBegun) {
  // All but the last block wait for it.
  TestProgram program(kernel("", R"(
    setp.eq.u32 %p2, %r2, 63;
    @%p2 bra LAST;
    WAIT:
      ld.volatile.global.u32 %r4, [%rd1];
      setp.eq.u32 %p3, %r4, 0;
      @%p3 bra WAIT;
    red.global.add.u32 [%rd1], 1;
    ret;
    LAST:
    st.volatile.global.u32 [%rd1], 1;
)"));
  program.use(make_executor(4));
  auto out = program.buffer<uint32_t>(1);
  const auto report = program.run("k", {.grid = {64}}, out);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(out[0], 64u);
}

TEST(Team, EndsWithTheFaultOfOne) {
  // Block 20 stores where nothing is; the others go round for ever.
  TestProgram program(kernel("", R"(
    setp.eq.u32 %p2, %r2, 20;
    @%p2 bra BAD;
    WAIT:
      ld.volatile.global.u32 %r4, [%rd1];
      setp.eq.u32 %p3, %r4, 0;
      @%p3 bra WAIT;
    ret;
    BAD:
    mov.u64 %rd2, 64;
    st.global.u32 [%rd2], %r1;
)"));
  program.use(make_executor(4));
  program.settings.deadline = std::chrono::steady_clock::now() + 60s;
  auto out = program.buffer<uint32_t>(1);
  const Fault fault = program.fault("k", {.grid = {64}}, out);
  EXPECT_EQ(fault.kind, FaultKind::illegal_address) << fault.message();
  EXPECT_EQ(fault.block.x, 20u);
}

TEST(Team, EndsWhenTheHostSaysSo) {
  TestProgram program(kernel("mov.u32 %r3, 2;\n", ""));
  program.use(make_executor(4));
  program.settings.deadline = std::chrono::steady_clock::now() + 50ms;
  auto out = program.buffer<uint32_t>(1);
  EXPECT_EQ(program.fault("k", {.grid = {64}}, out).kind, FaultKind::timeout);
}

}  // namespace
}  // namespace heddle::exec::interp
