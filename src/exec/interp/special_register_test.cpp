#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

// Stores the value of each named register, one a row of 64-bit words: out[row * threads + thread of the
// grid].
std::string reads(const std::vector<std::string>& registers, std::string_view target,
                  std::string_view version, std::string_view load = "mov.u32 %r9,",
                  std::string_view widen = "mul.wide.u32 %rd9, %r9, 1;") {
  std::string text = ".version " + std::string(version) + "\n.target " + std::string(target) +
                     "\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                     ".reg .pred %p<3>;\n.reg .b16 %h<3>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
                     "ld.param.u64 %rd1, [out];\n"
                     "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ctaid.x;\n"
                     "mad.lo.u32 %r4, %r3, %r2, %r1;\nmov.u32 %r5, %nctaid.x;\nmul.lo.u32 %r6, %r5, %r2;\n";
  for (std::size_t i = 0; i < registers.size(); ++i)
    text += std::string(load) + " " + registers[i] + ";\n" + std::string(widen) +
            "\n"
            "mad.lo.u32 %r7, %r6, " +
            std::to_string(i) +
            ", %r4;\n"
            "mul.wide.u32 %rd2, %r7, 8;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u64 [%rd3], %rd9;\n";
  return text + "ret;\n}\n";
}

TEST(SpecialRegisters, places_of_a_thread) {
  TestProgram program(
      reads({"%laneid", "%warpid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge",
             "%lanemask_gt", "%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%ctaid.x"},
            "sm_30", "6.0"));
  auto out = program.buffer<uint64_t>(13 * 80);
  ASSERT_TRUE(program.run("k", {.grid = {2}, .block = {40}}, out).ok());
  for (uint64_t i = 0; i < 80; ++i) {
    const uint64_t lane = i % 40 % 32, bit = 1ull << lane;
    const uint64_t expected[] = {lane,
                                 i % 40 / 32,
                                 bit,
                                 bit | (bit - 1),
                                 bit - 1,
                                 0xffffffffull & ~(bit - 1),
                                 0xffffffffull & ~(bit | (bit - 1)),
                                 40,
                                 1,
                                 1,
                                 2,
                                 1,
                                 i / 40};
    for (uint64_t row = 0; row < 13; ++row) EXPECT_EQ(out[row * 80 + i], expected[row]) << row << " " << i;
  }
}

TEST(SpecialRegisters, three_dimensions) {
  TestProgram program(R"(.version 6.0
    .target sm_30
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
      .reg .b32 %r<20>;
      .reg .b64 %rd<9>;
      ld.param.u64 %rd1, [out];
      mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;
      mov.v4.u32 {%r5, %r6, %r7, %r8}, %ntid;
      mad.lo.u32 %r9, %r3, %r6, %r2;
      mad.lo.u32 %r9, %r9, %r5, %r1;
      mul.wide.u32 %rd2, %r9, 4;
      add.u64 %rd3, %rd1, %rd2;
      mad.lo.u32 %r10, %r3, 10000, %r1;
      mad.lo.u32 %r10, %r2, 100, %r10;
      st.global.u32 [%rd3], %r10;
      ret;
    })");
  auto out = program.buffer<uint32_t>(60);
  ASSERT_TRUE(program.run("k", {.block = {3, 4, 5}}, out).ok());
  for (uint32_t i = 0; i < 60; ++i) EXPECT_EQ(out[i], i / 12 * 10000 + i / 3 % 4 * 100 + i % 3);
}

TEST(SpecialRegisters, sixteen_bit_reads_of_early_programs) {
  TestProgram program(reads({"%tid.x", "%ntid.x"}, "sm_30", "6.0", "mov.u16 %h1,",
                            "mul.wide.u16 %r9, %h1, 1; mul.wide.u32 %rd9, %r9, 1;"));
  auto out = program.buffer<uint64_t>(2 * 70);
  ASSERT_TRUE(program.run("k", {.block = {70}}, out).ok());
  for (uint64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(out[i], i);
    EXPECT_EQ(out[70 + i], 70u);
  }
}

