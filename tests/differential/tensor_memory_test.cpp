// tcgen05 (PTX ISA 9.7.16), by both executors. Expected values are computed here, by plain loops over
// matrices whose elements are small integers: every product and sum is exact.
#include "exec/interp/matrix/tensor_memory.h"

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "native.h"

namespace heddle::exec::interp {
namespace {

std::string module_of(std::string_view body, std::string_view shared = "65536") {
  return R"(.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<160>; .reg .b64 %d<20>;
.shared .align 1024 .b8 room[)" +
         std::string(shared) + R"(];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 base;
ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
)" + std::string(body) +
         "\n}\n";
}

// What `run` makes of it; on both sides the same.
template <class Run>
auto on_both(const std::string& text, const Run& run) {
  BothSides sides(text, "", jit::Tier::best);
  auto result = run(sides.expected);
  EXPECT_EQ(run(sides.native), result) << sides.said.text();
  EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
  return result;
}

constexpr std::string_view allocate = R"(
  mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 bra ALLOCATED;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
ALLOCATED:
  bar.sync 0;
  ld.shared.u32 %r2, [base];
)";
constexpr std::string_view release = R"(
  bar.sync 0;
  @%p0 bra DONE;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 512;
DONE:
  ret;
)";

TEST(TensorMemoryRoom, ColumnsAreAllocatedSideBySide) {
  TensorMemory memory;
  EXPECT_EQ(memory.find(0, 0), nullptr);
  EXPECT_EQ(memory.allocate(256), 0U);
  EXPECT_EQ(memory.allocate(32), 256U);
  EXPECT_EQ(memory.allocate(256), std::nullopt);
  EXPECT_FALSE(memory.release(0, 128)) << "not what was allocated";
  EXPECT_TRUE(memory.release(0, 256));
  EXPECT_EQ(memory.free(), 480U);
  EXPECT_EQ(memory.find(0, 0), nullptr);
  EXPECT_NE(memory.find(127, 287), nullptr);
  EXPECT_EQ(memory.find(128, 256), nullptr);
}

// A warp writes lane * 1000 + column by 32x32b, and reads by another shape.
struct Shape {
  const char* name;
  int registers;
  std::function<int(int lane, int i)> row, column;
  const char* more = "";
};
class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, AreReadAndWrittenAsTheManualSays) {
  const Shape& shape = GetParam();
  std::string registers, stores;
  for (int i = 0; i < shape.registers; ++i) {
    registers += (i == 0 ? "%r" : ", %r") + std::to_string(100 + i);
    stores += "st.global.u32 [%d3+" + std::to_string(4 * i) + "], %r" + std::to_string(100 + i) + ";\n";
  }
  std::string body = std::string(allocate) + "mul.lo.u32 %r3, %r0, 1000;\n";
  for (int i = 0; i < 16; ++i)
    body += "add.u32 %r" + std::to_string(10 + i) + ", %r3, " + std::to_string(i) + ";\n";
  body += "shl.b32 %r4, %r1, 21; add.u32 %r4, %r2, %r4;\n";  // the warp's lanes: 32 of them are 2^21
  std::string written;
  for (int i = 0; i < 16; ++i) written += (i == 0 ? "%r" : ", %r") + std::to_string(10 + i);
  body +=
      "tcgen05.st.sync.aligned.32x32b.x16.b32 [%r4], {" + written + "};\ntcgen05.wait::st.sync.aligned;\n";
  body += std::string("tcgen05.ld.sync.aligned.") + shape.name + ".b32 {" + registers + "}, [%r4]" +
          shape.more + ";\ntcgen05.wait::ld.sync.aligned;\nmul.wide.u32 %d3, %r0, " +
          std::to_string(4 * shape.registers) + "; add.u64 %d3, %d2, %d3;\n" + stores + std::string(release);
  const auto out = on_both(module_of(body), [&](TestProgram& program) {
    auto in = program.buffer<uint32_t>(1),
         words = program.buffer<uint32_t>(static_cast<std::size_t>(128 * shape.registers));
    const auto result = program.run("k", {.block = {128}}, in, words);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return words.values();
  });
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < shape.registers; ++i) {
      const int lane = thread % 32, row = thread / 32 * 32 + shape.row(lane, i);
      ASSERT_EQ(out[static_cast<std::size_t>(thread * shape.registers + i)],
                static_cast<uint32_t>(row * 1000 + shape.column(lane, i)))
          << shape.name << " thread " << thread << " register " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    , Shapes,
    testing::Values(Shape{"32x32b.x8", 8, [](int l, int) { return l; }, [](int, int i) { return i; }},
                    Shape{"16x64b.x4", 4, [](int l, int) { return l / 4 + 8 * (l % 2); },
                          [](int l, int i) { return 2 * i + l / 2 % 2; }},
                    Shape{"16x128b.x2", 4, [](int l, int i) { return l / 4 + 8 * (i & 1); },
                          [](int l, int i) { return 4 * (i / 2) + l % 4; }},
                    Shape{"16x256b.x2", 8, [](int l, int i) { return l / 4 + (i & 2 ? 8 : 0); },
                          [](int l, int i) { return 8 * (i / 4) + 2 * (l % 4) + (i & 1); }},
                    Shape{"16x32bx2.x4", 4, [](int l, int) { return l % 16; },
                          [](int l, int i) { return i + (l >= 16 ? 8 : 0); }, ", 8"}),
    [](const auto& test) {
      std::string name = test.param.name;
      for (char& c : name)
        if (c == '.') c = '_';
      return "By" + name;
    });

