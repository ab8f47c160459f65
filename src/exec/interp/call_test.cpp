// Calls: both ABIs, recursion, function pointers, the stack.
#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

class Calls : public testing::TestWithParam<const char*> {
 protected:
  std::vector<uint32_t> run(const std::string& functions, const std::string& body, uint32_t threads = 32) {
    TestProgram program(text(functions, body), GetParam());
    program.settings.local_bytes = local_bytes_;
    auto out = program.buffer<uint32_t>(threads);
    auto result = program.run("k", {.block = {threads}}, out);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return out.values();
  }
  static std::string text(const std::string& functions, const std::string& body) {
    return ".version 7.3\n.target sm_52\n.address_size 64\n" + functions +
           "\n.visible .entry k(.param .u64 out)\n{\n"
           ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
           "ld.param.u64 %rd1, [out];\n"
           "mov.u32 %r1, %tid.x;\n"
           "mul.wide.u32 %rd2, %r1, 4;\n"
           "add.u64 %rd3, %rd1, %rd2;\n" +
           body + "\nst.global.u32 [%rd3], %r9;\nret;\n}\n";
  }
  uint64_t local_bytes_ = 1 << 20;
};
INSTANTIATE_TEST_SUITE_P(Scheduling, Calls, testing::Values("gtx980", "h200"));

TEST_P(Calls, parameters_and_results_in_param_space) {
  const auto out = run(R"(
    .func (.param .b32 result) sub(.param .b32 a, .param .b32 b)
    {
      .reg .b32 %r<4>;
      ld.param.u32 %r1, [a];
      ld.param.u32 %r2, [b];
      sub.u32 %r3, %r1, %r2;
      st.param.b32 [result], %r3;
      ret;
    })",
                       R"(
    {
      .param .b32 p0;
      .param .b32 p1;
      .param .b32 q;
      st.param.b32 [p0], 1000;
      st.param.b32 [p1], %r1;
      call.uni (q), sub, (p0, p1);
      ld.param.b32 %r9, [q];
    })");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1000 - i);
}

TEST_P(Calls, parameters_and_results_in_registers) {
  const auto out = run(R"(
    .func (.reg .u32 result, .reg .u32 rest) divide(.reg .u32 a, .reg .u32 b)
    {
      div.u32 result, a, b;
      rem.u32 rest, a, b;
      ret;
    })",
                       R"(
      call (%r5, %r6), divide, (%r1, 7);
      mad.lo.u32 %r9, %r5, 100, %r6;)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i / 7 * 100 + i % 7);
}

TEST_P(Calls, structures_pass_as_bytes) {
  const auto out = run(R"(
    .func (.param .align 8 .b8 result[16]) swap(.param .align 8 .b8 pair[16])
    {
      .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [pair];
      ld.param.u64 %rd2, [pair+8];
      st.param.b64 [result], %rd2;
      st.param.b64 [result+8], %rd1;
      ret;
    })",
                       R"(
    {
      .param .align 8 .b8 p[16];
      .param .align 8 .b8 q[16];
      mul.wide.u32 %rd5, %r1, 1;
      st.param.b64 [p], %rd5;
      add.u64 %rd6, %rd5, 500;
      st.param.b64 [p+8], %rd6;
      call (q), swap, (p);
      ld.param.b64 %rd7, [q];
      ld.param.b64 %rd8, [q+8];
      mad.lo.u64 %rd9, %rd7, 1000, %rd8;
      mov.b64 {%r9, %r10}, %rd9;
    })");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 500) * 1000 + i);
}

// f(n) = n == 0 ? 1 : n * f(n - 1) mod 2^32, with a local variable that must survive the inner call.
const char* const factorial = R"(
    .func (.param .b32 result) factorial(.param .b32 n)
    {
      .local .u32 kept;
      .reg .pred %p;
      .reg .b32 %r<6>;
      ld.param.u32 %r1, [n];
      setp.eq.u32 %p, %r1, 0;
      @%p bra ONE;
      st.local.u32 [kept], %r1;
      sub.u32 %r2, %r1, 1;
      {
        .param .b32 p;
        .param .b32 q;
        st.param.b32 [p], %r2;
        call (q), factorial, (p);
        ld.param.b32 %r3, [q];
      }
      ld.local.u32 %r4, [kept];
      mul.lo.u32 %r5, %r3, %r4;
      st.param.b32 [result], %r5;
      ret;
    ONE:
      st.param.b32 [result], 1;
      ret;
    })";
const char* const call_factorial = R"(
    {
      .param .b32 p;
      .param .b32 q;
      st.param.b32 [p], %r1;
      call (q), factorial, (p);
      ld.param.b32 %r9, [q];
    }
    activemask.b32 %r8;
    setp.ne.u32 %p1, %r8, 0xffffffff;
    @%p1 mov.u32 %r9, 0;)";

TEST_P(Calls, lanes_recurse_to_different_depths) {
  const auto out = run(factorial, call_factorial);
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 32; ++i) {
    if (i != 0) expected *= i;
    EXPECT_EQ(out[i], expected == 0 ? 0 : expected) << i;
  }
}

TEST_P(Calls, a_recursion_that_never_ends_overflows_the_stack) {
  TestProgram program(text(R"(
    .func down(.param .b32 n)
    {
      .reg .b32 %r<4>;
      ld.param.u32 %r1, [n];
      add.u32 %r2, %r1, 1;
      {
        .param .b32 p;
        st.param.b32 [p], %r2;
        call down, (p);
      }
      ret;
    })",
                           R"({ .param .b32 p; st.param.b32 [p], 0; call down, (p); })"),
                      GetParam());
  program.settings.local_bytes = 65536;
  auto out = program.buffer<uint32_t>(32);
  const Fault fault = program.fault("k", {.block = {32}}, out);
  EXPECT_EQ(fault.kind, FaultKind::stack_overflow);
  EXPECT_EQ(fault.function, "down");
  EXPECT_EQ(fault.kernel, "k");
}

