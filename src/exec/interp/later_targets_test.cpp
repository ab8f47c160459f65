// Forms for targets after sm_90, which no device of the catalogue runs yet: here the interpreter alone
// executes them. Expected values from the PTX ISA: 9.7.9.8, 9.7.9.12, 9.7.9.13, 9.7.13.7, 9.7.13.12, 9.7.14.
#include <cmath>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

std::string module_of(std::string_view target, std::string_view parameters, std::string_view body) {
  return ".version 8.8\n.target " + std::string(target) + "\n.address_size 64\n.visible .entry k(" +
         std::string(parameters) +
         ")\n{\n.reg .pred %q<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b64 "
         "%d<20>;\n"
         ".shared .align 128 .b8 room[1024];\n" +
         std::string(body) + "\nret;\n}\n";
}

TEST(LaterTargets, vectors_of_eight_words) {
  TestProgram program(module_of("sm_100", ".param .u64 in, .param .u64 out", R"(
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    ld.global.v8.u32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d1];
    st.global.v8.b32 [%d2], {%r7, %r6, %r5, %r4, %r3, %r2, %r1, %r0};
    ld.global.v4.b64 {%d4, %d5, %d6, %d7}, [%d1];
    st.global.v4.u64 [%d2+32], {%d7, %d6, %d5, %d4};)"));
  auto in = program.buffer<uint32_t>({1, 2, 3, 4, 5, 6, 7, 8});
  auto out = program.buffer<uint32_t>(16);
  const auto result = program.run("k", {}, in, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out.values(), (std::vector<uint32_t>{8, 7, 6, 5, 4, 3, 2, 1, 7, 8, 5, 6, 3, 4, 1, 2}));
}

TEST(LaterTargets, a_bulk_store_of_zeros) {
  TestProgram program(module_of("sm_100", ".param .u64 out", R"(
    ld.param.u64 %d1, [out];
    mov.u64 %d2, room;
    mov.u64 %d3, -1;
    st.shared.u64 [%d2], %d3;
    st.shared.u64 [%d2+8], %d3;
    st.shared.u64 [%d2+16], %d3;
    mov.u64 %d4, 16;
    st.bulk.weak.shared::cta [%d2], %d4, 0;
    ld.shared.u64 %d5, [%d2];
    ld.shared.u64 %d6, [%d2+8];
    ld.shared.u64 %d7, [%d2+16];
    st.global.u64 [%d1], %d5;
    st.global.u64 [%d1+8], %d6;
    st.global.u64 [%d1+16], %d7;
    cvta.shared.u64 %d8, %d2;
    st.bulk [%d8+16], 8, 0;
    ld.shared.u64 %d7, [%d2+16];
    st.global.u64 [%d1+24], %d7;)"));
  auto out = program.buffer<uint64_t>(4);
  const auto result = program.run("k", {}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out.values(), (std::vector<uint64_t>{0, 0, ~uint64_t{0}, 0}));
}

TEST(LaterTargets, asynchronous_stores_and_sums_in_global_memory) {
  TestProgram program(module_of("sm_100", ".param .u64 out", R"(
    ld.param.u64 %d1, [out];
    mov.u64 %d2, 7;
    st.async.release.gpu.global.u64 [%d1], %d2;
    st.async.mmio.release.sys.global.u32 [%d1+8], 9;
    red.async.release.gpu.global.add.u64 [%d1], %d2;
    red.async.release.sys.global.add.s32 [%d1+8], -3;)"));
  auto out = program.buffer<uint64_t>(2);
  const auto result = program.run("k", {}, out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out.values(), (std::vector<uint64_t>{14, 6}));
}

// NaNs are passed over, unless .NaN asks for them; -0 is less than +0; .abs compares magnitudes.
TEST(LaterTargets, the_least_and_greatest_float_of_a_warp) {
  TestProgram program(module_of("sm_100f", ".param .u64 in, .param .u64 out", R"(
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d3, %r0, 4;
    add.u64 %d3, %d1, %d3;
    ld.global.f32 %f0, [%d3];
    redux.sync.min.f32 %f1, %f0, 0xffffffff;
    redux.sync.max.f32 %f2, %f0, 0xffffffff;
    redux.sync.min.abs.f32 %f3, %f0, 0xffffffff;
    redux.sync.max.abs.f32 %f4, %f0, 0xffffffff;
    redux.sync.min.NaN.f32 %f5, %f0, 0xffffffff;
    redux.sync.max.abs.NaN.f32 %f6, %f0, 0xffffffff;
    st.global.f32 [%d2], %f1;
    st.global.f32 [%d2+4], %f2;
    st.global.f32 [%d2+8], %f3;
    st.global.f32 [%d2+12], %f4;
    st.global.f32 [%d2+16], %f5;
    st.global.f32 [%d2+20], %f6;)"));
  std::vector<float> values(32, 1.5f);
  values[3] = -7.25f, values[9] = 4.0f, values[30] = -0.5f;
  auto out = program.buffer<float>(6);
  ASSERT_TRUE(program.run("k", {.block = {32}}, program.buffer(values), out).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{-7.25f, 4.0f, 0.5f, 7.25f, -7.25f, 7.25f}));
  values[20] = std::nanf("");
  ASSERT_TRUE(program.run("k", {.block = {32}}, program.buffer(values), out).ok());
  EXPECT_EQ(out[0], -7.25f);
  EXPECT_EQ(out[1], 4.0f);
  EXPECT_EQ(out[3], 7.25f);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[4]), 0x7fffffffu);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[5]), 0x7fffffffu);
  std::fill(values.begin(), values.end(), 0.0f);
  values[5] = -0.0f;
  ASSERT_TRUE(program.run("k", {.block = {32}}, program.buffer(values), out).ok());
  EXPECT_TRUE(std::signbit(out[0]));
  EXPECT_FALSE(std::signbit(out[1]));
}