// D = A * B with operands in shared memory as the host lays them there; D is read by 32x32b.
struct Product {
  uint32_t m = 128, n = 64, k = 16;
  std::string kind = "f16";
  uint32_t descriptor = 0;              // without sizes
  uint64_t a_layout = 0, b_layout = 0;  // of shared memory: all but the address
  std::vector<uint8_t> shared = {};     // A, then B at 32768
  bool ws = false, sparse = false;
  std::string before = {};           // what the thread does first
  std::string a = "%d6", more = {};  // operands: A, and those before the predicate
  uint32_t blocks = 1;               // that share it
};

std::string in_group(std::string text, uint32_t blocks) {
  for (std::size_t at = 0; (at = text.find("cta_group::1", at)) != std::string::npos; ++at)
    text[at + 11] = static_cast<char>('0' + blocks);
  return text;
}

// Lanes of block 0, then those of block 1: 256 columns each.
std::vector<uint32_t> run(const Product& p, uint32_t times = 1) {
  const uint32_t idesc = p.descriptor | p.n / 8 << 17 | p.m / 16 << 24;
  const bool pair = p.blocks == 2;
  const std::string meet = pair ? "barrier.cluster.arrive; barrier.cluster.wait;\n" : "bar.sync 0;\n";
  std::string body = in_group(std::string(allocate), p.blocks) + R"(
  mov.u32 %r18, %cluster_ctarank; mul.wide.u32 %d8, %r18, 65536; add.u64 %d1, %d1, %d8;
  mul.wide.u32 %d8, %r18, 131072; add.u64 %d2, %d2, %d8;
  mov.u32 %r3, room; cvt.u64.u32 %d4, %r3;
  mul.wide.u32 %d5, %r0, 4; add.u64 %d3, %d1, %d5; cvt.u32.u64 %r5, %d5; add.u32 %r4, %r3, %r5;
  mov.u32 %r6, 0;
COPY:
  ld.global.u32 %r7, [%d3]; st.shared.u32 [%r4], %r7;
  add.u64 %d3, %d3, 512; add.u32 %r4, %r4, 512; add.u32 %r6, %r6, 512;
  setp.lt.u32 %p1, %r6, 65536; @%p1 bra COPY;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
)" + meet + R"(
  or.b32 %r19, %r0, %r18; setp.ne.u32 %p1, %r19, 0;
  @%p1 bra WAIT;
  shr.u64 %d6, %d4, 4; or.b64 %d6, %d6, )" +
                     std::to_string(p.a_layout) + R"(;
  add.u64 %d7, %d4, 32768; shr.u64 %d7, %d7, 4; or.b64 %d7, %d7, )" +
                     std::to_string(p.b_layout) + ";\n" + "mov.u32 %r8, " + std::to_string(idesc) + ";\n" +
                     p.before;
  const std::string mma = "tcgen05.mma" +
                          std::string(p.ws       ? ".ws"
                                      : p.sparse ? ".sp"
                                                 : "") +
                          ".cta_group::1.kind::" + p.kind + " [%r2], " + p.a;
  for (uint32_t time = 0; time < times; ++time)
    body += "setp.ne.u32 %p2, " + std::to_string(time) + ", 0;\n" + in_group(mma, p.blocks) + ", %d7" +
            (p.sparse ? ", [%r20]" : "") + ", %r8" + p.more + ", %p2;\n";
  body += in_group("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster", p.blocks) +
          (pair ? ".multicast::cluster.b64 [bar], %h0;\n" : ".b64 [bar];\n") +
          "WAIT:\n"
          "TRY: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra TRY;\n"
          "tcgen05.fence::after_thread_sync;\nshl.b32 %r4, %r1, 21; add.u32 %r4, %r2, %r4;\n"
          "mul.wide.u32 %d3, %r0, 1024; add.u64 %d3, %d2, %d3;\n";
  for (uint32_t column = 0; column < p.n; column += 8) {
    body +=
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r4];\n"
        "tcgen05.wait::ld.sync.aligned; add.u32 %r4, %r4, 8;\n";
    for (uint32_t i = 0; i < 8; ++i)
      body +=
          "st.global.u32 [%d3+" + std::to_string(4 * (column + i)) + "], %r" + std::to_string(10 + i) + ";\n";
  }
  body += meet + in_group(std::string(release), p.blocks);
  std::vector<uint8_t> bytes = p.shared;
  bytes.resize(std::size_t{65536} * p.blocks);
  return on_both(module_of("mov.b16 %h0, 3;\n" + body), [&](TestProgram& program) {
    auto in = program.buffer(bytes);
    auto out = program.buffer<uint32_t>(std::size_t{128} * 256 * p.blocks);
    const auto result = pair ? program.run("k", {.grid = {2}, .block = {128}, .cluster = {2}}, in, out)
                             : program.run("k", {.block = {128}}, in, out);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return out.values();
  });
}