const char* const three_functions = R"(
    .func (.param .b32 r) one(.param .b32 a)
    { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
    .func (.param .b32 r) two(.param .b32 a)
    { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 200; st.param.b32 [r], %r2; ret; }
    .func (.param .b32 r) three(.param .b32 a)
    { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; activemask.b32 %r2; st.param.b32 [r], %r2; ret; }
    .global .u64 table[3] = { one, two, three };
    )";

TEST_P(Calls, each_lane_calls_what_its_pointer_says) {
  const auto out = run(three_functions, R"(
      rem.u32 %r2, %r1, 3;
      mul.wide.u32 %rd4, %r2, 8;
      mov.u64 %rd5, table;
      add.u64 %rd6, %rd5, %rd4;
      ld.global.u64 %rd7, [%rd6];
      {
        .param .b32 p;
        .param .b32 q;
        st.param.b32 [p], %r1;
        PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (q), %rd7, (p), PROTO;
        ld.param.b32 %r9, [q];
      }
      activemask.b32 %r8;
      setp.ne.u32 %p1, %r8, 0xffffffff;
      @%p1 mov.u32 %r9, 0;)");
  uint32_t third = 0;
  for (uint32_t i = 2; i < 32; i += 3) third |= 1u << i;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 3 == 0 ? i + 1 : i % 3 == 1 ? i + 200 : third) << i;
}

TEST_P(Calls, a_pointer_to_nothing_is_a_fault) {
  TestProgram program(text("", R"(
      mov.u64 %rd7, 12345;
      PROTO: .callprototype _ ();
      call %rd7, PROTO;)"),
                      GetParam());
  auto out = program.buffer<uint32_t>(32);
  EXPECT_EQ(program.fault("k", {.block = {32}}, out).kind, FaultKind::invalid_pc);
}

TEST_P(Calls, a_function_that_nobody_defines_is_named) {
  TestProgram program(text(".extern .func nobody();", "call nobody;"), GetParam());
  auto out = program.buffer<uint32_t>(32);
  const Fault fault = program.fault("k", {.block = {32}}, out);
  EXPECT_EQ(fault.kind, FaultKind::invalid_pc);
  EXPECT_NE(fault.detail.find("'nobody'"), std::string::npos) << fault.detail;
}

TEST_P(Calls, some_lanes_call_and_return_early) {
  const auto out = run(R"(
    .func (.reg .u32 r) f(.reg .u32 a)
    {
      .reg .pred %p<3>;
      mov.u32 r, 1;
      setp.lt.u32 %p1, a, 8;
      @%p1 ret;
      mov.u32 r, 2;
      setp.lt.u32 %p2, a, 12;
      @%p2 bra SOME;
      activemask.b32 r;
      ret;
    SOME:
      mov.u32 r, 3;
      ret;
    })",
                       R"(
      mov.u32 %r9, 0;
      setp.lt.u32 %p1, %r1, 16;
      @%p1 call (%r9), f, (%r1);
      activemask.b32 %r8;
      setp.ne.u32 %p2, %r8, 0xffffffff;
      @%p2 mov.u32 %r9, 0xdead;)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? 1u : i < 12 ? 3u : i < 16 ? 0xf000u : 0u) << i;
}

TEST_P(Calls, a_lane_may_exit_inside_a_function) {
  const auto out = run(R"(
    .func f(.reg .u32 a)
    {
      .reg .pred %p;
      setp.ge.u32 %p, a, 8;
      @%p exit;
      ret;
    })",
                       R"(
      call f, (%r1);
      activemask.b32 %r9;)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? 0xffu : 0u) << i;
}

TEST_P(Calls, the_address_of_a_parameter_is_a_local_address) {
  const auto out = run(R"(
    .func (.reg .u32 r) f(.param .align 4 .b8 a[8])
    {
      .reg .b64 %rd<4>;
      mov.b64 %rd1, a;
      cvta.local.u64 %rd2, %rd1;
      ld.u32 r, [%rd2+4];
      ret;
    })",
                       R"(
    {
      .param .align 4 .b8 p[8];
      st.param.b32 [p], 1;
      st.param.b32 [p+4], %r1;
      call (%r9), f, (p);
    })");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i);
}

TEST_P(Calls, alloca_takes_memory_and_stackrestore_gives_it_back) {
  const auto out = run("", R"(
      stacksave.u64 %rd5;
      mul.wide.u32 %rd6, %r1, 1;
      add.u64 %rd6, %rd6, 8;
      alloca.u64 %rd7, %rd6, 64;
      st.local.u32 [%rd7], %r1;
      alloca.u64 %rd8, 16, 16;
      st.local.u32 [%rd8], 77;
      ld.local.u32 %r9, [%rd7];
      and.b64 %rd9, %rd7, 63;
      mov.b64 {%r5, %r10}, %rd9;
      add.u32 %r9, %r9, %r5;
      stackrestore.u64 %rd5;
      stacksave.u64 %rd10;
      setp.ne.u64 %p1, %rd5, %rd10;
      @%p1 mov.u32 %r9, 0xdead;)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i);
}

TEST_P(Calls, alloca_past_the_limit_overflows_the_stack) {
  TestProgram program(text("", "alloca.u64 %rd7, 5000, 8;"), GetParam());
  program.settings.local_bytes = 4096;
  auto out = program.buffer<uint32_t>(32);
  EXPECT_EQ(program.fault("k", {.block = {32}}, out).kind, FaultKind::stack_overflow);
}

}  // namespace
}  // namespace heddle::exec::interp