// A row of 16 elements: 8 bytes of 4 bits each and 8 unused ones, or 12 bytes of 6 bits and 4 unused ones;
// lane l gets elements 4 (l % 4) to 4 (l % 4) + 3 of row l / 4, a byte each (9.7.14.5.15).
TEST(LaterTargets, packed_rows_are_unpacked_by_ldmatrix) {
  TestProgram program(module_of("sm_100f", ".param .u64 in, .param .u64 out", R"(
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 7;
    mul.wide.u32 %d3, %r1, 16;
    add.u64 %d4, %d1, %d3;
    mov.u64 %d5, room;
    add.u64 %d5, %d5, %d3;
    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%d4];
    st.shared.v4.b32 [%d5], {%r2, %r3, %r4, %r5};
    bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r6}, [%d5];
    ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r7}, [%d5];
    mul.wide.u32 %d6, %r0, 8;
    add.u64 %d6, %d2, %d6;
    st.global.v2.b32 [%d6], {%r6, %r7};)"));
  std::vector<uint8_t> rows(8 * 16);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint8_t>(37 * i + 11);
  auto out = program.buffer<uint8_t>(256);
  const auto result = program.run("k", {.block = {32}}, program.buffer(rows), out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const auto bits = [&](std::size_t row, std::size_t first, std::size_t count) {
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = first + i;
      value |= (rows[16 * row + at / 8] >> at % 8 & 1u) << i;
    }
    return value;
  };
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t element = 4 * (lane % 4) + i;
      EXPECT_EQ(out[8 * lane + i], bits(lane / 4, 4 * element, 4)) << lane << ' ' << i;
      EXPECT_EQ(out[8 * lane + 4 + i], bits(lane / 4, 6 * element, 6)) << lane << ' ' << i;
    }
}

