// Each pass that may be off, switched off alone: the same results as the reference executor's. Random
// programs of every day here; HEDDLE_JIT_DISABLE does the same for the other tests of this suite, and
// `tools/fuzz_executors.py --disable each` for as many programs as one likes.
#include <gtest/gtest.h>

#include "exec/interp/lanes.h"
#include "exec/interp/program_runner.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle {
namespace {

using exec::interp::ProgramResult;
using exec::jit::Pass;
using exec::jit::PassSet;
using exec::jit::Tier;

// Rows that are walked and stored, columns, short branches, divisions, gathers of bytes: something for most
// passes.
constexpr std::string_view made_for_passes = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .u64 %in, %out, %a, %b;
  .reg .u32 %t, %x, %y, %k, %v, %s, %p<8>;
  .reg .u16 %h;
  .reg .pred %c;
  .shared .align 16 .b8 tile[4096];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %k, %ntid.x;
  mad.lo.u32 %t, %y, %k, %x;
  // four words of a row of its own, read one by one
  mul.wide.u32 %a, %t, 16;
  add.u64 %a, %in, %a;
  ld.global.u32 %p0, [%a];
  ld.global.u32 %p1, [%a+4];
  ld.global.u32 %p2, [%a+8];
  ld.global.u32 %p3, [%a+12];
  // its partner's, a byte of a table, a row that goes backwards
  xor.b32 %p4, %t, 5;
  mul.wide.u32 %b, %p4, 4;
  add.u64 %b, %in, %b;
  ld.global.u32 %p4, [%b];
  and.b32 %p5, %p0, 255;
  cvt.u64.u32 %b, %p5;
  add.u64 %b, %in, %b;
  ld.global.u8 %h, [%b];
  cvt.u32.u16 %p5, %h;
  sub.u32 %p6, 255, %t;
  mul.wide.u32 %b, %p6, 4;
  add.u64 %b, %in, %b;
  ld.global.u32 %p6, [%b];
  // columns of shared memory
  mov.u32 %s, tile;
  mad.lo.u32 %v, %x, %k, %y;
  shl.b32 %v, %v, 2;
  and.b32 %v, %v, 4092;
  add.u32 %v, %s, %v;
  st.shared.u32 [%v], %p3;
  bar.sync 0;
  shl.b32 %v, %t, 2;
  and.b32 %v, %v, 4092;
  add.u32 %v, %s, %v;
  ld.shared.u32 %p7, [%v];
  or.b32 %p1, %p1, 1;
  div.u32 %p2, %p2, %p1;
  setp.gt.u32 %c, %p0, %p4;
  @%c bra other;
  add.u32 %p2, %p2, %p5;
  bra.uni both;
other:
  xor.b32 %p2, %p2, %p6;
both:
  and.b32 %k, %p0, 15;
turn:
  add.u32 %p2, %p2, %p7;
  mul.lo.u32 %p2, %p2, 5;
  setp.ne.u32 %c, %k, 0;
  add.u32 %k, %k, -1;
  @%c bra turn;
  mul.wide.u32 %b, %t, 4;
  add.u64 %b, %out, %b;
  st.global.u32 [%b], %p2;
  ret;
}
)";

class EachPassOff : public ::testing::TestWithParam<Pass> {};

void compare(const std::string& text, exec::interp::ProgramRun run, Pass off, Tier tier,
             const std::string& which) {
  Said said;
  exec::jit::Options options;
  options.tier = tier;
  options.trace = said.listener();
  options.disabled.add(off);
  auto executor = exec::jit::make_executor(options, exec::interp::make_executor(),
                                           exec::interp::make_reference_lanes_factory());
  ASSERT_TRUE(executor.ok()) << executor.error();
  run.limit = std::chrono::seconds(300);  // compiling counts
  const ProgramResult expected = exec::interp::run_program(text, run);
  run.executor = executor->get();
  const ProgramResult native = exec::interp::run_program(text, run);
  EXPECT_EQ(native.message, expected.message) << which << '\n' << said.text();
  EXPECT_TRUE(native.output == expected.output) << which << '\n' << said.text();
}

TEST_P(EachPassOff, GivesTheSameResults) {
  const Pass off = GetParam();
  for (const Tier tier : {Tier::quick, Tier::best}) {
    for (const exec::Dim3 block : {exec::Dim3{256, 1, 1}, exec::Dim3{16, 16, 1}, exec::Dim3{40, 3, 1}})
      compare(std::string(made_for_passes), {{3}, block, 4 * 1024}, off, tier,
              "block " + std::to_string(block.x));
    // Other programs for each pass.
    const uint64_t seed = 5000 + 2 * static_cast<uint64_t>(off) + (tier == Tier::best ? 1 : 0);
    ptx::testing::RandomProgramOptions random;
    random.most_threads = 96;
    random.waiting_lanes = true;
    random.small = true;
    random.most_statements = 10;
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, random);
    compare(program.text, {{program.blocks}, {program.block_x, program.block_y}, program.output_bytes}, off,
            tier, "seed " + std::to_string(seed));
  }
}

std::vector<Pass> that_may_be_off() {
  std::vector<Pass> all;
  for (std::size_t p = 0; p < exec::jit::pass_count; ++p)
    if (exec::jit::passes()[p].may_be_off) all.push_back(static_cast<Pass>(p));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Passes, EachPassOff, ::testing::ValuesIn(that_may_be_off()),
                         [](const ::testing::TestParamInfo<Pass>& pass) {
                           std::string name(exec::jit::info(pass.param).name);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace heddle
