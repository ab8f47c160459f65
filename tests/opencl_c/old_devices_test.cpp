// Devices of compute capability 1.x: what they have in software, and what they have instead.
#include <bit>
#include <cmath>
#include <numeric>

#include "harness.h"

namespace heddle::opencl_c {
namespace {

template <class Test>
void on_both(const std::string& source, const std::string& options, Test&& test) {
  for (const bool reference : {true, false}) {
    SCOPED_TRACE(reference ? "reference" : "native");
    Program program(source, options, reference, "gtx285", "13");
    ASSERT_TRUE(program.ok());
    test(program);
  }
}

TEST(OldDevices, CallDeviceMath) {
  on_both(
      "kernel void k(global float4* a, global double* d) { *a = pow(*a, 3.0f) + sin(*a - *a); *d = exp2(*d); "
      "}",
      "", [](Program& program) {
        std::vector<Bytes> buffers{bytes_of(std::vector<float>{1, 2, 3, -4}),
                                   bytes_of(std::vector<double>{10})};
        ASSERT_TRUE(program.run("k", buffers, {}));
        EXPECT_EQ(values_of<float>(buffers[0]), (std::vector<float>{1, 8, 27, -64}));
        EXPECT_EQ(values_of<double>(buffers[1]), std::vector<double>{1024});
      });
}

// Fields of bits, bytes put together and counts are no instructions there, and no pointer says where a second
// result or an element goes.
TEST(OldDevices, DoWithoutLaterInstructions) {
  const std::string source =
      "kernel void k(global char4* c, global uint* u, global ulong* l, global float* f, global int* o,\n"
      "              global uchar8* b, uchar8 order) {\n"
      "  c[0] = add_sat(c[0], c[1]); c[1] = (c[2] > c[3]) ? c[2] : rotate(c[3], (char4)3);\n"
      "  c[2] = convert_char4_sat(vload4(0, f)); c[3] = hadd(c[3], c[2]);\n"
      "  for (int i = 0; i < 4; ++i) { u[i + 4] = clz(u[i]); l[i + 4] = clz(l[i]); }\n"
      "  float whole; int e, q; f[8] = frexp(f[4], &e); o[0] = e; f[9] = modf(f[5], &whole); f[10] = whole;\n"
      "  f[11] = remquo(f[6], f[7], &q); o[1] = q; f[12] = sincos(f[4], &whole); f[13] = whole;\n"
      "  *b = shuffle(*b, order); o[2] = ((char)u[0] << 8) >> 12; }";
  on_both(source, "", [](Program& program) {
    const std::vector<uint32_t> u{0, 1, 0xffff'ffff, 0x00ff'ffff};
    const std::vector<uint64_t> l{0, 1, ~uint64_t{0}, 0x0000'0001'0000'0000};
    const std::vector<float> f{-1e9f, 126.5f, 128, -3.5f, 10, -2.75f, 29, 3};
    const auto padded = [](auto values, std::size_t count) {
      values.resize(count);
      return bytes_of(values);
    };
    std::vector<Bytes> buffers{
        bytes_of(std::vector<int8_t>{100, -100, 5, -1, 100, -100, 6, 1, 1, 2, -3, 4, 0, 3, -4, -128}),
        padded(u, 8),
        padded(l, 8),
        padded(f, 16),
        Bytes(12),
        bytes_of(std::vector<uint8_t>{9, 8, 7, 6, 5, 4, 3, 2})};
    program.handles = {0x0302'0100'0706'0504};  // each one's source, from the lowest byte on
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int8_t>(buffers[0]),
              // 3 rotated by three is 24; 126.5 is rounded to zero; a half of a sum is rounded down
              (std::vector<int8_t>{127, -128, 11, 0, 1, 24, -3, 4, -128, 126, 127, -3, -64, 64, 61, -66}));
    const auto zeros = values_of<uint32_t>(buffers[1]);
    const auto wide = values_of<uint64_t>(buffers[2]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(zeros[i + 4], static_cast<uint32_t>(std::countl_zero(u[i])));
      EXPECT_EQ(wide[i + 4], static_cast<uint64_t>(std::countl_zero(l[i])));
    }
    const auto g = values_of<float>(buffers[3]);
    EXPECT_EQ(g[8], 0.625f);
    EXPECT_EQ(g[9], -0.75f);
    EXPECT_EQ(g[10], -2);
    EXPECT_EQ(g[11], -1);
    EXPECT_NEAR(g[12], std::sin(10.0), 1e-6);
    EXPECT_NEAR(g[13], std::cos(10.0), 1e-6);
    const auto o = values_of<int32_t>(buffers[4]);
    EXPECT_EQ(o[0], 4);
    EXPECT_EQ(o[1] & 7, 10 & 7);
    EXPECT_EQ(values_of<uint8_t>(buffers[5]), (std::vector<uint8_t>{5, 4, 3, 2, 9, 8, 7, 6}));
  });
}

// What clang makes of every function on every kind of vector is PTX of those devices.
TEST(OldDevices, HaveTheFunctionsOfIntegers) {
  std::string source;
  unsigned count = 0;
  const auto kernel = [&](const std::string& type, const std::string& call) {
    source += "kernel void k" + std::to_string(count++) + "(global " + type + "* a, global " + type +
              "* o) { *o = " + call + "; }\n";
  };
  for (const std::string one : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"})
    for (const std::string width : {"", "2", "3", "4", "8", "16"}) {
      const std::string type = one + width;
      for (const char* f : {"hadd", "rhadd", "add_sat", "sub_sat", "mul_hi", "rotate", "max", "min"})
        kernel(type, std::string(f) + "(a[0], a[1])");
      for (const char* f : {"mad_hi", "mad_sat", "clamp", "bitselect"})
        kernel(type, std::string(f) + "(a[0], a[1], a[2])");
      kernel(type, "clz(a[0])");
      kernel(type, "a[0] / a[1] + a[2] % a[3]");
      if (!width.empty()) kernel(type, "a[0] < a[1] ? a[2] : a[3]");
      for (const std::string other : {"char", "ushort", "int", "ulong", "float"})
        kernel(type, "convert_" + type + "_sat(convert_" + other + width + "(a[0]))");
    }
  Program program(source, "", false, "gtx285", "13");
  EXPECT_TRUE(program.ok());
}

// Exact in 113 digits; all of them lie in the range of floats.
using Exact = __float128;

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// C.2: fma is IEEE 754's, in software, of subnormals too; B.1: what the compiler merges is FMAD.
TEST(OldDevices, RoundFmaOnceAndTruncateWhatIsContracted) {
  constexpr std::size_t count = 64;
  std::vector<float> a(count), b(count), c(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = 1 + std::ldexp(static_cast<float>(2 * i + 1), -23);
    b[i] = 1 + std::ldexp(static_cast<float>(3 * i + 1), -23);
    c[i] = -(a[i] * b[i]);  // the sum is what the product's rounding lost
  }
  a[60] = 0x1p-149f, b[60] = 3, c[60] = 0x1p-140f;  // subnormal, and stays so
  a[61] = INFINITY, b[61] = 2, c[61] = 1;
  a[62] = INFINITY, b[62] = 0, c[62] = 1;
  a[63] = 0x1p127f, b[63] = 2, c[63] = -0x1p127f;  // the product alone is too large
  on_both(
      "kernel void k(global float* a, global float* b, global float* c, global float* f, global float4* v,\n"
      "              global float* m) {\n"
      "  int i = get_global_id(0); f[i] = fma(a[i], b[i], c[i]); m[i] = a[i] * b[i] + c[i];\n"
      "  v[i] = fma((float4)(a[i], 1, 2, 3), (float4)(b[i], 1, 2, 3), (float4)(c[i], 1, 2, 3)); }",
      "", [&](Program& program) {
        std::vector<Bytes> buffers{bytes_of(a),      bytes_of(b),       bytes_of(c),
                                   Bytes(4 * count), Bytes(16 * count), Bytes(4 * count)};
        ASSERT_TRUE(program.run("k", buffers, {.global = {count, 1, 1}, .local = {32, 1, 1}}));
        const auto f = values_of<float>(buffers[3]), v = values_of<float>(buffers[4]),
                   m = values_of<float>(buffers[5]);
        int other = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const float wanted = i == 62 ? std::bit_cast<float>(0x7fff'ffff)
                               : i == 61
                                   ? INFINITY
                                   : static_cast<float>(static_cast<Exact>(a[i]) * static_cast<Exact>(b[i]) +
                                                        static_cast<Exact>(c[i]));
          EXPECT_EQ(bits(f[i]), bits(wanted)) << i;
          EXPECT_EQ(bits(v[4 * i]), bits(wanted)) << i;
          EXPECT_EQ(v[4 * i + 3], 12) << i;
          if (i >= 60) continue;
          // 24 digits of the product are kept: it is in [1, 2).
          const uint64_t product =
              (uint64_t{bits(a[i])} - 0x3f00'0000) * (uint64_t{bits(b[i])} - 0x3f00'0000);
          const Exact kept = static_cast<Exact>(product >> 23) * 0x1p-23;
          EXPECT_EQ(bits(m[i]), bits(static_cast<float>(kept + static_cast<Exact>(c[i])))) << i;
          other += m[i] != f[i];
        }
        EXPECT_GT(other, 50);  // or the test is none
      });
}

// B.2: native_recip and native_sqrt are IEEE 754's.
TEST(OldDevices, RoundNativeReciprocalsAndRoots) {
  constexpr std::size_t count = 4096;
  std::vector<float> a(count);
  for (std::size_t i = 0; i < count; ++i)
    a[i] = std::bit_cast<float>(static_cast<uint32_t>(0x0000'0301 + i * 0x7'f123));
  on_both(
      "kernel void k(global float* a, global float* r, global float* s) { int i = get_global_id(0);\n"
      "  r[i] = native_recip(a[i]); s[i] = native_sqrt(a[i]); }",
      "", [&](Program& program) {
        std::vector<Bytes> buffers{bytes_of(a), Bytes(4 * count), Bytes(4 * count)};
        ASSERT_TRUE(program.run("k", buffers, {.global = {count, 1, 1}, .local = {64, 1, 1}}));
        const auto r = values_of<float>(buffers[1]), s = values_of<float>(buffers[2]);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(bits(r[i]), bits(static_cast<float>(1 / static_cast<Exact>(a[i])))) << a[i];
          // The host's root is correctly rounded (IEEE 754, 5.4.1).
          ASSERT_EQ(bits(s[i]), bits(std::sqrt(a[i]))) << a[i];
        }
      });
}

// Denormals are zero there anyway: the option changes nothing, and a contraction is still the device's own.
TEST(OldDevices, TakeDenormalsForZero) {
  const std::string source =
      "kernel void k(global float* a) { a[4] = a[0] * a[1] + a[2]; a[5] = a[3] + a[3]; }";
  for (const char* options : {"", "-cl-denorms-are-zero", "-cl-denorms-are-zero -cl-mad-enable"})
    on_both(source, options, [](Program& program) {
      const float denormal = std::bit_cast<float>(uint32_t{0x00400000});
      std::vector<Bytes> buffers{bytes_of(std::vector<float>{3, 5, 7, denormal, -1, -1})};
      ASSERT_TRUE(program.run("k", buffers, {}));
      const auto a = values_of<float>(buffers[0]);
      EXPECT_EQ(a[4], 22);
      EXPECT_EQ(a[5], 0);
    });
}

}  // namespace
}  // namespace heddle::opencl_c
