// 6.15.16 work-group functions, 6.15.19 sub-groups and their extensions, 6.15.14 printf, and programs that
// rely on warps going in step (the guide's listing 7).
#include <numeric>

#include "harness.h"

namespace heddle::opencl_c {
namespace {

TEST(WorkGroups, ReduceScanAndBroadcast) {
  const std::string source = prelude +
                             "kernel void k(global int* o, global double* d) { int i = get_local_id(0), n = "
                             "0; global int* p = o + i * 10;\n"
                             "p[n++] = work_group_reduce_add(i + 1); p[n++] = work_group_reduce_min(i - 7); "
                             "p[n++] = work_group_reduce_max(i * 3);\n"
                             "p[n++] = work_group_scan_inclusive_add(i); p[n++] = "
                             "work_group_scan_exclusive_add(i); p[n++] = work_group_scan_exclusive_max(i);\n"
                             "p[n++] = work_group_broadcast(i * 2, 40); p[n++] = work_group_all(i < 99); "
                             "p[n++] = work_group_any(i == 69); p[n++] = work_group_all(i > 0);\n"
                             "d[i] = work_group_scan_inclusive_add(0.5); }";
  on_both(source, "-cl-std=CL2.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(70 * 40), Bytes(70 * 8)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {70, 1, 1}, .local = {70, 1, 1}}));
    const auto o = values_of<int32_t>(buffers[0]);
    const auto d = values_of<double>(buffers[1]);
    for (int i = 0; i < 70; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ((std::vector<int32_t>(&o[at * 10], &o[at * 10] + 10)),
                (std::vector<int32_t>{70 * 71 / 2, -7, 207, i * (i + 1) / 2, i * (i - 1) / 2,
                                      i == 0 ? INT32_MIN : i - 1, 80, 1, 1, 0}))
          << i;
      EXPECT_EQ(d[at], 0.5 * (i + 1));
    }
  });
}

TEST(SubGroups, AreWarps) {
  const std::string source =
      prelude +
      "kernel void k(global int* o, global float* f) { int i = get_local_id(0), n = 0; global int* p = o + i "
      "* 24; uint lane = get_sub_group_local_id();\n"
      "p[n++] = get_sub_group_size(); p[n++] = get_sub_group_id(); p[n++] = lane; p[n++] = "
      "get_num_sub_groups();\n"
      "p[n++] = sub_group_reduce_add(i); p[n++] = sub_group_reduce_max(i); p[n++] = "
      "sub_group_scan_inclusive_add((int)lane);\n"
      "p[n++] = sub_group_scan_exclusive_add((int)lane); p[n++] = sub_group_broadcast(i, 3); p[n++] = "
      "sub_group_any(lane == 5); p[n++] = sub_group_all(lane < 20);\n"
      "p[n++] = sub_group_ballot(lane & 1).x; p[n++] = sub_group_shuffle(i, lane ^ 1); p[n++] = "
      "sub_group_shuffle_xor(i, 2); p[n++] = sub_group_shuffle_up(i, 4);\n"
      "p[n++] = sub_group_shuffle_down(i, 1); p[n++] = sub_group_elect(); p[n++] = "
      "sub_group_ballot_bit_count((uint4)(0xffffffff));\n"
      "p[n++] = 0; if (lane % 3 == 0) p[n - 1] = sub_group_non_uniform_reduce_add(1); p[n++] = "
      "sub_group_clustered_reduce_max(i, 4);\n"
      "p[n++] = sub_group_non_uniform_scan_exclusive_mul(2); p[n++] = get_sub_group_lt_mask().x; p[n++] = "
      "(int)sub_group_reduce_min((long)i << 40 >> 40);\n"
      "p[n++] = sub_group_non_uniform_all_equal(i / 64); f[i] = sub_group_reduce_add(0.25f); "
      "sub_group_barrier(CLK_LOCAL_MEM_FENCE); }";
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(50 * 96), Bytes(200)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {50, 1, 1}, .local = {50, 1, 1}}));
    const auto o = values_of<int32_t>(buffers[0]);
    const auto f = values_of<float>(buffers[1]);
    for (int i = 0; i < 50; ++i) {
      const int32_t* p = &o[static_cast<std::size_t>(i) * 24];
      const int first = i / 32 * 32, size = first == 0 ? 32 : 18, lane = i % 32, last = first + size - 1;
      const auto bits = static_cast<uint32_t>((uint64_t{1} << size) - 1);
      EXPECT_EQ((std::vector<int32_t>(p, p + 12)),
                (std::vector<int32_t>{size, i / 32, lane, 2, (first + last) * size / 2, last,
                                      lane * (lane + 1) / 2, lane * (lane - 1) / 2, first + 3, 1, size < 20,
                                      static_cast<int32_t>(0xaaaaaaaa & bits)}))
          << i;
      EXPECT_EQ(p[12], i ^ 1);
      EXPECT_EQ(p[13], lane + 2 - 4 * (lane / 2 % 2) < size ? (first + (lane ^ 2)) : p[13]);
      if (lane >= 4) EXPECT_EQ(p[14], i - 4);
      if (lane + 1 < size) EXPECT_EQ(p[15], i + 1);
      EXPECT_EQ(p[16], lane == 0);
      EXPECT_EQ(p[17], size);
      EXPECT_EQ(p[18], lane % 3 == 0 ? (size + 2) / 3 : 0);
      EXPECT_EQ(p[19], std::min(first + lane / 4 * 4 + 3, last));
      EXPECT_EQ(static_cast<uint32_t>(p[20]), lane == 0 ? 1U : lane < 32 ? 1U << lane : 0U);
      EXPECT_EQ(static_cast<uint32_t>(p[21]), (uint32_t{1} << lane) - 1);
      EXPECT_EQ(p[22], first);
      EXPECT_EQ(p[23], 1);
      EXPECT_EQ(f[static_cast<std::size_t>(i)], 0.25f * static_cast<float>(size));
    }
  });
}

