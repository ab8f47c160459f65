// Launches that write so much that stores go past the caches (exec/jit/transform/stream.h): what is there
// afterwards, and where it stopped. The reference executor would take minutes: what must be there is known.
#include <cstdlib>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle::exec {
namespace {

using interp::Buffer;
using interp::TestProgram;

constexpr uint32_t blocks = 1 << 16, threads = 128, words = blocks * threads;

constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %n, %c, %d;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mov.u32 %d, %ntid.x;
  mad.lo.u32 %t, %c, %d, %t;
  setp.ge.u32 %q, %t, %n;
  @%q bra end;
  mad.wide.u32 %a, %t, 4, %p;
  mad.lo.u32 %t, %t, 3, 1;
  st.global.u32 [%a], %t;
end:
  ret;
}
)";

class Streams : public ::testing::TestWithParam<const char*> {
 protected:
  Streams() : program_(text) {
    jit::Options options;
    options.cpu = GetParam();
    options.tier = jit::Tier::quick;
    options.trace = said_.listener();
    auto executor =
        jit::make_executor(options, interp::make_executor(), interp::make_reference_lanes_factory());
    runs_ = executor.ok();
    if (runs_) program_.use(std::move(*executor));
  }
  void SetUp() override {
    if (!runs_) GTEST_SKIP() << "not on this host";
  }

  void write(uint32_t first, uint32_t count) {
    Buffer<uint32_t> out = program_.buffer<uint32_t>(words + 64);
    const auto ran = program_.run("k", {.grid = {blocks}, .block = {threads}},
                                  reinterpret_cast<uint64_t>(out.data + first), count);
    ASSERT_TRUE(ran.ok()) << ran.error().message();
    EXPECT_FALSE(said_.has("reference executor")) << said_.text();
    for (uint32_t i = 0; i < out.count; ++i) {
      const uint32_t wanted = i < first || i - first >= count ? 0 : (i - first) * 3 + 1;
      ASSERT_EQ(out[i], wanted) << "word " << i;
    }
  }

  Said said_;
  TestProgram program_;
  bool runs_ = false;
};

TEST_P(Streams, AllIsThere) { write(0, words); }
TEST_P(Streams, UpToTheMiddleOfARow) { write(0, words - 37); }
TEST_P(Streams, FromTheMiddleOfALine) { write(3, words); }
TEST_P(Streams, FaultWhereTheMemoryEnds) {
  Buffer<uint32_t> out = program_.buffer<uint32_t>(words / 2);
  const Fault fault = program_.fault("k", {.grid = {blocks}, .block = {threads}}, out, words);
  EXPECT_EQ(fault.kind, FaultKind::illegal_address) << fault.message();
  EXPECT_TRUE(fault.write);
  EXPECT_EQ(fault.thread.x % 16, 0u) << fault.message();
  const uint64_t base = reinterpret_cast<uintptr_t>(out.data);
  EXPECT_GE(fault.address, base + uint64_t{words} * 2) << fault.message();
  EXPECT_EQ(fault.address, base + 4 * (uint64_t{fault.block.x} * threads + fault.thread.x))
      << fault.message();
}

INSTANTIATE_TEST_SUITE_P(Levels, Streams, ::testing::Values("avx512", "avx2", "x86-64-v2"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace heddle::exec