constexpr uint64_t layout_of(uint64_t leading, uint64_t stride, uint64_t swizzle) {
  return (leading >> 4) << 16 | (stride >> 4) << 32 | uint64_t{1} << 46 | swizzle << 61;
}
int a_of(uint32_t row, uint32_t k) { return static_cast<int>(row * 7 + k * 3) % 9 - 4; }
int b_of(uint32_t column, uint32_t k) { return static_cast<int>(column * 5 + k * 2) % 7 - 3; }
int product_of(uint32_t row, uint32_t column, uint32_t k) {
  int sum = 0;
  for (uint32_t i = 0; i < k; ++i) sum += a_of(row, i) * b_of(column, i);
  return sum;
}
uint16_t half_of(int value) {  // of small integers
  const float f = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(f);
  if (value == 0) return 0;
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 |
                               (bits >> 13 & 0x3ff));
}
uint8_t e4m3_of(int value) {
  if (value == 0) return 0;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint8_t>((bits >> 24 & 0x80) | ((bits >> 23 & 0xff) - 120) << 3 | (bits >> 20 & 7));
}
float float_at(const std::vector<uint32_t>& out, uint32_t lane, uint32_t column) {
  return std::bit_cast<float>(out[lane * 256 + column]);
}
template <class T>
void put(std::vector<uint8_t>& bytes, std::size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Core matrices of eight rows of 16 bytes: those along k 128 bytes apart, those along rows 256.
uint32_t core_place(uint32_t row, uint32_t k, uint32_t bytes) {
  const uint32_t held = 16 / bytes;
  return row / 8 * 256 + k / held * 128 + row % 8 * 16 + k % held * bytes;
}

Product halves_without_swizzle(uint32_t m, uint32_t n) {
  Product p{.m = m,
            .n = n,
            .descriptor = 1 << 4,
            .a_layout = layout_of(128, 256, 0),
            .b_layout = layout_of(128, 256, 0)};
  for (uint32_t k = 0; k < 16; ++k) {
    for (uint32_t row = 0; row < m; ++row) put(p.shared, core_place(row, k, 2), half_of(a_of(row, k)));
    for (uint32_t column = 0; column < n; ++column)
      put(p.shared, 32768 + core_place(column, k, 2), half_of(b_of(column, k)));
  }
  return p;
}

TEST(TensorMma, HalvesOf128Rows) {
  const auto out = run(halves_without_swizzle(128, 64));
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(product_of(row, column, 16)))
          << row << " " << column;
}

