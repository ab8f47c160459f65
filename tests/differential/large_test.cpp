// Large kernels: of more values than a stack has room for, of many barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// The fast executor, which writes to `said` how it makes its code.
std::unique_ptr<Executor> telling(const Said& said, std::optional<jit::Tier> tier) {
  jit::Options options;
  options.tier = tier;
  options.trace = said.listener();
  auto made = jit::make_executor(options, interp::make_executor(), interp::make_reference_lanes_factory());
  EXPECT_TRUE(made.ok()) << made.error();
  return made ? std::move(*made) : nullptr;
}

// Threads that wait for one another have a stack each. Here each value is used again 64 instructions later,
// so none of them stays in a register of quick code.
std::string many_values(unsigned count) {
  constexpr unsigned chains = 64;
  std::string text = R"(
.version 8.0
.target sm_70
.address_size 64
.entry k(.param .u64 lock, .param .u64 out)
{
  .reg .u64 %lock, %out, %sum, %a, %x;
  .reg .u32 %t, %got;
  .reg .pred %p;
  .reg .u64 %v<64>;
  ld.param.u64 %lock, [lock];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 8, %out;
  mul.wide.u32 %x, %t, 977;
  ld.global.u64 %sum, [%a];
again:
  atom.global.cas.b32 %got, [%lock], 0, 1;
  setp.ne.u32 %p, %got, 0;
  @%p bra again;
)";
  for (unsigned i = 0; i < count; ++i) {
    const std::string value = "%v" + std::to_string(i % chains);
    if (i < chains)
      text += "  mul.lo.u64 " + value + ", %sum, " + std::to_string(2 * i + 3) + ";\n";
    else if (i / chains % 2 == 0)
      text += "  mul.lo.u64 " + value + ", " + value + ", " + std::to_string(2 * i + 3) + ";\n";
    else
      text += "  xor.b64 " + value + ", " + value + ", %x;\n";
  }
  for (unsigned i = 0; i < chains; ++i) text += "  add.u64 %sum, %sum, %v" + std::to_string(i) + ";\n";
  return text + R"(
  st.global.u64 [%a], %sum;
  membar.gl;
  st.volatile.global.u32 [%lock], 0;
  ret;
}
)";
}

// Every section diverges and ends with a barrier; `row`, where the threads show each other what they have, is
// in `space`.
std::string many_sections(unsigned count, const std::string& space, const std::string& target) {
  std::string text = R"(
.version 8.0
.target )" + target + R"(
.address_size 64
.global .align 4 .b8 far[256];
.entry k(.param .u64 out)
{
  .reg .u64 %out, %a;
  .reg .u32 %t, %n, %to, %x, %y;
  .reg .pred %p;
  .reg .u64 %row, %at;
  .shared .align 4 .b8 near[256];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ntid.x;
  mad.wide.u32 %a, %t, 4, %out;
  ld.global.u32 %x, [%a];
  mov.u64 %row, )" + std::string(space == "shared" ? "near" : "far") +
                     ";\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  and.b32 %y, %x, " + std::to_string(1 + i % 7) + ";\n  setp.eq.u32 %p, %y, 0;\n  @%p bra skip" +
            n + ";\n";
    for (unsigned k = 0; k < 6; ++k)
      text += "  mad.lo.u32 %x, %x, " + std::to_string(2 * (i + k) + 3) + ", %t;\n  xor.b32 %x, %x, " +
              std::to_string(977 * k + i) + ";\n";
    text += "skip" + n + ":\n  mad.wide.u32 %at, %t, 4, %row;\n  st." + space +
            ".u32 [%at], %x;\n  bar.sync 0;\n  add.u32 %to, %t, " + std::to_string(1 + i % 5) +
            ";\n  rem.u32 %to, %to, %n;\n  mad.wide.u32 %at, %to, 4, %row;\n  ld." + space +
            ".u32 %y, [%at];\n  add.u32 %x, %x, %y;\n  bar.sync 0;\n";
  }
  return text + "  st.global.u32 [%a], %x;\n  ret;\n}\n";
}

// How the kernel was compiled; both executors must leave the same.
std::string compiled_sections(const std::string& space, const std::string& target,
                              const std::string& device) {
  Said said;
  auto executor = telling(said, std::nullopt);
  if (executor == nullptr) return "no executor";
  const std::string text = many_sections(140, space, target);
  TestProgram expected(text, device), native(text, device);
  native.use(std::move(executor));
  const auto run = [](TestProgram& program) {
    auto out = program.buffer(std::vector<uint32_t>(48, 7));
    const auto ran = program.run("k", {.block = {48}}, out);
    EXPECT_TRUE(ran.ok()) << ran.error().message();
    return out.values();
  };
  const auto wanted = run(expected);
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_EQ(run(native), wanted);
  return said.text();
}