// cl_khr_subgroup_ballot: of 40 work-items the second sub-group has 8.
TEST(SubGroups, FindBitsOfBallots) {
  const std::string source =
      "kernel void k(global uint* o) { uint i = get_local_id(0); uint4 odd = sub_group_ballot(i & 1);\n"
      "o[4 * i] = sub_group_ballot_find_lsb(odd); o[4 * i + 1] = sub_group_ballot_find_msb(odd);\n"
      "o[4 * i + 2] = sub_group_ballot_find_msb((uint4)(0x80000010, 0, 0, 0)); o[4 * i + 3] = "
      "sub_group_ballot_find_lsb((uint4)(0x80000000, 0, 0, 0)); }";
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(40 * 16)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {40, 1, 1}, .local = {40, 1, 1}}));
    const auto o = values_of<uint32_t>(buffers[0]);
    for (std::size_t i = 0; i < 40; ++i)
      EXPECT_EQ((std::vector<uint32_t>(&o[4 * i], &o[4 * i] + 4)),
                (std::vector<uint32_t>{1, i < 32 ? 31U : 7U, 31, 31}))
          << i;
  });
}

TEST(Printf, KnowsVectorsAndHalves) {
  const std::string source =
      prelude +
      "kernel void k(global float* a) { printf(\"%d %5.2f|%-4d|%+d %s %c%%\\n\", 42, a[0], 7, 3, \"text\", "
      "'x');\n"
      "printf(\"%v4hlf %v2hld %v3hx %v4hhd %v2ld\\n\", (float4)(1.5f, -2, a[0], 0), (int2)(-1, 5), "
      "(ushort3)(255, 16, 1), (char4)(-1, 2, 3, -128), (long2)(1l << 40, -1));\n"
      "int r = printf(\"%ld %#x %e %g %hhu\\n\", 1l << 50, 255, 1.0, 0.5f, (uchar)200); printf(\"%d\\n\", "
      "r); half h = 1.5h; printf(\"%.1f %v2.1hf\\n\", h, (half2)(2, 3)); printf(\"plain\\n\"); }";
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(std::vector<float>{3.14159f})};
    ASSERT_TRUE(program.run("k", buffers, {}));
    program.system().context->flush_output();
    EXPECT_THAT(program.system().printed(),
                testing::StartsWith(
                    "42  3.14|7   |+3 text x%\n1.500000,-2.000000,3.141590,0.000000 -1,5 ff,10,1 -1,2,3,-128 "
                    "1099511627776,-1\n1125899906842624 0xff 1.000000e+00 0.5 200\n0\n1.5 "));
    EXPECT_THAT(program.system().printed(), testing::EndsWith("plain\n"));
  });
}

// OpenCL C 3.0, 6.15.14, knows no limit; CUDA's vprintf takes 32.
TEST(Printf, TakesAnyNumberOfValues) {
  const std::string source =
      prelude +
      "kernel void k(global int* a) { int16 v = (int16)(a[0]) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
      "11, 12, 13, 14, 15); printf(\"%v16d|%v16d|%v16hld|%d\\n\", v, v + 100, v + 200, 7); }";
  std::string expected;
  for (const int first : {0, 100, 200})
    for (int i = 0; i < 16; ++i) expected += std::to_string(first + i + 1) + (i < 15 ? "," : "|");
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(std::vector<int32_t>{1})};
    ASSERT_TRUE(program.run("k", buffers, {}));
    program.system().context->flush_output();
    EXPECT_EQ(program.system().printed(), expected + "7\n");
  });
}

