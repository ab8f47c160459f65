// 6.3.3: every conversion between scalar types, by every rounding, saturated and not; vectors like their
// elements.
#include <algorithm>

#include "harness.h"
#include "numbers.h"

namespace heddle::opencl_c {
namespace {

constexpr std::array<char, 5> modes{0, 'e', 'z', 'p', 'n'};
std::string suffix(char mode) { return mode == 0 ? "" : std::string("_rt") + mode; }

// The number that comes out; nothing where the result is undefined: out of range and not saturated.
bool expected(const Format& from, const Format& to, char mode, bool saturate, uint64_t bits,
              long double& value) {
  const long double x = decode(from, bits);
  if (to.real) {
    value = to_format(to, x, mode == 0 ? 'e' : mode);
    return true;
  }
  if (std::isnan(x)) {
    value = 0;
    return saturate;
  }
  const long double whole = from.real ? to_whole(x, mode == 0 ? 'z' : mode) : x;
  const long double most = to.is_signed ? std::ldexp(1.0L, static_cast<int>(to.bits()) - 1) - 1
                                        : std::ldexp(1.0L, static_cast<int>(to.bits())) - 1;
  const long double least = to.is_signed ? -most - 1 : 0;
  value = std::min(std::max(whole, least), most);
  if (saturate || value == whole) return true;
  if (from.real) return false;
  // Integers that do not fit lose their high bits.
  const uint64_t mask = to.bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << to.bits()) - 1;
  const unsigned shift = 64 - from.bits();
  const uint64_t wide =
      from.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift) : bits;
  value = decode(to, wide & mask);
  return true;
}

uint64_t read(const Bytes& bytes, std::size_t index, unsigned size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * size, size);
  return value;
}

struct Conversions : testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(From, Conversions, testing::Range<std::size_t>(0, 11),
                         [](const auto& i) { return formats()[i.param].name; });

TEST_P(Conversions, AreThoseOfTheSpecification) {
  const Format& from = formats()[GetParam()];
  std::string source = prelude;
  for (const Format& to : formats()) {
    source += "kernel void to_" + to.name + "(global " + from.name + "* a, global " + to.name +
              "* o) { size_t i = get_global_id(0); " + from.name + " x = a[i];\n";
    int column = 0;
    for (const bool saturate : {false, true})
      for (const char mode : modes)
        source += "  o[i * 10 + " + std::to_string(column++) + "] = convert_" + to.name +
                  (saturate && !to.real ? "_sat" : "") + suffix(mode) + "(x);\n";
    source += "}\n";
  }
  const std::vector<uint64_t> inputs = samples(from, 256);
  Bytes given(inputs.size() * from.bytes);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(given.data() + i * from.bytes, &inputs[i], from.bytes);
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    for (const Format& to : formats()) {
      std::vector<Bytes> buffers{given, Bytes(inputs.size() * 10 * to.bytes)};
      ASSERT_TRUE(program.run("to_" + to.name, buffers, {.global = {256, 1, 1}, .local = {64, 1, 1}}));
      for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t column = 0; column < 10; ++column) {
          const char mode = modes[column % 5];
          const bool saturate = column >= 5 && !to.real;
          long double want;
          if (!expected(from, to, mode, saturate, inputs[i], want)) continue;
          const long double got = decode(to, read(buffers[1], i * 10 + column, to.bytes));
          const bool same = std::isnan(want) ? std::isnan(got)
                                             : got == want && (want != 0 || !to.real || !from.real ||
                                                               std::signbit(got) == std::signbit(want));
          ASSERT_TRUE(same) << "convert_" << to.name << (saturate ? "_sat" : "") << suffix(mode) << " of "
                            << from.name << " " << static_cast<double>(decode(from, inputs[i])) << " is "
                            << static_cast<double>(got) << ", not " << static_cast<double>(want);
        }
    }
  });
}

TEST(VectorConversions, GoElementByElement) {
  for (const char* n : {"2", "3", "4", "8", "16"}) {
    const std::string width = n;
    const std::string source =
        "kernel void k(global float* a, global uchar* o) { size_t i = get_global_id(0);\n vstore" + width +
        "(convert_uchar" + width + "_sat_rte(vload" + width + "(i, a)), i, o); }";
    const std::size_t count = 32 * std::stoul(width);
    std::vector<float> in(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(i) * 0.7f - 20;
    on_both(source, "", [&](Program& program) {
      std::vector<Bytes> buffers{bytes_of(in), Bytes(count)};
      ASSERT_TRUE(program.run("k", buffers, {.global = {32, 1, 1}, .local = {32, 1, 1}}));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(static_cast<int>(buffers[1][i]), std::clamp(std::nearbyint(in[i]), 0.0f, 255.0f))
            << width << ": " << i;
    });
  }
}

// The bits of a small positive number, which the format has.
uint64_t encode(const Format& f, unsigned number) {
  if (!f.real) return number;
  const int fraction = f.digits - 1, exponent = std::ilogb(number);
  return static_cast<uint64_t>(exponent + f.most) << fraction |
         ((uint64_t{number} << (fraction - exponent)) & ((uint64_t{1} << fraction) - 1));
}

const Format& format(std::string_view name) { return *std::ranges::find(formats(), name, &Format::name); }

// From memory to memory, where compilers like to convert while they load.
TEST(VectorConversions, WidenStraightFromMemory) {
  constexpr std::size_t groups = 2;
  const std::vector<std::string> narrow{"uchar", "short", "half", "float"},
      wide{"int", "long", "float", "double"};
  for (const std::size_t width : {4, 8, 16}) {
    const std::string n = std::to_string(width);
    std::string source = prelude + "kernel void halves(global half* a, global float" + n +
                         "* o) { size_t i = get_global_id(0); o[i] = vloada_half" + n + "(i, a); }\n";
    for (const std::string& from : narrow)
      for (const std::string& to : wide)
        source += "kernel void " + from + "_" + to + "(global " + from + n + "* a, global " + to + n +
                  "* o) { size_t i = get_global_id(0); o[i] = convert_" + to + n + "(a[i]); }\n";
    on_both(source, "-cl-std=CL3.0", [&](Program& program) {
      const auto run = [&](const std::string& kernel, const Format& from, const Format& to) {
        const std::size_t count = groups * width;
        Bytes given(count * from.bytes);
        for (std::size_t i = 0; i < count; ++i) {
          const uint64_t bits = encode(from, static_cast<unsigned>(i + 1));
          std::memcpy(given.data() + i * from.bytes, &bits, from.bytes);
        }
        std::vector<Bytes> buffers{given, Bytes(count * to.bytes)};
        ASSERT_TRUE(program.run(kernel, buffers, {.global = {groups, 1, 1}, .local = {groups, 1, 1}}));
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(decode(to, read(buffers[1], i, to.bytes)), static_cast<long double>(i + 1))
              << kernel << " of width " << width << ": " << i;
      };
      for (const std::string& from : narrow)
        for (const std::string& to : wide) run(from + "_" + to, format(from), format(to));
      run("halves", format("half"), format("float"));
    });
  }
}

}  // namespace
}  // namespace heddle::opencl_c
