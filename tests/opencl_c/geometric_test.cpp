// 6.15.5: lengths of vectors whose squares overflow or vanish, and directions with elements of very different
// size. The reference is long double, which has room for all of them. Limits: OpenCL C 3.0, table 70.
#include <cmath>
#include <random>

#include "harness.h"

namespace heddle::opencl_c {
namespace {

using Number = long double;

// Elements near the ends of the format's range and in the middle; the smallest ones vanish beside the others.
template <class T>
std::vector<T> elements(size_t count) {
  using Limits = std::numeric_limits<T>;
  std::mt19937 random(5);
  std::vector<T> values(count);
  for (T& value : values) {
    // So that no length of four is above the largest number.
    const int low = Limits::min_exponent - Limits::digits, high = Limits::max_exponent - 3;
    const int exponent =
        std::array{low + static_cast<int>(random() % 40), high - static_cast<int>(random() % 40),
                   static_cast<int>(random() % 20) - 10,
                   low + static_cast<int>(random() % static_cast<unsigned>(high - low))}[random() % 4];
    value = std::ldexp(T(1) + std::ldexp(static_cast<T>(random()), -32), exponent) *
            (random() % 2 == 0 ? T(1) : T(-1));
  }
  return values;
}

template <class T>
Number length(const T* vector, size_t width) {
  Number sum = 0;
  for (size_t i = 0; i < width; ++i) sum += static_cast<Number>(vector[i]) * vector[i];
  return std::sqrt(sum);
}

// In units of the last place of the format, which subnormal numbers share.
template <class T>
Number error_of(T got, Number exact) {
  using Limits = std::numeric_limits<T>;
  const int exponent =
      std::max(exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1, Limits::min_exponent);
  return std::fabs(got - exact) / std::ldexp(Number(1), exponent - Limits::digits);
}

template <class T>
void check_width(const std::string& type, size_t width) {
  SCOPED_TRACE(type + (width == 1 ? "" : std::to_string(width)));
  constexpr size_t count = 512;
  const std::string vector = width == 1 ? type : type + std::to_string(width);
  const std::string load = width == 1 ? "in[i]" : "vload" + std::to_string(width) + "(i, in)";
  const std::string store = width == 1 ? "unit[i] = d" : "vstore" + std::to_string(width) + "(d, i, unit)";
  const std::string source = prelude + "kernel void f(global const " + type + "* in, global " + type +
                             "* length_of, global " + type + "* distance_of, global " + type +
                             "* unit) {\n  size_t i = get_global_id(0);\n  " + vector + " v = " + load +
                             ";\n  length_of[i] = length(v);\n  distance_of[i] = distance(v, (" + vector +
                             ")(0));\n  " + vector + " d = normalize(v);\n  " + store + ";\n}\n";
  const std::vector<T> in = elements<T>(count * width);
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(in), Bytes(count * sizeof(T)), Bytes(count * sizeof(T)),
                               Bytes(count * width * sizeof(T))};
    ASSERT_TRUE(program.run("f", buffers, {.global = {count, 1, 1}, .local = {64, 1, 1}}));
    const auto lengths = values_of<T>(buffers[1]), distances = values_of<T>(buffers[2]),
               units = values_of<T>(buffers[3]);
    // sqrt's 3 ulp and half an ulp a sum and a product (normalize: 2 + n); all of these are met by float's
    // limits.
    const Number limit = 3.0L + 0.5L * static_cast<Number>(2 * width),
                 direction = 2.0L + static_cast<Number>(width);
    for (size_t i = 0; i < count; ++i) {
      const Number exact = length(in.data() + i * width, width);
      EXPECT_LE(error_of(lengths[i], exact), limit) << "length of vector " << i;
      EXPECT_LE(error_of(distances[i], exact), limit) << "distance of vector " << i;
      for (size_t j = 0; j < width; ++j)
        EXPECT_LE(error_of(units[i * width + j], in[i * width + j] / exact), direction)
            << "normalize of vector " << i << ", element " << j;
    }
  });
}

TEST(Geometric, LengthsOfTheLargestAndTheSmallestNumbers) {
  for (size_t width = 1; width <= 4; ++width) {
    check_width<float>("float", width);
    check_width<double>("double", width);
  }
}

// "length" of what is infinite is that, whatever else the vector has; of what is not a number only that.
TEST(Geometric, LengthsOfWhatIsNoNumber) {
  const std::string source =
      "kernel void f(global float* o) {\n"
      "  o[0] = length((float2)(NAN, 0.0f)); o[1] = length((float2)(0.0f, NAN)); o[2] = length((float2)(NAN, "
      "1e30f));\n"
      "  o[3] = length((float2)(-INFINITY, 1.0f)); o[4] = length((float2)(0.0f, 0.0f));\n}\n";
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(5 * sizeof(float))};
    ASSERT_TRUE(program.run("f", buffers, {}));
    const auto o = values_of<float>(buffers[0]);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(o[i])) << i;
    EXPECT_EQ(o[3], INFINITY);
    EXPECT_EQ(o[4], 0.0f);
  });
}

}  // namespace
}  // namespace heddle::opencl_c