TEST(TensorMma, DIsAddedWhenThePredicateSaysSo) {
  const auto out = run(halves_without_swizzle(128, 64), 3);
  for (uint32_t row = 0; row < 128; ++row)
    ASSERT_EQ(float_at(out, row, 9), static_cast<float>(3 * product_of(row, 9, 16)));
}

// Sixteen rows in each quarter of the lanes.
TEST(TensorMma, HalvesOf64RowsLieInQuarters) {
  const auto out = run(halves_without_swizzle(64, 64));
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row / 16 * 32 + row % 16, column),
                static_cast<float>(product_of(row, column, 16)));
}

// Weight stationary: 32 rows, and columns in four parts one below the other.
TEST(TensorMma, FewRowsHaveTheirColumnsInParts) {
  Product p = halves_without_swizzle(32, 64);
  p.ws = true;
  const auto out = run(p);
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row + column / 16 * 32, column % 16),
                static_cast<float>(product_of(row, column, 16)));
}

// Rows of 128 bytes whose pieces of 16 are moved by the row's number; eight of them are 1,024 bytes.
TEST(TensorMma, BytesWithASwizzleOf128) {
  Product p{.n = 32,
            .k = 32,
            .kind = "f8f6f4",
            .descriptor = 1 << 4,
            .a_layout = layout_of(16, 1024, 2),
            .b_layout = layout_of(16, 1024, 2)};
  const auto place = [](uint32_t row, uint32_t k) { return row * 128 + ((k / 16 ^ row % 8) * 16) + k % 16; };
  for (uint32_t k = 0; k < 32; ++k) {
    for (uint32_t row = 0; row < 128; ++row) put(p.shared, place(row, k), e4m3_of(a_of(row, k)));
    for (uint32_t column = 0; column < 32; ++column)
      put(p.shared, 32768 + place(column, k), e4m3_of(b_of(column, k)));
  }
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 32; ++column)
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(product_of(row, column, 32)));
}

