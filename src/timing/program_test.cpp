// What a kernel's instructions become on a machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "module/test_link.h"
#include "timing/issued.h"

namespace heddle::timing {
namespace {

struct Made {
  std::unique_ptr<module::Image> image;
  IssuedBody body;
  // Of the runs as the program has them, in its order.
  std::vector<Operation> operations(std::string_view opcode) const {
    std::vector<Operation> result = issued(opcode, false);
    std::ranges::sort(result, {}, &Operation::instruction);
    return result;
  }
  // Those of loops that are repeated, in the order of issue.
  std::vector<Operation> issued(std::string_view opcode, bool repeated = true) const {
    std::vector<Operation> result;
    const module::Function& f = image->functions[image->function_index("k")];
    for (const Run& run : body.runs)
      for (uint32_t i = run.first; i < run.end && repeated == (run.copies > 1); ++i)
        if (isa::name(f.code[body.operations[i].instruction].opcode) == opcode)
          result.push_back(body.operations[i]);
    return result;
  }
};

Made made(std::string_view device, const std::string& header, const std::string& code) {
  Made result;
  const Machine machine = *make_machine(**arch::find_device(device));
  result.image = module::link_text(
      header +
      ".visible .entry k(.param .u64 x, .param .u32 n) { .reg .b64 a, b, c; .reg .b32 i, s, v, w, u; "
      ".reg .f32 f, g, h; .reg .pred p, q; .shared .b32 m[64]; ld.param.u64 a, [x]; mov.u32 i, %tid.x; "
      "mov.u32 s, m; " +
      code + " ret; }");
  const uint32_t entry = result.image->function_index("k");
  result.body = issue_program(*result.image, entry, machine).bodies[entry];
  return result;
}
Made on_h200(const std::string& code) { return made("h200", module::test_header, code); }
Made on_8800(const std::string& code) { return made("8800gtx", ".version 1.4\n.target sm_10\n", code); }

TEST(TimingProgram, OfTwoBranchesSideBySideOneCosts) {
  const Made m = on_h200(
      "again: add.u32 i, i, 1; setp.gt.u32 p, i, 64; @p bra out; bra.uni again; out: "
      "st.global.u32 [a], i;");
  const auto branches = m.operations("bra");
  ASSERT_EQ(branches.size(), 2);
  EXPECT_EQ(branches[0].unit, Unit::control);
  EXPECT_FALSE(branches[0].meets) << "it leaves a loop";
  EXPECT_EQ(branches[1].unit, Unit::none);
}

TEST(TimingProgram, LanesMeetBehindABranchForward) {
  const Made m = on_h200("setp.gt.u32 p, i, 7; @p bra over; add.u32 i, i, 1; over: st.global.u32 [a], i;");
  EXPECT_TRUE(m.operations("bra")[0].meets);
  EXPECT_GT(m.operations("bra")[0].late, 0);
}

TEST(TimingProgram, AConstantAtAFixedPlaceIsAnOperand) {
  const Made m = made("8800gtx", ".version 1.4\n.target sm_10\n.const .b32 table[4];\n",
                      "ld.const.b32 s, [table+8]; mov.u32 w, table; ld.const.b32 u, [w]; add.u32 s, s, u; "
                      "st.global.u32 [a], s;");
  const auto loads = m.operations("ld");
  ASSERT_EQ(loads.size(), 3);
  EXPECT_EQ(loads[1].unit, Unit::none);
  EXPECT_EQ(loads[2].unit, Unit::memory);
}

// What nvcc 13.0 makes of them (spec/timing/math.toml), and 8 instructions for roundf then are 4 now.
TEST(TimingProgram, MathFunctionsTakeTheirInstructions) {
  const auto call = [](const std::string& name) {
    const std::string header = std::string(module::test_header) + ".extern .func (.param .b32 r) __nv_" +
                               name + "(.param .b32 x);\n";
    const Made m = made("gtx480", header,
                        "{ .param .b32 x1; .param .b32 y1; st.param.b32 [x1], i; call.uni (y1), __nv_" +
                            name + ", (x1); ld.param.b32 i, [y1]; }");
    return m.operations("call")[0];
  };
  const Machine machine = *make_machine(**arch::find_device("gtx480"));
  EXPECT_EQ(call("roundf").unit, Unit::f32);
  EXPECT_EQ(call("roundf").issue, 4 * machine.issue);
  EXPECT_LT(call("sinpif").issue, call("sinf").issue);
  EXPECT_GT(call("erfcf").latency, call("erfcf").issue);
  EXPECT_EQ(call("unknown").unit, Unit::control);
}

// tests/hw/h100/timing, "atomic red": and of different words nobody can make one.
TEST(TimingProgram, SumsIntoOneWordAreMadeOfTheWarp) {
  EXPECT_TRUE(on_h200("red.global.add.u32 [a], 1;").operations("red")[0].together);
  EXPECT_TRUE(on_h200("red.global.add.u32 [a], i;").operations("red")[0].together);
  EXPECT_FALSE(on_h200("red.global.max.u32 [a], i;").operations("red")[0].together);
  EXPECT_FALSE(on_h200("mad.wide.u32 b, i, 4, a; red.global.add.u32 [b], i;").operations("red")[0].together);
  EXPECT_FALSE(on_h200("cvt.rn.f32.u32 f, i; red.global.add.f32 [a], f;").operations("red")[0].together);
}

// As an H100's assembler has a sum over words of shared memory.
TEST(TimingProgram, LoadsOfARepeatedLoopComeFirstAndNeighbouringWordsAreOne) {
  const Made m = on_h200(
      "mov.f32 f, 0f00000000; again: add.u32 v, s, i; ld.shared.f32 g, [v]; fma.rn.f32 f, g, g, f; "
      "ld.shared.f32 h, [v+4]; fma.rn.f32 f, h, h, f; add.u32 i, i, 8; setp.lt.u32 p, i, 128; @p bra again; "
      "st.global.f32 [a], f;");
  const auto loads = m.issued("ld"), products = m.issued("fma");
  ASSERT_EQ(loads.size(), 8) << "four copies, of an address with a remainder nobody knows";
  ASSERT_EQ(products.size(), 8);
  for (std::size_t i = 1; i < products.size(); ++i)
    EXPECT_LE(products[i - 1].copy, products[i].copy) << "a sum is in order";
  EXPECT_EQ(m.issued("bra").size(), 1);
  EXPECT_LT(loads[7].first_register, products[2].first_register) << "registers are in the order of issue";
  const Made aligned = on_h200(
      "mov.u32 w, 0; mov.f32 f, 0f00000000; again: add.u32 v, s, w; ld.shared.f32 g, [v]; fma.rn.f32 f, g, "
      "g, f; "
      "ld.shared.f32 h, [v+4]; fma.rn.f32 f, h, h, f; add.u32 w, w, 8; setp.lt.u32 p, w, 800; @p bra again; "
      "st.global.f32 [a], f;");
  EXPECT_EQ(aligned.issued("ld").size() * 2, aligned.issued("fma").size()) << "two words are one access";
}

TEST(TimingProgram, MathFunctionsArePartOfTheLoopThatCallsThem) {
  const std::string header =
      std::string(module::test_header) + ".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n";
  const Made m = made("h200", header,
                      "mov.u32 i, 0; again: { .param .b32 x1; .param .b32 y1; st.param.b32 [x1], i; "
                      "call.uni (y1), __nv_sinf, (x1); ld.param.b32 w, [y1]; } add.u32 v, v, w; "
                      "add.u32 i, i, 1; setp.lt.u32 p, i, 64; @p bra again; st.global.u32 [a], v;");
  EXPECT_GT(m.issued("call").size(), 1);
  for (const Operation& o : m.issued("st")) EXPECT_EQ(o.unit, Unit::none) << "what is passed is in registers";
  EXPECT_EQ(std::ranges::count(m.body.run_at, IssuedBody::none), m.body.run_at.size() - 3) << "blocks alone";
}

// A product and sum of 1.x with an operand in shared memory takes 6 clocks for 4 (Volkov, Demmel 2008).
TEST(TimingProgram, UpTo13AnInstructionTakesOneOperandFromSharedMemory) {
  const Made m = on_8800(
      "ld.shared.f32 f, [s]; ld.shared.f32 g, [s+4]; mul.f32 h, f, g; st.global.f32 [a], h; "
      "ld.shared.u32 v, [s+8]; st.global.u32 [a+4], v; ld.shared.b32 w, [s+12]; mad.f32 h, h, w, h;");
  const auto loads = m.operations("ld");
  ASSERT_EQ(loads.size(), 5);
  EXPECT_TRUE(loads[1].is_operand);
  EXPECT_EQ(loads[1].issue, 4 * ticks_per_clock) << "what fills the address register";
  EXPECT_FALSE(loads[2].is_operand);
  EXPECT_EQ(loads[2].issue, 4 * ticks_per_clock);
  EXPECT_FALSE(loads[3].is_operand) << "a store takes none";
  EXPECT_TRUE(loads[4].is_operand);
  EXPECT_EQ(loads[4].issue, 2 * ticks_per_clock);
}

// R2A, ADA of published disassemblies.
TEST(TimingProgram, UpTo13SharedMemoryIsAddressedThroughRegistersOfItsOwn) {
  const Made m = on_8800(
      "add.u32 v, s, i; ld.shared.u32 w, [v]; st.shared.u32 [v+4], w; ld.shared.u32 w, [v+128]; "
      "bar.sync 0; ld.shared.u32 u, [v]; st.global.u32 [a], u; add.u32 v, v, 4; ld.shared.u32 i, [v]; "
      "st.shared.u32 [s], i; "
      "st.shared.u32 [s+200], w; st.shared.u32 [s+204], w;");
  const auto loads = m.operations("ld"), stores = m.operations("st");
  ASSERT_EQ(loads.size(), 5);
  EXPECT_EQ(loads[1].issue, (4 + 4) * ticks_per_clock);
  EXPECT_EQ(loads[1].late, 12 * ticks_per_clock);
  EXPECT_EQ(loads[1].late_for(0), loads[1].late);
  EXPECT_EQ(stores[0].issue, 4 * ticks_per_clock) << "it has the address";
  EXPECT_EQ(loads[2].issue, (4 + 4) * ticks_per_clock) << "too far from it";
  EXPECT_EQ(loads[3].issue, (4 + 4) * ticks_per_clock) << "behind a barrier";
  EXPECT_EQ(loads[4].issue, (4 + 4) * ticks_per_clock) << "the address is another";
  EXPECT_EQ(stores[2].late_for(1), 0) << "what is stored is not waited for";
  EXPECT_EQ(stores[3].issue, 4 * ticks_per_clock) << "stores reach far";
}

TEST(TimingProgram, UpTo13DistancesInGlobalMemoryAreSumsAndNumbersOfThreadsAreConverted) {
  const Made m = on_8800("st.global.u32 [a], i; st.global.u32 [a+4], i;");
  EXPECT_EQ(m.operations("st")[1].issue, m.operations("st")[0].issue + 4 * ticks_per_clock);
  EXPECT_EQ(m.operations("mov")[0].issue, 4 * ticks_per_clock) << "of 16 bits to 32";
}

// 133 clocks of a multiprocessor (published micro-benchmarks of a GTX 280).
TEST(TimingProgram, UpTo13ARemainderIsAFunction) {
  const Made m = on_8800("rem.u32 v, i, s; st.global.u32 [a], v;");
  EXPECT_EQ(m.operations("rem")[0].issue, 33 * 4 * ticks_per_clock);
}

TEST(TimingProgram, UpTo13AddressesHave32BitsAndPowersOfTwoAreShifts) {
  const Made m =
      on_8800("mul.wide.u32 b, i, 4; mul.wide.u32 c, i, 12; add.s64 b, b, c; st.global.u32 [b], i;");
  EXPECT_EQ(m.operations("mul")[0].issue, 4 * ticks_per_clock);
  EXPECT_EQ(m.operations("add")[0].issue, 4 * ticks_per_clock);
  EXPECT_EQ(m.operations("mul")[1].issue, 16 * ticks_per_clock);
}

// CUDA C Programming Guide 8.0, G.5.2: on 5.x and 6.1 the L1 cache takes what nobody writes.
TEST(TimingProgram, TheL1CacheOf6IsAskedForReadOnlyDataAlone) {
  const std::string code =
      "ld.global.f32 f, [a]; ld.global.nc.f32 g, [a+4]; ld.global.ca.f32 h, [a+8]; add.f32 f, f, g; "
      "add.f32 f, f, h; st.global.f32 [a], f;";
  const std::string header = ".version 8.3\n.target sm_61\n.address_size 64\n";
  const auto loads = made("gtx1080ti", header, code).operations("ld");
  ASSERT_EQ(loads.size(), 4);
  EXPECT_TRUE(loads[1].past_l1);
  EXPECT_FALSE(loads[2].past_l1);
  EXPECT_FALSE(loads[3].past_l1);
  for (const Operation& load : on_h200(code).operations("ld")) EXPECT_FALSE(load.past_l1);
  const auto past = on_h200("ld.global.cg.f32 f, [a]; st.global.f32 [a], f;").operations("ld");
  EXPECT_TRUE(past.back().past_l1);
}

TEST(TimingProgram, SleepsHoldTheWarp) {
  const Machine machine = *make_machine(**arch::find_device("h200"));
  const Made m = on_h200("mov.u32 u, 300; nanosleep.u32 500; nanosleep.u32 i; nanosleep.u32 u;");
  const uint32_t entry = m.image->function_index("k");
  const Body body = make_program(*m.image, machine).bodies[entry];
  std::vector<Operation> sleeps;
  for (std::size_t i = 0; i < body.operations.size(); ++i)
    if (isa::name(m.image->functions[entry].code[i].opcode) == "nanosleep")
      sleeps.push_back(body.operations[i]);
  ASSERT_EQ(sleeps.size(), 3);
  EXPECT_EQ(sleeps[0].holds, machine.ticks(500));
  EXPECT_EQ(sleeps[1].holds, 0) << "how long, the thread's number says";
  EXPECT_EQ(sleeps[2].holds, machine.ticks(300));
}

}  // namespace
}  // namespace heddle::timing