TEST(SpecialRegisters, clusters) {
  TestProgram program(reads({"%clusterid.x", "%nclusterid.x", "%cluster_ctaid.x", "%cluster_nctaid.x",
                             "%cluster_ctarank", "%cluster_nctarank"},
                            "sm_90", "7.8"));
  auto out = program.buffer<uint64_t>(6 * 8);
  ASSERT_TRUE(program.run("k", {.grid = {8}, .block = {1}, .cluster = {4}}, out).ok());
  for (uint64_t i = 0; i < 8; ++i) {
    const uint64_t expected[] = {i / 4, 2, i % 4, 4, i % 4, 4};
    for (uint64_t row = 0; row < 6; ++row) EXPECT_EQ(out[row * 8 + i], expected[row]) << row << " " << i;
  }
}

TEST(SpecialRegisters, sizes_of_shared_memory) {
  TestProgram program(reads({"%dynamic_smem_size", "%total_smem_size"}, "sm_30", "6.0"));
  auto out = program.buffer<uint64_t>(2);
  ASSERT_TRUE(program.run("k", {.dynamic_shared = 1000}, out).ok());
  EXPECT_EQ(out[0], 1000u);
  EXPECT_EQ(out[1], 1000u);
}

TEST(SpecialRegisters, shared_memory_of_the_system) {
  // 1024 bytes of each block on an H200, which cooperative groups use.
  TestProgram program(R"(.version 8.1
    .target sm_90
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
      .reg .b32 %r<12>;
      .reg .b64 %rd<9>;
      ld.param.u64 %rd1, [out];
      mov.u32 %r1, %reserved_smem_offset_begin;
      mov.u32 %r2, %reserved_smem_offset_end;
      sub.u32 %r3, %r2, %r1;
      mov.u32 %r4, %reserved_smem_offset_1;
      st.shared.u32 [%r4], 5;
      ld.shared.u32 %r5, [%r4];
      mov.u32 %r6, %aggr_smem_size;
      st.global.u32 [%rd1], %r3;
      st.global.u32 [%rd1+4], %r5;
      st.global.u32 [%rd1+8], %r6;
      ld.shared.u32 %r7, [%r2+-4];
      st.global.u32 [%rd1+12], %r7;
      ret;
    })");
  auto out = program.buffer<uint32_t>(4);
  const auto result = program.run("k", {.dynamic_shared = 100}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out.values(), (std::vector<uint32_t>{1024, 5, 1124, 0}));
}

TEST(SpecialRegisters, clocks_run_forward) {
  TestProgram program(
      reads({"%clock64", "%clock64", "%globaltimer", "%globaltimer"}, "sm_30", "6.0", "mov.u64 %rd9,", ""));
  auto out = program.buffer<uint64_t>(4);
  ASSERT_TRUE(program.run("k", {}, out).ok());
  EXPECT_LE(out[0], out[1]);
  EXPECT_LE(out[2], out[3]);
  EXPECT_GT(out[2], 1'600'000'000'000'000'000u);  // nanoseconds since 1970
}

TEST(SpecialRegisters, the_grid_and_the_device) {
  TestProgram program(reads({"%nsmid", "%nwarpid", "%smid"}, "sm_30", "6.0"), "gtx980");
  auto out = program.buffer<uint64_t>(3 * 20);
  ASSERT_TRUE(program.run("k", {.grid = {20}}, out).ok());
  EXPECT_EQ(out[0], 16u);   // a GTX 980 has 16 multiprocessors
  EXPECT_EQ(out[20], 64u);  // of 64 warps each
  for (uint64_t i = 0; i < 20; ++i) EXPECT_LT(out[40 + i], 16u);
}

}  // namespace
}  // namespace heddle::exec::interp