// Sixteen elements of 4 bits have 16 bytes in shared memory, the last eight of which are empty.
TEST(TensorMma, FoursBesideBytes) {
  Product p{.n = 32,
            .k = 32,
            .kind = "f8f6f4",
            .descriptor = 1 << 4 | 5 << 7,
            .a_layout = layout_of(128, 256, 0),
            .b_layout = layout_of(128, 256, 0)};
  constexpr uint8_t codes[] = {0, 2, 4, 5, 6};  // e2m1: 0, 1, 2, 3, 4
  p.shared.resize(65536);
  for (uint32_t k = 0; k < 32; ++k) {
    for (uint32_t row = 0; row < 128; ++row) {
      const int value = a_of(row, k);
      const auto code = static_cast<uint8_t>(codes[std::abs(value)] | (value < 0 ? 8 : 0));
      p.shared[row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16 / 2] |=
          static_cast<uint8_t>(code << k % 2 * 4);
    }
    for (uint32_t column = 0; column < 32; ++column)
      p.shared[32768 + column / 8 * 256 + k / 16 * 128 + column % 8 * 16 + k % 16] = e4m3_of(b_of(column, k));
  }
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 32; ++column)
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(product_of(row, column, 32)));
}

TEST(TensorMma, Integers) {
  Product p{.n = 16,
            .k = 32,
            .kind = "i8",
            .descriptor = 2 << 4 | 1 << 7 | 1 << 10,
            .a_layout = layout_of(128, 256, 0),
            .b_layout = layout_of(128, 256, 0)};
  for (uint32_t k = 0; k < 32; ++k) {
    for (uint32_t row = 0; row < 128; ++row)
      put(p.shared, core_place(row, k, 1), static_cast<int8_t>(a_of(row, k) * 20));
    for (uint32_t column = 0; column < 16; ++column)
      put(p.shared, 32768 + core_place(column, k, 1), static_cast<int8_t>(b_of(column, k) * 30));
  }
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 16; ++column)
      ASSERT_EQ(static_cast<int32_t>(out[row * 256 + column]), 600 * product_of(row, column, 32));
}

// Columns of B that are contiguous in shared memory, not k: eight of them are a piece.
TEST(TensorMma, HalvesWithContiguousColumns) {
  Product p = halves_without_swizzle(128, 64);
  p.descriptor |= 1 << 16;
  p.b_layout = layout_of(1024, 128, 0);
  for (uint32_t k = 0; k < 16; ++k)
    for (uint32_t column = 0; column < 64; ++column)
      put(p.shared, 32768 + column / 8 * 128 + k / 8 * 1024 + k % 8 * 16 + column % 8 * 2,
          half_of(b_of(column, k)));
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(product_of(row, column, 16)));
}

// Rows of A from tensor memory, where a copy has brought them: 32 bytes are 8 columns.
TEST(TensorMma, AFromTensorMemory) {
  Product p = halves_without_swizzle(128, 64);
  p.before = "add.u32 %r20, %r2, 256; tcgen05.cp.cta_group::1.128x256b [%r20], %d6;\n";
  p.a = "[%r20]";
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(product_of(row, column, 16)));
}

TEST(TensorMma, LanesThatAreMaskedStayAsTheyWere) {
  Product p = halves_without_swizzle(128, 64);
  p.before = "mov.u32 %r20, 0; mov.u32 %r21, 0xf0;\n";
  p.more = ", {%r20, %r21, %r20, %r20}";
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    ASSERT_EQ(float_at(out, row, 9),
              row >= 36 && row < 40 ? 0.0f : static_cast<float>(product_of(row, 9, 16)));
}

