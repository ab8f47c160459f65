// 6.15.7 vector loads and stores, 6.15.11 copies by a group, 6.15.12 atomics, 6.15.1 work-item functions.
#include <cmath>
#include <numeric>

#include "harness.h"

namespace heddle::opencl_c {
namespace {

TEST(VectorMemory, NeedsElementsAlignmentAlone) {
  std::string source = prelude;
  for (const char* n : {"2", "3", "4", "8", "16"})
    source += std::string("kernel void k") + n +
              "(global short* a, global short* o) { size_t i = get_global_id(0);\n" + "vstore" + n +
              "(vload" + n + "(i, a + 1) + (short)1, i, o + 1); }\n";
  for (const unsigned width : {2U, 3U, 4U, 8U, 16U}) {
    std::vector<int16_t> in(32 * width + 1);
    std::iota(in.begin(), in.end(), int16_t{-40});
    on_both(source, "", [&](Program& program) {
      std::vector<Bytes> buffers{bytes_of(in), Bytes(in.size() * 2)};
      ASSERT_TRUE(
          program.run("k" + std::to_string(width), buffers, {.global = {32, 1, 1}, .local = {32, 1, 1}}));
      const auto out = values_of<int16_t>(buffers[1]);
      EXPECT_EQ(out[0], 0);
      for (std::size_t i = 1; i < in.size(); ++i) ASSERT_EQ(out[i], in[i] + 1) << width << ": " << i;
    });
  }
}

TEST(VectorMemory, HalvesAreRoundedAsTheNameSays) {
  // 1 + 2^-11 lies between two halves; three are aligned like four.
  const std::string source =
      "kernel void k(global float* a, global half* o, global half* v, global float* back) { float x = a[0];\n"
      "vstore_half(x, 0, o); vstore_half_rte(x, 1, o); vstore_half_rtz(x, 2, o); vstore_half_rtp(x, 3, o);\n"
      "vstore_half_rtn(x, 4, o); vstore_half_rtp(-x, 5, o); vstore_half_rtn(-x, 6, o);\n"
      "vstore_half3((float3)(1, 2, 3), 1, v); vstorea_half3((float3)(4, 5, 6), 2, v);\n"
      "back[0] = vload_half(4, v); vstore3(vloada_half3(2, v), 0, back + 1); vstore2(vload_half2(2, v), 0, "
      "back + 4); }";
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(std::vector<float>{1 + 0x1p-11f}), Bytes(14), Bytes(24), Bytes(24)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<uint16_t>(buffers[1]),
              (std::vector<uint16_t>{0x3c00, 0x3c00, 0x3c00, 0x3c01, 0x3c00, 0xbc00, 0xbc01}));
    EXPECT_EQ(values_of<uint16_t>(buffers[2]),
              (std::vector<uint16_t>{0, 0, 0, 0x3c00, 0x4000, 0x4200, 0, 0, 0x4400, 0x4500, 0x4600, 0}));
    EXPECT_EQ(values_of<float>(buffers[3]), (std::vector<float>{2, 4, 5, 6, 2, 3}));
  });
}

TEST(AsyncCopies, MoveElementsOfEverySize) {
  for (const char* type : {"uchar", "short3", "int", "float4", "double2", "long8", "int16"}) {
    const std::string t = type;
    const std::string source =
        prelude + "kernel void k(global " + t + "* a, global " + t + "* o) { local " + t + " m[40];\n" +
        "event_t e = async_work_group_copy(m, a, 40, 0); wait_group_events(1, &e);\n"
        "e = async_work_group_strided_copy(o, m, 20, 2, 0); wait_group_events(1, &e); }";
    const std::size_t bytes = t == "uchar"                      ? 1
                              : t == "short3"                   ? 8
                              : t == "int"                      ? 4
                              : t == "float4" || t == "double2" ? 16
                                                                : 64;
    std::vector<uint8_t> in(40 * bytes);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 37 + i / 256);
    on_both(source, "-cl-std=CL2.0", [&](Program& program) {
      std::vector<Bytes> buffers{bytes_of(in), Bytes(40 * bytes)};
      ASSERT_TRUE(program.run("k", buffers, {.global = {16, 2, 1}, .local = {16, 2, 1}, .dimensions = 2}));
      const auto out = values_of<uint8_t>(buffers[1]);
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t b = 0; b < (t == "short3" ? 6 : bytes); ++b)
          ASSERT_EQ(out[i * bytes + b], i % 2 == 0 ? in[i / 2 * bytes + b] : 0) << t << " " << i;
    });
  }
}

