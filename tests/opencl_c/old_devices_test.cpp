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

}  // namespace
}  // namespace heddle::opencl_c