// Listing 7 of the white paper: no barrier within a warp, but volatile.
TEST(WarpSynchronous, ReductionsAreRight) {
  const std::string source =
      "kernel void sum(global const float* a, global float* o, local float* part) { uint l = "
      "get_local_id(0), id = l & 31;\n"
      "part[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); float r = 0;\n"
      "if (l < get_local_size(0) / 2) { volatile local float* p = part + 2 * l - id;\n"
      "p[0] += p[32]; p[0] += p[16]; p[0] += p[8]; p[0] += p[4]; p[0] += p[2]; p[0] += p[1]; r = p[0]; }\n"
      "barrier(CLK_LOCAL_MEM_FENCE); if (id == 0) part[l / 32] = r; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "uint size = get_local_size(0) / 64; if (l < size / 2) { volatile local float* p = part + l;\n"
      "if (size >= 8) p[0] += p[4]; if (size >= 4) p[0] += p[2]; if (size >= 2) p[0] += p[1]; }\n"
      "if (l == 0) o[get_group_id(0)] = part[0]; }";
  std::vector<float> a(256 * 8);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 97);
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(a), Bytes(32)};
    ASSERT_TRUE(
        program.run("sum", buffers, {.global = {2048, 1, 1}, .local = {256, 1, 1}, .local_bytes = 1024}));
    const auto o = values_of<float>(buffers[1]);
    for (std::size_t g = 0; g < 8; ++g) {
      const auto begin = a.begin() + static_cast<std::ptrdiff_t>(g * 256);
      EXPECT_EQ(o[g], std::accumulate(begin, begin + 256, 0.0f)) << g;
    }
  });
}

// As the white paper prints it, without volatile: compilers of its day kept the order.
TEST(WarpSynchronous, NeedsNoVolatileOnOldDevices) {
  const std::string source =
      "kernel void sum(global const uint* a, global uint* o, local uint* part) { uint l = get_local_id(0);\n"
      "part[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (l < 32) { local uint* p = part + l; p[0] = p[0] + p[32]; if (l < 16) { p[0] = p[0] + p[16];\n"
      "p[0] = p[0] + p[8]; p[0] = p[0] + p[4]; p[0] = p[0] + p[2]; p[0] = p[0] + p[1]; } }\n"
      "if (l == 0) o[get_group_id(0)] = part[0]; }";
  for (const bool reference : {true, false}) {
    Program program(source, "", reference, "gtx285", "13");
    ASSERT_TRUE(program.ok());
    std::vector<uint32_t> a(64 * 4);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint32_t>(i * i);
    std::vector<Bytes> buffers{bytes_of(a), Bytes(16)};
    ASSERT_TRUE(
        program.run("sum", buffers, {.global = {256, 1, 1}, .local = {64, 1, 1}, .local_bytes = 256}));
    const auto o = values_of<uint32_t>(buffers[1]);
    for (std::size_t g = 0; g < 4; ++g) {
      const auto begin = a.begin() + static_cast<std::ptrdiff_t>(g * 64);
      EXPECT_EQ(o[g], std::accumulate(begin, begin + 64, uint32_t{0})) << g;
    }
  }
}

// Compute capability 1.1: no generic addresses, no shuffles.
TEST(OldDevices, RunOpenCl) {
  const std::string source =
      "kernel void k(global float* a, local float* m) { uint l = get_local_id(0); m[l] = "
      "sqrt(a[get_global_id(0)]) + native_sin(0.0f);\n"
      "barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = m[get_local_size(0) - 1 - l] * "
      "convert_float(convert_uchar_sat(2.6f)); }";
  for (const bool reference : {true, false}) {
    Program program(source, "", reference, "gtx285", "13");
    ASSERT_TRUE(program.ok());
    std::vector<float> a(64);
    for (std::size_t i = 0; i < 64; ++i) a[i] = static_cast<float>(i * i);
    std::vector<Bytes> buffers{bytes_of(a)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {64, 1, 1}, .local = {32, 1, 1}, .local_bytes = 128}));
    const auto out = values_of<float>(buffers[0]);
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_EQ(out[i], 2.0f * static_cast<float>(i / 32 * 32 + 31 - i % 32)) << i;
  }
}

}  // namespace
}  // namespace heddle::opencl_c
