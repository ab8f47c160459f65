// Every kind of fault, and where it says that it happened.
#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

using testing::HasSubstr;

std::string kernel(std::string_view body, std::string_view globals = "") {
  return ".version 7.0\n.target sm_30\n.address_size 64\n.file 1 \"cloth.cu\"\n" + std::string(globals) +
         ".visible .entry k(.param .u64 out)\n{\n"
         ".shared .align 8 .b8 s[64];\n.local .align 8 .b8 l[64];\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [out];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %rd2, %r1, 4;\n"
         ".loc 1 17 9\n" +
         std::string(body) + "\nret;\n}\n";
}

Fault run(std::string_view body, std::string_view globals = "") {
  TestProgram program(kernel(body, globals));
  program.settings.local_bytes = 4096;
  auto out = program.buffer<uint32_t>(1024);
  return program.fault("k", {.grid = {2, 2}, .block = {8, 8}}, out);
}

TEST(Faults, a_write_past_all_memory_says_who_where_and_what) {
  const Fault f = run(R"(
    setp.ne.u32 %p1, %r1, 5;
    @%p1 bra FINE;
    st.global.u32 [%rd2+0x1000], %r1;
    FINE:)");
  EXPECT_EQ(f.kind, FaultKind::illegal_address);
  EXPECT_EQ(f.kernel, "k");
  EXPECT_EQ(f.function, "k");
  EXPECT_EQ(f.block, (Dim3{0, 0, 0}));
  EXPECT_EQ(f.thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(f.warp, 0u);
  EXPECT_EQ(f.lane, 5u);
  EXPECT_EQ(f.file, "cloth.cu");
  EXPECT_EQ(f.line, 17u);
  EXPECT_EQ(f.column, 9u);
  EXPECT_EQ(f.address, 0x1014u);
  EXPECT_EQ(f.bytes, 4u);
  EXPECT_TRUE(f.write);
  EXPECT_EQ(f.space, module::Space::global);
  EXPECT_EQ(f.instruction_text, "st.global.u32 [%rd2+0x1000], %r1");
  EXPECT_THAT(f.message(), HasSubstr("cloth.cu:17:9: illegal address: write of 4 bytes at 0x1014"));
}

TEST(Faults, the_block_and_the_thread_of_a_later_one) {
  const Fault f = run(R"(
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %tid.x;
    setp.ne.u32 %p1, %r2, 1;
    @%p1 bra FINE;
    setp.ne.u32 %p1, %r3, 6;
    @%p1 bra FINE;
    setp.ne.u32 %p1, %r4, 3;
    @%p1 bra FINE;
    ld.global.u32 %r5, [16];
    FINE:)");
  EXPECT_EQ(f.block, (Dim3{0, 1, 0}));
  EXPECT_EQ(f.thread, (Dim3{3, 6, 0}));
  EXPECT_EQ(f.warp, 1u);
  EXPECT_EQ(f.lane, 19u);
  EXPECT_FALSE(f.write);
}

TEST(Faults, misaligned) {
  const Fault f = run("ld.global.u64 %rd4, [%rd1+4];");
  EXPECT_EQ(f.kind, FaultKind::misaligned_address);
  EXPECT_EQ(f.bytes, 8u);
}

TEST(Faults, shared_memory_ends) {
  const Fault f = run("ld.shared.u32 %r2, [s+64];");
  EXPECT_EQ(f.kind, FaultKind::illegal_address);
  EXPECT_EQ(f.space, module::Space::shared);
  EXPECT_THAT(f.detail, HasSubstr("64 bytes of shared memory"));
}

TEST(Faults, shared_memory_by_a_generic_address) {
  const Fault f = run("mov.u64 %rd4, s;\ncvta.shared.u64 %rd4, %rd4;\nst.u32 [%rd4+128], %r1;");
  EXPECT_EQ(f.kind, FaultKind::illegal_address);
  EXPECT_EQ(f.space, module::Space::shared);
}

TEST(Faults, local_memory_ends) {
  const Fault f = run("st.local.u32 [l+4096], %r1;");
  EXPECT_EQ(f.kind, FaultKind::illegal_address);
  EXPECT_EQ(f.space, module::Space::local);
}

TEST(Faults, constants_are_not_written) {
  const Fault f =
      run("mov.u64 %rd4, c;\ncvta.const.u64 %rd4, %rd4;\nst.u32 [%rd4], %r1;", ".const .u32 c = 5;\n");
  EXPECT_EQ(f.kind, FaultKind::illegal_address);
  EXPECT_TRUE(f.write);
}

TEST(Faults, traps) {
  EXPECT_EQ(run("trap;").kind, FaultKind::trap);
  EXPECT_EQ(run("brkpt;").kind, FaultKind::trap);
}

TEST(Faults, the_first_one_counts) {
  const Fault f = run("trap;\nst.global.u32 [8], %r1;");
  EXPECT_EQ(f.kind, FaultKind::trap);
  EXPECT_EQ(f.lane, 0u);
}

TEST(Faults, a_frame_larger_than_the_stack) {
  TestProgram program(kernel("st.local.u32 [l], %r1;"));
  program.settings.local_bytes = 32;
  auto out = program.buffer<uint32_t>(1);
  EXPECT_EQ(program.fault("k", {}, out).kind, FaultKind::stack_overflow);
}

TEST(Faults, a_function_without_lines_has_those_of_its_call) {
  const Fault f = run("call bad;", ".func bad()\n{\ntrap;\n}\n");
  EXPECT_EQ(f.function, "bad");
  EXPECT_EQ(f.line, 17u);
}

TEST(Faults, the_names_of_all_kinds) {
  EXPECT_STREQ(name(FaultKind::illegal_address), "illegal address");
  EXPECT_STREQ(name(FaultKind::cancelled), "cancelled");
}

}  // namespace
}  // namespace heddle::exec::interp