// ---- mma with narrow floating-point types: A by rows, B by columns, both in rows of 32 bytes
struct Narrow {
  int exponent_bits, fraction_bits, bias, shift;  // shift: where an element stands in its place
  double value(unsigned bits) const {
    bits >>= shift;
    const unsigned fraction = bits & ((1u << fraction_bits) - 1);
    const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const double scale = std::ldexp(1.0, -fraction_bits);
    const double magnitude = exponent == 0 ? std::ldexp(fraction * scale, 1 - bias)
                                           : std::ldexp(1 + fraction * scale, exponent - bias);
    return (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -magnitude : magnitude;
  }
};
constexpr Narrow e2m1{2, 1, 1, 0}, e2m1_in_a_byte{2, 1, 1, 2}, e3m2{3, 2, 3, 0}, e2m3{2, 3, 1, 0},
    e4m3{4, 3, 7, 0};

std::string mma_module(std::string_view instruction_head, std::string_view tail = "") {
  return module_of("sm_120a",
                   ".param .u64 a, .param .u64 b, .param .u64 scale_a, .param .u64 scale_b, .param .u64 out",
                   R"(
    ld.param.u64 %d1, [a];
    ld.param.u64 %d2, [b];
    ld.param.u64 %d3, [out];
    ld.param.u64 %d9, [scale_a];
    ld.param.u64 %d10, [scale_b];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d4, %r0, 4;
    add.u64 %d9, %d9, %d4;
    add.u64 %d10, %d10, %d4;
    ld.global.u32 %r20, [%d9];
    ld.global.u32 %r21, [%d10];
    shr.u32 %r1, %r0, 2;
    and.b32 %r2, %r0, 3;
    shl.b32 %r3, %r1, 5;
    shl.b32 %r4, %r2, 2;
    add.u32 %r5, %r3, %r4;
    cvt.u64.u32 %d5, %r5;
    add.u64 %d6, %d1, %d5;
    add.u64 %d7, %d2, %d5;
    ld.global.u32 %r6, [%d6];
    ld.global.u32 %r7, [%d6+256];
    ld.global.u32 %r8, [%d6+16];
    ld.global.u32 %r9, [%d6+272];
    ld.global.u32 %r10, [%d7];
    ld.global.u32 %r11, [%d7+16];
    mov.f32 %f0, 0f3F800000;
    )" + std::string(instruction_head) +
                       " {%f4, %f5, %f6, %f7}, {%r6, %r7, %r8, %r9}, {%r10, %r11}, {%f0, %f0, %f0, %f0}" +
                       std::string(tail) + R"(;
    mul.lo.u32 %r12, %r2, 8;
    add.u32 %r12, %r12, %r3;
    cvt.u64.u32 %d8, %r12;
    add.u64 %d8, %d3, %d8;
    st.global.v2.f32 [%d8], {%f4, %f5};
    st.global.v2.f32 [%d8+256], {%f6, %f7};)");
}

unsigned element(const std::vector<uint8_t>& bytes, int row, int k, int bits) {
  const int first = k * bits;
  return static_cast<unsigned>(bytes[static_cast<std::size_t>(32 * row + first / 8)]) >> first % 8 &
         ((1u << bits) - 1);
}

struct Product {
  std::string head, tail = "";
  Narrow a, b;
  int k, bits;              // elements of a row, bits of a place
  unsigned a_mask, b_mask;  // bits of a byte that may be set
  int scales = 0;           // of a row
  bool ue4m3 = false;       // instead of ue8m0
  unsigned byte_a = 0, pair_a = 0, byte_b = 0, lane_b = 0;
};