// Scales of powers of two, a byte a row: row r stands in lane r % 32, column r / 32, in every quarter.
Product scaled_bytes() {
  Product p{.n = 64,
            .k = 32,
            .kind = "mxf8f6f4.block_scale",
            .descriptor = 1 << 23 | 2 << 29 | 1 << 4,  // byte 2 of A's, byte 1 of B's
            .a_layout = layout_of(128, 256, 0),
            .b_layout = layout_of(128, 256, 0)};
  p.shared.resize(65536);
  for (uint32_t k = 0; k < 32; ++k) {
    for (uint32_t row = 0; row < 128; ++row) put(p.shared, core_place(row, k, 1), e4m3_of(a_of(row, k)));
    for (uint32_t column = 0; column < 64; ++column)
      put(p.shared, 32768 + core_place(column, k, 1), e4m3_of(b_of(column, k)));
  }
  for (uint32_t row = 0; row < 128; ++row)
    p.shared[49152 + row % 32 * 16 + row / 32 * 4 + 2] = static_cast<uint8_t>(127 + row % 5);
  for (uint32_t column = 0; column < 64; ++column)
    p.shared[50176 + column % 32 * 16 + column / 32 * 4 + 1] = static_cast<uint8_t>(126 + column % 3);
  const std::string layout = std::to_string(layout_of(16, 128, 0));
  p.before = "add.u32 %r20, %r2, 256; add.u64 %d8, %d4, 49152; shr.u64 %d8, %d8, 4; or.b64 %d8, %d8, " +
             layout +
             "; tcgen05.cp.cta_group::1.32x128b.warpx4 [%r20], %d8;\n"
             "add.u32 %r21, %r2, 260; add.u64 %d8, %d4, 50176; shr.u64 %d8, %d8, 4; or.b64 %d8, %d8, " +
             layout + "; tcgen05.cp.cta_group::1.32x128b.warpx4 [%r21], %d8;\n";
  p.more = ", [%r20], [%r21]";
  return p;
}

void expect_scaled(const std::vector<uint32_t>& out) {
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column)
      ASSERT_EQ(float_at(out, row, column), std::ldexp(static_cast<float>(product_of(row, column, 32)),
                                                       static_cast<int>(row % 5 + column % 3) - 1))
          << row << " " << column;
}

TEST(TensorMma, BlocksAreScaled) { expect_scaled(run(scaled_bytes())); }

// As CUTLASS has them: addresses of scales with the number of the byte in their topmost bits.
TEST(TensorMma, AddressesOfScalesHaveTheirByteToo) {
  Product p = scaled_bytes();
  p.before += "or.b32 %r20, %r20, 0x80000000; or.b32 %r21, %r21, 0x40000000;\n";
  expect_scaled(run(p));
}

// Half of A's columns are stored: of each four those that the metadata names. It lies in tensor memory, where
// 16 bytes of each lane have been copied.
uint32_t first_of(uint32_t row, uint32_t group) { return (row + group) % 3; }
int product_of_half(uint32_t row, uint32_t column, uint32_t groups) {
  int sum = 0;
  for (uint32_t group = 0; group < groups; ++group)
    sum += a_of(row, 2 * group) * b_of(column, 4 * group + first_of(row, group)) +
           a_of(row, 2 * group + 1) * b_of(column, 4 * group + 3);
  return sum;
}

TEST(TensorMma, HalfOfAIsStored) {
  Product p = halves_without_swizzle(128, 32);
  p.sparse = true;
  p.descriptor |= 1 << 2;
  p.b_layout = layout_of(128, 512, 0);
  p.shared.resize(65536);
  for (uint32_t column = 0; column < 32; ++column)
    for (uint32_t k = 0; k < 32; ++k)
      put(p.shared, 32768 + column / 8 * 512 + k / 8 * 128 + column % 8 * 16 + k % 8 * 2,
          half_of(b_of(column, k)));
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t group = 0; group < 8; ++group) {
      const uint32_t bits = first_of(row, group) | 3 << 2;
      const uint32_t lane = row / 16 * 16 + group / 4 * 8 + row % 8, bit = row / 8 % 2 * 16 + group % 4 * 4;
      p.shared[49152 + lane * 16 + bit / 8] |= static_cast<uint8_t>(bits << bit % 8);
    }
  p.before = "add.u32 %r20, %r2, 256; add.u64 %d8, %d4, 49152; shr.u64 %d8, %d8, 4; or.b64 %d8, %d8, " +
             std::to_string(layout_of(16, 128, 0)) + "; tcgen05.cp.cta_group::1.128x128b [%r20], %d8;\n";
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 32; ++column) {
      const int sum = product_of_half(row, column, 8);
      ASSERT_EQ(float_at(out, row, column), static_cast<float>(sum)) << row << " " << column;
    }
}

