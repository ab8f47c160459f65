// What a kernel may call of its host: printf, assert, malloc and free.
#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

// A string as PTX's initialisers have it: bytes.
std::string string_variable(std::string_view name, std::string_view value) {
  std::string text = ".global .align 1 .b8 " + std::string(name) + "[] = {";
  for (char c : value) text += std::to_string(static_cast<int>(c)) + ", ";
  return text + "0};\n";
}

std::string text(std::string_view declarations, std::string_view body, unsigned bits = 64) {
  return ".version 6.0\n.target sm_30\n.address_size " + std::to_string(bits) + "\n" +
         std::string(declarations) + ".visible .entry k(.param .u" + std::to_string(bits) +
         " out)\n{\n"
         ".local .align 8 .b8 args[64];\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f64 %fd<4>;\n"
         "mov.u32 %r1, %tid.x;\n" +
         std::string(body) + "\nret;\n}\n";
}

const std::string declare_vprintf =
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);\n" +
    string_variable("format", "lane %d of %s: %5.2f\n") + string_variable("word", "loom");

TEST(HostFunctions, printf_of_every_lane_in_order) {
  TestProgram program(text(declare_vprintf, R"(
    mov.u64 %rd1, args;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [args], %r1;
    mov.u64 %rd3, word;
    cvta.global.u64 %rd4, %rd3;
    st.local.u64 [args+8], %rd4;
    mov.f64 %fd1, 0d3ff8000000000000;
    st.local.f64 [args+16], %fd1;
    mov.u64 %rd5, format;
    cvta.global.u64 %rd6, %rd5;
    {
      .param .b64 p0;
      .param .b64 p1;
      .param .b32 q;
      st.param.b64 [p0], %rd6;
      st.param.b64 [p1], %rd2;
      call.uni (q), vprintf, (p0, p1);
      ld.param.b32 %r2, [q];
    }
    ld.param.u64 %rd7, [out];
    st.global.u32 [%rd7], %r2;)"));
  auto out = program.buffer<uint32_t>(1);
  const auto result = program.run("k", {.block = {3}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(program.services.printed,
            "lane 0 of loom:  1.50\nlane 1 of loom:  1.50\nlane 2 of loom:  1.50\n");
  EXPECT_EQ(out[0], 3u);
}

TEST(HostFunctions, printf_of_a_pointer_to_nothing_is_a_fault) {
  TestProgram program(text(declare_vprintf, R"(
    {
      .param .b64 p0;
      .param .b64 p1;
      .param .b32 q;
      st.param.b64 [p0], 4096;
      st.param.b64 [p1], 0;
      call (q), vprintf, (p0, p1);
    })"));
  auto out = program.buffer<uint32_t>(1);
  EXPECT_EQ(program.fault("k", {}, out).kind, FaultKind::illegal_address);
}

TEST(HostFunctions, printf_in_a_32_bit_program) {
  TestProgram program(text(".extern .func (.param .b32 r) vprintf(.param .b32 format, .param .b32 args);\n" +
                               string_variable("format", "%d %s\n") + string_variable("word", "loom"),
                           R"(
    mov.u32 %r2, args;
    cvta.local.u32 %r3, %r2;
    st.local.u32 [args], 5;
    mov.u32 %r4, word;
    cvta.global.u32 %r5, %r4;
    st.local.u32 [args+4], %r5;
    mov.u32 %r6, format;
    cvta.global.u32 %r7, %r6;
    {
      .param .b32 p0;
      .param .b32 p1;
      .param .b32 q;
      st.param.b32 [p0], %r7;
      st.param.b32 [p1], %r3;
      call (q), vprintf, (p0, p1);
    })",
                           32));
  auto out = program.buffer<uint32_t>(1);
  const auto result = program.run("k", {}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(program.services.printed, "5 loom\n");
}

TEST(HostFunctions, failed_assertions_say_what_the_host_would) {
  TestProgram program(
      text(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param "
           ".b64 e);\n" +
               string_variable("message", "warp > weft") + string_variable("file", "loom.cu") +
               string_variable("function", "void weave(int)"),
           R"(
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra FINE;
    mov.u64 %rd1, message;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, file;
    cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, function;
    cvta.global.u64 %rd3, %rd3;
    {
      .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
      st.param.b64 [p0], %rd1;
      st.param.b64 [p1], %rd2;
      st.param.b32 [p2], 29;
      st.param.b64 [p3], %rd3;
      st.param.b64 [p4], 1;
      call.uni __assertfail, (p0, p1, p2, p3, p4);
    }
    FINE:)"));
  auto out = program.buffer<uint32_t>(1);
  const Fault f = program.fault("k", {.block = {4}}, out);
  EXPECT_EQ(f.kind, FaultKind::assertion);
  EXPECT_EQ(f.thread.x, 2u);
  EXPECT_EQ(program.services.errors,
            "loom.cu:29: void weave(int): block: [0,0,0], thread: [2,0,0] Assertion `warp > weft` failed.\n"
            "loom.cu:29: void weave(int): block: [0,0,0], thread: [3,0,0] Assertion `warp > weft` failed.\n");
}

TEST(HostFunctions, a_pure_virtual_function_ends_the_kernel) {
  TestProgram program(text(".extern .func __cxa_pure_virtual();\n", R"(
    setp.ne.u32 %p1, %r1, 1;
    @%p1 bra FINE;
    call.uni __cxa_pure_virtual, ();
    FINE:)"));
  auto out = program.buffer<uint32_t>(1);
  const Fault f = program.fault("k", {.block = {3}}, out);
  EXPECT_EQ(f.kind, FaultKind::trap);
  EXPECT_EQ(f.thread.x, 1u);
  EXPECT_EQ(f.detail, "a pure virtual function was called");
}

TEST(HostFunctions, malloc_gives_memory_that_free_takes_back) {
  TestProgram program(
      text(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n",
           R"(
    {
      .param .b64 p;
      .param .b64 q;
      st.param.b64 [p], 64;
      call (q), malloc, (p);
      ld.param.b64 %rd1, [q];
    }
    add.u32 %r2, %r1, 40;
    st.u32 [%rd1+60], %r2;
    ld.u32 %r3, [%rd1+60];
    {
      .param .b64 p;
      st.param.b64 [p], %rd1;
      call free, (p);
    }
    ld.param.u64 %rd7, [out];
    mul.wide.u32 %rd8, %r1, 4;
    add.u64 %rd7, %rd7, %rd8;
    st.global.u32 [%rd7], %r3;)"));
  auto out = program.buffer<uint32_t>(4);
  const auto result = program.run("k", {.block = {4}}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out.values(), (std::vector<uint32_t>{40, 41, 42, 43}));
  EXPECT_TRUE(program.services.allocated.empty());
}

TEST(HostFunctions, free_of_anything_else_is_a_fault) {
  TestProgram program(text(".extern .func free(.param .b64 p);\n", R"(
    { .param .b64 p; st.param.b64 [p], 0; call free, (p); }
    { .param .b64 p; st.param.b64 [p], 640; call free, (p); })"));
  auto out = program.buffer<uint32_t>(1);
  EXPECT_EQ(program.fault("k", {}, out).kind, FaultKind::illegal_address);
}

}  // namespace
}  // namespace heddle::exec::interp