TEST(Large, QuickCodeOfWhatIsTooLongForVectorsIsThreadsOnTheirOwn) {
  using testing::HasSubstr;
  constexpr const char* own = "threads on their own, quick";
  EXPECT_THAT(compiled_sections("shared", "sm_70", "h200"), HasSubstr(own));
  // Where warps move in lockstep, only of kernels that cannot tell.
  EXPECT_THAT(compiled_sections("global", "sm_35", "k40"), HasSubstr(own));
}

// The first code of a large kernel whose lanes exchange values without a barrier: threads on their own, in
// step.
TEST(Large, QuickCodeKeepsLanesInStep) {
  std::string text = many_sections(140, "shared", "sm_70");
  const auto replace = [&text](const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
  };
  replace("  bar.sync 0;\n  add.u32 %to,", "  add.u32 %to,");
  replace("  rem.u32 %to, %to, %n;\n",
          "  and.b32 %to, %to, 31;\n  and.b32 %y, %t, 32;\n  or.b32 %to, %to, %y;\n");
  Said said;
  auto executor = telling(said, std::nullopt);
  ASSERT_NE(executor, nullptr);
  TestProgram expected(text), native(text);
  native.use(std::move(executor));
  const auto run = [](TestProgram& program) {
    auto out = program.buffer(std::vector<uint32_t>(48, 7));
    const auto ran = program.run("k", {.block = {48}}, out);
    EXPECT_TRUE(ran.ok()) << ran.error().message();
    return out.values();
  };
  EXPECT_EQ(run(native), run(expected));
  EXPECT_TRUE(said.has("threads on their own, quick")) << said.text();
}

TEST(Large, ThreadsOnTheirOwnHaveRoomForTheirValues) {
  Said said;
  auto executor = telling(said, jit::Tier::quick);
  ASSERT_NE(executor, nullptr);
  const std::string text = many_values(15'000);
  TestProgram expected(text), native(text);
  native.use(std::move(executor));
  const auto run = [](TestProgram& program) {
    auto lock = program.buffer<uint32_t>(1);
    auto out = program.buffer(std::vector<uint64_t>{1, 2, 3, 4});
    const auto ran = program.run("k", {.block = {4}}, lock, out);
    EXPECT_TRUE(ran.ok()) << ran.error().message();
    return out.values();
  };
  const auto wanted = run(expected);
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_EQ(run(native), wanted);
  EXPECT_TRUE(said.has("threads on their own")) << said.text();
}

// A region for each barrier, of no more than what comes until the next: many barriers in a row are not many
// copies of the program.
TEST(Large, ManyBarriersInARowAreVectors) {
  constexpr int barriers = 80, between = 40;
  std::string text = R"(
.version 8.0
.target sm_70
.address_size 64
.entry k(.param .u64 out)
{
  .reg .u64 %out, %a;
  .reg .u32 %t, %n, %v, %w, %s, %z;
  .shared .align 4 .b8 room[256];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 4, %out;
  ld.global.u32 %v, [%a];
  mov.u32 %z, room;
  mad.lo.u32 %s, %t, 4, %z;
  xor.b32 %n, %t, 33;
  mad.lo.u32 %n, %n, 4, %z;
)";
  for (int b = 0; b < barriers; ++b) {
    for (int i = 0; i < between; ++i)
      text += i % 2 == 0 ? "  mad.lo.u32 %v, %v, 1664525, %t;\n" : "  shf.l.wrap.b32 %v, %v, %v, 7;\n";
    text +=
        "  st.shared.u32 [%s], %v;\n  bar.sync 0;\n  ld.shared.u32 %w, [%n];\n  bar.sync 0;\n"
        "  add.u32 %v, %v, %w;\n";
  }
  text += "  st.global.u32 [%a], %v;\n  ret;\n}\n";
  Said said;
  auto executor = telling(said, jit::Tier::quick);
  ASSERT_NE(executor, nullptr);
  TestProgram expected(text), native(text);
  native.use(std::move(executor));
  const auto run = [](TestProgram& program) {
    auto out = program.buffer(std::vector<uint32_t>(64, 12345));
    const auto ran = program.run("k", {.block = {64}}, out);
    EXPECT_TRUE(ran.ok()) << ran.error().message();
    return out.values();
  };
  EXPECT_EQ(run(native), run(expected));
  EXPECT_FALSE(said.has("threads on their own")) << said.text();
  EXPECT_FALSE(said.has("reference executor")) << said.text();
}

}  // namespace
}  // namespace heddle::exec