// Of elements in bytes, and of pairs in bytes, a lane has the metadata of its row: 16 bytes, from where they
// lie in shared memory. Behind it %r20 is their address, and %r23 that of the scales of A.
void store_half(Product& p) {
  p.sparse = true;
  p.descriptor |= 1 << 2;
  p.b_layout = layout_of(128, 512, 0);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t group = 0; group < 16; ++group)
      p.shared[51200 + row * 16 + group / 2] |=
          static_cast<uint8_t>((first_of(row, group) | 3 << 2) << group % 2 * 4);
  p.before += "add.u32 %r22, %r2, 264; add.u64 %d8, %d4, 51200; shr.u64 %d8, %d8, 4; or.b64 %d8, %d8, " +
              std::to_string(layout_of(16, 128, 0)) +
              "; tcgen05.cp.cta_group::1.128x128b [%r22], %d8;\n"
              "mov.u32 %r23, %r20; mov.u32 %r20, %r22;\n";
  p.more = ", [%r23], [%r21]";
}

// Both: of each four columns of A two are stored, and all 64 have one scale. Of bytes a lane has the metadata
// of its row.
TEST(TensorMma, HalfOfAIsStoredAndScaled) {
  Product p = scaled_bytes();
  for (uint32_t column = 0; column < 64; ++column)
    for (uint32_t k = 0; k < 64; ++k)
      p.shared[32768 + column / 8 * 512 + k / 16 * 128 + column % 8 * 16 + k % 16] = e4m3_of(b_of(column, k));
  store_half(p);
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column) {
      const int sum = product_of_half(row, column, 16);
      ASSERT_EQ(float_at(out, row, column),
                std::ldexp(static_cast<float>(sum), static_cast<int>(row % 5 + column % 3) - 1))
          << row << " " << column;
    }
}

// Two numbers in a byte: pairs are stored or not, two of each four, and each 64 columns of A have a scale.
TEST(TensorMma, PairsOfFoursAreStoredAndScaled) {
  const auto e2m1_of = [](int value) {
    constexpr uint8_t numbers[] = {0, 2, 4, 5, 6};
    return static_cast<uint8_t>(numbers[std::abs(value)] | (value < 0 ? 8 : 0));
  };
  const auto scale_of_a = [](uint32_t row, uint32_t half) { return static_cast<int>((row + 2 * half) % 5); };
  const auto scale_of_b = [](uint32_t column, uint32_t half) {
    return static_cast<int>((column + half) % 3) - 1;
  };
  Product p = scaled_bytes();
  p.kind = "mxf4.block_scale";
  p.descriptor = 1 << 23 | 2 << 29 | 2 << 4 | 1 << 7 | 1 << 10;
  std::fill(p.shared.begin(), p.shared.end(), uint8_t{0});
  for (uint32_t k = 0; k < 64; ++k)
    for (uint32_t row = 0; row < 128; ++row)
      p.shared[core_place(row, k / 2, 1)] |= static_cast<uint8_t>(e2m1_of(a_of(row, k)) << k % 2 * 4);
  for (uint32_t k = 0; k < 128; ++k)
    for (uint32_t column = 0; column < 64; ++column)
      p.shared[32768 + column / 8 * 512 + k / 32 * 128 + column % 8 * 16 + k % 32 / 2] |=
          static_cast<uint8_t>(e2m1_of(b_of(column, k)) << k % 2 * 4);
  for (uint32_t half = 0; half < 2; ++half) {
    for (uint32_t row = 0; row < 128; ++row)
      p.shared[49152 + row % 32 * 16 + row / 32 * 4 + 2 + half] =
          static_cast<uint8_t>(127 + scale_of_a(row, half));
    for (uint32_t column = 0; column < 64; ++column)
      p.shared[50176 + column % 32 * 16 + column / 32 * 4 + 2 + half] =
          static_cast<uint8_t>(127 + scale_of_b(column, half));
  }
  store_half(p);
  const auto out = run(p);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 64; ++column) {
      float wanted = 0;
      for (uint32_t group = 0; group < 16; ++group) {
        int sum = 0;
        for (uint32_t i = 0; i < 4; ++i)
          sum += a_of(row, 4 * group + i) *
                 b_of(column, 8 * group + 2 * (i < 2 ? first_of(row, group) : 3) + i % 2);
        wanted +=
            std::ldexp(static_cast<float>(sum), scale_of_a(row, group / 8) + scale_of_b(column, group / 8));
      }
      ASSERT_EQ(float_at(out, row, column), wanted) << row << " " << column;
    }
}