TEST(WorkItems, KnowTheirPlace) {
  const std::string source =
      "kernel void k(global ulong* o) { size_t me = get_local_linear_id() + 12 * (get_group_id(0) + 3 * "
      "(get_group_id(1) + 2 * get_group_id(2)));\n"
      "global ulong* p = o + me * 24; int n = 0;\n"
      "for (uint d = 0; d < 4; ++d) { p[n++] = get_global_id(d); p[n++] = get_local_id(d); p[n++] = "
      "get_group_id(d); p[n++] = get_global_size(d); }\n"
      "p[n++] = get_work_dim(); p[n++] = get_global_offset(1); p[n++] = get_num_groups(0); p[n++] = "
      "get_local_size(1);\n"
      "p[n++] = get_global_linear_id(); p[n++] = get_enqueued_local_size(0); p[n++] = get_global_offset(3) + "
      "get_num_groups(3); p[n++] = get_sub_group_size(); }";
  const Range range{
      .global = {12, 6, 2}, .local = {4, 3, 1}, .offset = {5, uint64_t{1} << 33, 0}, .dimensions = 3};
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(144 * 24 * 8)};
    ASSERT_TRUE(program.run("k", buffers, range));
    const auto out = values_of<uint64_t>(buffers[0]);
    for (uint64_t me = 0; me < 144; ++me) {
      const uint64_t* p = &out[me * 24];
      const std::array<uint64_t, 3> local{me % 4, me / 4 % 3, 0}, group{me / 12 % 3, me / 36 % 2, me / 72};
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_EQ(p[d * 4], group[d] * range.local[d] + local[d] + range.offset[d]) << me << " " << d;
        ASSERT_EQ(p[d * 4 + 1], local[d]);
        ASSERT_EQ(p[d * 4 + 2], group[d]);
        ASSERT_EQ(p[d * 4 + 3], range.global[d]);
      }
      EXPECT_EQ((std::vector<uint64_t>(p + 12, p + 16)), (std::vector<uint64_t>{0, 0, 0, 1}));
      const uint64_t linear = ((p[8] - 0) * 6 + (p[4] - (uint64_t{1} << 33))) * 12 + (p[0] - 5);
      EXPECT_EQ((std::vector<uint64_t>(p + 16, p + 24)),
                (std::vector<uint64_t>{3, uint64_t{1} << 33, 3, 3, linear, 4, 1, 12}));
    }
  });
}

TEST(Atomics, OfVersion1Count) {
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL EXTENSION "
      "cl_khr_int64_extended_atomics : enable\n"
      "kernel void k(global int* g, global uint* u, global ulong* l, global float* f) { local int s; int i = "
      "get_global_id(0);\n"
      "if (get_local_id(0) == 0) s = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&s); "
      "barrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (get_local_id(0) == 0) atomic_add(g, s); atomic_sub(g + 1, i); atomic_min(g + 2, -i); atomic_max(g "
      "+ 3, i); atomic_or(g + 4, 1 << i % 32);\n"
      "atomic_and(g + 5, ~(1 << i % 16)); atomic_xor(g + 6, i); atomic_dec(g + 7); atomic_max(u, (uint)-i - "
      "1u); atomic_min(u + 1, (uint)i + 5);\n"
      "atom_add(l, (ulong)i << 20); atom_max(l + 1, (ulong)i << 33); atomic_xchg(f, 2.5f); atomic_cmpxchg(g "
      "+ 8, 3, 4); }";
  on_both(source, "", [&](Program& program) {
    std::vector<int32_t> g{0, 0, 100, -100, 0, -1, 0, 0, 3};
    std::vector<Bytes> buffers{bytes_of(g), bytes_of(std::vector<uint32_t>{0, 1000}), Bytes(16), Bytes(4)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {256, 1, 1}, .local = {64, 1, 1}}));
    EXPECT_EQ(
        values_of<int32_t>(buffers[0]),
        (std::vector<int32_t>{256, -255 * 128, -255, 255, -1, static_cast<int32_t>(0xffff0000), 0, -256, 4}));
    EXPECT_EQ(values_of<uint32_t>(buffers[1]), (std::vector<uint32_t>{0xffffffff, 5}));
    EXPECT_EQ(values_of<uint64_t>(buffers[2]),
              (std::vector<uint64_t>{uint64_t{255 * 128} << 20, uint64_t{255} << 33}));
    EXPECT_EQ(values_of<float>(buffers[3])[0], 2.5f);
  });
}

// 6.15.7: "aligned to the size of one element", of each type and width, and in each memory.
TEST(Vectors, AreLoadedAndStoredWhereverAnElementMayBe) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong"})
    for (const std::string n : {"2", "3", "4", "8", "16"}) {
      SCOPED_TRACE(type + n);
      const std::string vector = type + n;
      const std::string source = "kernel void k(global " + type + "* a, global " + type +
                                 "* o) {\n"
                                 "  local " +
                                 type + " l[64]; " + type +
                                 " p[64];\n"
                                 "  for (int i = 0; i < 64; ++i) l[i] = p[i] = a[i];\n"
                                 "  vstore" +
                                 n + "(vload" + n + "(1, a + 3) + vload" + n + "(1, l + 5) + vload" + n +
                                 "(1, p + 7), 0, o + 1);\n}\n";
      const unsigned bytes = type == "uchar" ? 1 : type == "ushort" ? 2 : type == "uint" ? 4 : 8;
      const unsigned width = static_cast<unsigned>(std::stoul(n));
      std::vector<uint8_t> in(64 * bytes);
      for (unsigned i = 0; i < 64; ++i) in[i * bytes] = static_cast<uint8_t>(i);
      on_both(source, "", [&](Program& program) {
        std::vector<Bytes> buffers{bytes_of(in), Bytes(18 * bytes)};
        ASSERT_TRUE(program.run("k", buffers, {}));
        const auto out = values_of<uint8_t>(buffers[1]);
        for (unsigned i = 0; i < width; ++i)
          EXPECT_EQ(out[(i + 1) * bytes], 3 * (width + i) + 3 + 5 + 7) << "element " << i;
      });
    }
}