void expect_product(const Product& p) {
  TestProgram program(mma_module(p.head, p.tail));
  std::vector<uint8_t> a(16 * 32), b(8 * 32);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>((i * 29 + i / 7) & p.a_mask);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<uint8_t>((i * 53 + i / 5) & p.b_mask);
  // Scales of 1/4 to 2, of all lanes: those that the selectors do not name must not matter.
  std::vector<uint8_t> scale_a(128), scale_b(128);
  for (std::size_t i = 0; i < 128; ++i) {
    const int power_a = static_cast<int>(i * 5 % 4) - 2, power_b = static_cast<int>(i * 7 / 3 % 4) - 2;
    scale_a[i] = static_cast<uint8_t>(p.ue4m3 ? (power_a + 7) << 3 : power_a + 127);
    scale_b[i] = static_cast<uint8_t>(p.ue4m3 ? (power_b + 7) << 3 : power_b + 127);
  }
  const auto scale = [&](const std::vector<uint8_t>& bytes, unsigned lane, unsigned byte) {
    if (p.scales == 0) return 1.0;
    const uint8_t value = bytes[4 * lane + byte];
    return std::ldexp(1.0, p.ue4m3 ? (value >> 3) - 7 : value - 127);
  };
  auto out = program.buffer<float>(128);
  const auto result = program.run("k", {.block = {32}}, program.buffer(a), program.buffer(b),
                                  program.buffer(scale_a), program.buffer(scale_b), out);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = 1;
      for (int k = 0; k < p.k; ++k) {
        const auto block = static_cast<unsigned>(p.scales == 0 ? 0 : k * p.scales / p.k);
        const auto lane_a = static_cast<unsigned>(4 * (row % 8) + row / 8) + 2 * p.pair_a;
        const unsigned lane_b = 4 * static_cast<unsigned>(column) + p.lane_b;
        sum += p.a.value(element(a, row, k, p.bits)) * scale(scale_a, lane_a, p.byte_a + block) *
               p.b.value(element(b, column, k, p.bits)) * scale(scale_b, lane_b, p.byte_b + block);
      }
      EXPECT_EQ(out[static_cast<std::size_t>(8 * row + column)], static_cast<float>(sum))
          << p.head << ' ' << row << ' ' << column;
    }
}

TEST(LaterTargets, products_of_elements_of_six_and_four_bits) {
  const std::string head = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32";
  expect_product({.head = head + ".e2m1.e2m1.f32",
                  .a = e2m1_in_a_byte,
                  .b = e2m1_in_a_byte,
                  .k = 32,
                  .bits = 8,
                  .a_mask = 0x3c,
                  .b_mask = 0x3c});
  expect_product({.head = head + ".e3m2.e2m3.f32",
                  .a = e3m2,
                  .b = e2m3,
                  .k = 32,
                  .bits = 8,
                  .a_mask = 0x3f,
                  .b_mask = 0x3f});
  expect_product({.head = head + ".e2m3.e2m1.f32",
                  .a = e2m3,
                  .b = e2m1_in_a_byte,
                  .k = 32,
                  .bits = 8,
                  .a_mask = 0x3f,
                  .b_mask = 0x3c});
}

// The scales of row g come from the first lane of the pair that the selector names, of row g + 8 from the
// second; those of column g from the lane that the other selector names (9.7.14.3).
TEST(LaterTargets, products_with_scaled_blocks) {
  expect_product({.head = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32."
                          "e4m3.e2m1.f32.ue8m0",
                  .tail = ", {%r20}, {3, 1}, {%r21}, {1, 2}",
                  .a = e4m3,
                  .b = e2m1_in_a_byte,
                  .k = 32,
                  .bits = 8,
                  .a_mask = 0xb8,
                  .b_mask = 0x3c,
                  .scales = 1,
                  .byte_a = 3,
                  .pair_a = 1,
                  .byte_b = 1,
                  .lane_b = 2});
  expect_product(
      {.head =
           "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
       .tail = ", %r20, {2, 0}, %r21, {0, 3}",
       .a = e2m1,
       .b = e2m1,
       .k = 64,
       .bits = 4,
       .a_mask = 0xff,
       .b_mask = 0xff,
       .scales = 2,
       .byte_a = 2,
       .pair_a = 0,
       .byte_b = 0,
       .lane_b = 3});
  expect_product({.head = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
                          "e2m1.e2m1.f32.ue4m3",
                  .tail = ", %r20, {0, 1}, %r21, {0, 1}",
                  .a = e2m1,
                  .b = e2m1,
                  .k = 64,
                  .bits = 4,
                  .a_mask = 0xff,
                  .b_mask = 0xff,
                  .scales = 4,
                  .ue4m3 = true,
                  .byte_a = 0,
                  .pair_a = 1,
                  .byte_b = 0,
                  .lane_b = 1});
}

}  // namespace
}  // namespace heddle::exec::interp