// Two blocks: each has half of A's rows and half of B's columns in its own shared memory, and half of D's
// rows.
class PairOfBlocks : public testing::TestWithParam<uint32_t> {};

TEST_P(PairOfBlocks, ShareAProduct) {
  const uint32_t m = GetParam(), n = 64;
  Product p = halves_without_swizzle(m, n);
  p.blocks = 2;
  p.shared.assign(131072, 0);
  for (uint32_t k = 0; k < 16; ++k) {
    for (uint32_t row = 0; row < m; ++row)
      put(p.shared, row / (m / 2) * 65536 + core_place(row % (m / 2), k, 2), half_of(a_of(row, k)));
    for (uint32_t column = 0; column < n; ++column)
      put(p.shared, column / (n / 2) * 65536 + 32768 + core_place(column % (n / 2), k, 2),
          half_of(b_of(column, k)));
  }
  const auto out = run(p);
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t column = 0; column < n; ++column) {
      const uint32_t block = row / (m / 2), lane = row % (m / 2);
      const float got = m == 256
                            ? float_at(out, block * 128 + lane, column)
                            : float_at(out, block * 128 + lane + column / (n / 2) * 64, column % (n / 2));
      ASSERT_EQ(got, static_cast<float>(product_of(row, column, 16))) << row << " " << column;
    }
}
INSTANTIATE_TEST_SUITE_P(, PairOfBlocks, testing::Values(128, 256),
                         [](const auto& test) { return "Of" + std::to_string(test.param) + "Rows"; });

std::string failure(std::string_view body) {
  return on_both(module_of(body), [&](TestProgram& program) {
    auto in = program.buffer<uint32_t>(1), out = program.buffer<uint32_t>(1);
    const auto result = program.run("k", {.block = {128}}, in, out);
    return result.ok() ? std::string() : result.error().message();
  });
}

TEST(TensorMma, WhatCannotBeIsSaid) {
  const std::string begin(allocate);
  EXPECT_THAT(
      failure(begin +
              "@%p0 ret; add.u32 %r3, %r2, 512; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r3]; ret;"),
      testing::HasSubstr("column 512 of tensor memory is not allocated"));
  EXPECT_THAT(failure(begin + "setp.lt.u32 %p1, %r0, 96; @%p1 ret; "
                              "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r2]; ret;"),
              testing::HasSubstr("lane 0 of tensor memory; warp 3 reaches 96 to 127"));
  EXPECT_THAT(failure("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 48; ret;"),
              testing::HasSubstr("48 columns of tensor memory; allowed are powers of two from 32 to 512"));
  EXPECT_THAT(failure(begin + "@%p0 ret; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 256; ret;"),
              testing::HasSubstr("no 256 columns of tensor memory were allocated at column 0"));
  EXPECT_THAT(failure(begin + "mov.b64 %d4, 0; setp.eq.u32 %p1, %r0, 0; "
                              "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r2], %d4, %d4, 0, %p0; ret;"),
              testing::HasSubstr("has 0 rows"));
}

}  // namespace
}  // namespace heddle::exec::interp