TEST(Atomics, OfC11HaveOrdersAndScopes) {
  const std::string source =
      "kernel void k(global atomic_int* g, global atomic_uint* u, global int* o, global atomic_flag* flag) { "
      "local atomic_int s; int i = get_local_id(0);\n"
      "if (i == 0) atomic_init(&s, 5); work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
      "atomic_fetch_add_explicit(&s, 2, memory_order_relaxed, memory_scope_work_group); atomic_fetch_sub(g, "
      "1);\n"
      "atomic_fetch_max_explicit(u, (uint)i, memory_order_acq_rel, memory_scope_device); atomic_fetch_xor(g "
      "+ 1, i);\n"
      "int expected = 40; bool won = atomic_compare_exchange_strong(g + 2, &expected, i + 100); o[i] = won ? "
      "-1 : expected;\n"
      "work_group_barrier(CLK_LOCAL_MEM_FENCE); if (i == 0) { o[64] = atomic_load_explicit(&s, "
      "memory_order_acquire, memory_scope_work_group);\n"
      "atomic_store(g + 3, 77); o[65] = atomic_exchange(g + 4, 9); o[66] = atomic_flag_test_and_set(flag) ? "
      "1 : 0; o[67] = atomic_flag_test_and_set(flag) ? 1 : 0;\n"
      "atomic_flag_clear(flag); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, "
      "memory_scope_device); } }";
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(std::vector<int32_t>{0, 0, 40, 0, 8}), Bytes(4), Bytes(68 * 4),
                               Bytes(4)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {64, 1, 1}, .local = {64, 1, 1}}));
    const auto g = values_of<int32_t>(buffers[0]), o = values_of<int32_t>(buffers[2]);
    EXPECT_EQ(g[0], -64);
    EXPECT_EQ(g[1], 0);
    EXPECT_EQ(g[3], 77);
    EXPECT_EQ(g[4], 9);
    EXPECT_EQ(values_of<uint32_t>(buffers[1])[0], 63U);
    EXPECT_EQ(std::count(o.begin(), o.begin() + 64, -1), 1);  // one won, and the others saw its number
    EXPECT_EQ(std::count(o.begin(), o.begin() + 64, g[2]), 63);
    EXPECT_EQ((std::vector<int32_t>(o.begin() + 64, o.end())), (std::vector<int32_t>{5 + 128, 8, 0, 1}));
    EXPECT_EQ(values_of<int32_t>(buffers[3])[0], 0);
  });
}

TEST(GenericPointers, KnowWhereTheyPoint) {
  const std::string source =
      "int twice(int* p) { return 2 * *p; }\n"
      "kernel void k(global int* g) { local int l; int p = 5; l = 6; int* any = g;\n"
      "g[1] = to_global(any) != 0; g[2] = to_local(any) != 0; any = &l; g[3] = to_local(any) != 0; g[4] = "
      "to_global(any) != 0;\n"
      "any = &p; g[5] = to_private(any) != 0; g[6] = twice(g) + 10 * twice(&l) + 1000 * twice(&p); }";
  on_both(source, "-cl-std=CL2.0", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(std::vector<int32_t>{4, 9, 9, 9, 9, 9, 9})};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int32_t>(buffers[0]), (std::vector<int32_t>{4, 1, 0, 1, 0, 1, 8 + 120 + 10000}));
  });
}

TEST(ProgramVariables, AreHalves) {
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
      "volatile global half a = 1.5h; constant half b = -INFINITY; volatile global half c[2] = {2.0h, "
      "0.25h};\n"
      "kernel void k(global float* o) { o[0] = a; o[1] = *(volatile constant half*)&b; o[2] = c[1]; a = "
      "3.0h; o[3] = a; }";
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(16)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<float>(buffers[0]), (std::vector<float>{1.5F, -INFINITY, 0.25F, 3}));
  });
}

TEST(ProgramVariables, KeepTheirValues) {
  const std::string source =
      "constant int table[4] = {3, 1, 4, 1}; global int total = 7; constant float scale = 0.5f;\n"
      "kernel void k(global int* o) { total += table[get_global_id(0)]; o[0] = total; o[1] = (int)(scale * "
      "8); }";
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(8)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int32_t>(buffers[0]), (std::vector<int32_t>{13, 4}));
  });
}

}  // namespace
}  // namespace heddle::opencl_c
