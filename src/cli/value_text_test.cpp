#include "cli/value_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/kernel_argument.h"

namespace heddle::cli {
namespace {

using isa::Type;

uint64_t bits(Type type, std::string_view text) {
  const auto value = parse_value(type, text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value ? "" : value.error().message);
  return value ? *value : 0;
}
std::string refusal(Type type, std::string_view text) {
  const auto value = parse_value(type, text);
  return value ? "taken" : value.error().message;
}

TEST(ValueText, IntegersAreTakenWhenTheyFitSignedOrUnsigned) {
  EXPECT_EQ(bits(Type::u8, "255"), 0xffu);
  EXPECT_EQ(bits(Type::u8, "-1"), 0xffu);
  EXPECT_EQ(bits(Type::s8, "-128"), 0x80u);
  EXPECT_EQ(bits(Type::s16, "0xffff"), 0xffffu);
  EXPECT_EQ(bits(Type::u64, "18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(bits(Type::s64, "-9223372036854775808"), uint64_t{1} << 63);
  EXPECT_EQ(bits(Type::b32, "0xDEADbeef"), 0xdeadbeefu);
  EXPECT_EQ(refusal(Type::u8, "256"), "'256' is out of range for u8");
  EXPECT_EQ(refusal(Type::s8, "-129"), "'-129' is out of range for s8");
  EXPECT_EQ(refusal(Type::u64, "18446744073709551616"), "'18446744073709551616' is no u64");
  for (const char* bad : {"", "-", "1.5", "x", "1 ", "0x", "--1", "+1"})
    EXPECT_NE(refusal(Type::u32, bad), "taken") << bad;
}

TEST(ValueText, FloatsAreRoundedToNearestEven) {
  EXPECT_EQ(bits(Type::f32, "1"), 0x3f800000u);
  EXPECT_EQ(bits(Type::f32, "-0"), 0x80000000u);
  EXPECT_EQ(bits(Type::f32, "16777217"), 0x4b800000u);  // halfway: to the even 16777216
  EXPECT_EQ(bits(Type::f32, "1e-45"), 1u);
  EXPECT_EQ(bits(Type::f32, "1e40"), 0x7f800000u);
  EXPECT_EQ(bits(Type::f64, "0.1"), 0x3fb999999999999au);
  EXPECT_EQ(bits(Type::f64, "1e999"), 0x7ff0000000000000u);
  EXPECT_EQ(bits(Type::f64, "-1e-999"), 0x8000000000000000u);
  EXPECT_EQ(bits(Type::f16, "1"), 0x3c00u);
  EXPECT_EQ(bits(Type::f16, "65504"), 0x7bffu);
  EXPECT_EQ(bits(Type::f16, "65519"), 0x7bffu);              // below half of the last step
  EXPECT_EQ(bits(Type::f16, "65520"), 0x7c00u);              // halfway to 65536
  EXPECT_EQ(bits(Type::f16, "5.960464477539063e-8"), 1u);    // 2^-24
  EXPECT_EQ(bits(Type::f16, "2.98023223876953125e-8"), 0u);  // 2^-25: halfway to 0
  EXPECT_EQ(bits(Type::f16, "2049"), 0x6800u);               // halfway: to 2048
  EXPECT_EQ(bits(Type::bf16, "1.00390625"), 0x3f80u);        // 1 + 2^-8: halfway to 1
  EXPECT_EQ(bits(Type::bf16, "1.01171875"), 0x3f82u);        // 1 + 3 * 2^-8: halfway, to the even one
  EXPECT_EQ(bits(Type::bf16, "-3"), 0xc040u);
}

TEST(ValueText, FloatsAlsoComeAsBitsAndNames) {
  EXPECT_EQ(bits(Type::f32, "0x3f800000"), 0x3f800000u);
  EXPECT_EQ(bits(Type::f32, "nan"), 0x7fffffffu);
  EXPECT_EQ(bits(Type::f16, "nan"), 0x7fffu);
  EXPECT_EQ(bits(Type::bf16, "nan"), 0x7fffu);
  EXPECT_EQ(bits(Type::f64, "nan"), 0x7ff8000000000000u);
  EXPECT_EQ(bits(Type::f16, "-inf"), 0xfc00u);
  EXPECT_EQ(bits(Type::bf16, "inf"), 0x7f80u);
  EXPECT_EQ(refusal(Type::f16, "0x10000"), "'0x10000' is out of range for f16");
  for (const char* bad : {"", "1.2.3", "one", "0x1p3", "infinity", "1e", "nan(1)"})
    EXPECT_NE(refusal(Type::f32, bad), "taken") << bad;
}

TEST(ValueText, PrintsTheShortestThatReadsBack) {
  EXPECT_EQ(format_value(Type::f32, 0x3dcccccd, false), "0.1");
  EXPECT_EQ(format_value(Type::f32, 0x4b800000, false), "16777216");
  EXPECT_EQ(format_value(Type::f32, 0x41200000, false), "10");
  EXPECT_EQ(format_value(Type::f32, 0x80000000, false), "-0");
  EXPECT_EQ(format_value(Type::f32, 1, false), "1e-45");
  EXPECT_EQ(format_value(Type::f64, 0x3fb999999999999a, false), "0.1");
  EXPECT_EQ(format_value(Type::f16, 0x2e66, false), "0.1");
  EXPECT_EQ(format_value(Type::f16, 0x7bff, false), "65504");
  EXPECT_EQ(format_value(Type::f16, 0x0001, false), "6e-08");
  EXPECT_EQ(format_value(Type::bf16, 0x3dcd, false), "0.1");
  EXPECT_EQ(format_value(Type::bf16, 0x3f80, false), "1");
}

TEST(ValueText, EveryHalfReadsBack) {
  for (const Type type : {Type::f16, Type::bf16})
    for (uint64_t value = 0; value < 0x10000; ++value) {
      const std::string text = format_value(type, value, false);
      if (text.starts_with("nan")) continue;
      ASSERT_EQ(bits(type, text), value) << text;
    }
}

TEST(ValueText, TellsTheCanonicalNanFromOthers) {
  EXPECT_EQ(format_value(Type::f32, 0x7fffffff, false), "nan");
  EXPECT_EQ(format_value(Type::f32, 0x7fc00000, false), "nan:0x7fc00000");
  EXPECT_EQ(format_value(Type::f16, 0xfe00, false), "nan:0xfe00");
  EXPECT_EQ(format_value(Type::f64, 0xfff8000000000000, false), "nan");
  EXPECT_EQ(format_value(Type::f64, 0x7ff8000000000001, false), "nan:0x7ff8000000000001");
  EXPECT_EQ(format_value(Type::f32, 0xff800000, false), "-inf");
}

TEST(ValueText, IntegersAndBits) {
  EXPECT_EQ(format_value(Type::s8, 0x80, false), "-128");
  EXPECT_EQ(format_value(Type::u8, 0x80, false), "128");
  EXPECT_EQ(format_value(Type::s64, ~uint64_t{0}, false), "-1");
  EXPECT_EQ(format_value(Type::b16, 0xab, false), "0x00ab");
  EXPECT_EQ(format_value(Type::u32, 10, true), "0x0000000a");
  EXPECT_EQ(format_value(Type::f64, 0, true), "0x0000000000000000");
}

TEST(ValueText, ListsHaveRangesAndRepetitions) {
  const auto list = [](Type type, std::string_view text) {
    const auto bytes = parse_values(type, text);
    return bytes ? format_values(type, *bytes, false) : bytes.error().message;
  };
  EXPECT_EQ(list(Type::u32, "1,2,0x10"), "1 2 16");
  EXPECT_EQ(list(Type::s16, "-2..2"), "-2 -1 0 1 2");
  EXPECT_EQ(list(Type::f32, "1..3,0.5x2"), "1 2 3 0.5 0.5");
  EXPECT_EQ(list(Type::u8, "0x4"), "4");
  EXPECT_EQ(list(Type::u8, "0x10x3"), "16 16 16");
  EXPECT_EQ(list(Type::s32, "-0x4"), "-4");
  EXPECT_EQ(list(Type::u8, "254..256"), "'256' is out of range for u8");
  EXPECT_EQ(list(Type::u8, "3..1"), "'3..1': a range rises, by less than 2^32 elements");
  EXPECT_EQ(list(Type::u8, "1x"), "'1x': a repetition is VALUExCOUNT");
  EXPECT_EQ(list(Type::u8, "1,,2"), "'' is no u8");
}

TEST(KernelArguments, HaveEveryForm) {
  const auto read = [](std::string_view text) {
    const auto argument = parse_kernel_argument(text, 3);
    EXPECT_TRUE(argument.ok()) << (argument ? "" : argument.error().message);
    return argument ? *argument : KernelArgument{};
  };
  using Kind = KernelArgument::Kind;
  const KernelArgument scalar = read("u32=1,2,3");
  EXPECT_EQ(scalar.kind, Kind::scalar);
  EXPECT_EQ(scalar.bytes.size(), 12u);
  EXPECT_EQ(scalar.name, "arg3");
  const KernelArgument named = read("n:u64=5");
  EXPECT_EQ(named.name, "n");
  EXPECT_EQ(named.bytes.size(), 8u);
  const KernelArgument in = read("x:in:f32=1..4");
  EXPECT_EQ(in.kind, Kind::buffer);
  EXPECT_EQ(in.name, "x");
  EXPECT_FALSE(in.shown);
  const KernelArgument out = read("out:f64*10");
  EXPECT_TRUE(out.shown);
  EXPECT_EQ(out.bytes.size(), 80u);
  const KernelArgument file = read("y:inout:b8=1,2>result.bin");
  EXPECT_EQ(file.file, "result.bin");
  EXPECT_EQ(file.bytes.size(), 2u);
  EXPECT_EQ(read("null").kind, Kind::null);
  EXPECT_EQ(read("p:null").kind, Kind::null);
}

TEST(KernelArguments, MistakesAreSaid) {
  const auto message = [](std::string_view text) {
    const auto argument = parse_kernel_argument(text, 0);
    return argument ? "taken" : argument.error().message;
  };
  EXPECT_EQ(message("u33=1").substr(0, 27), "--arg 'u33=1': 'u33' is no ");
  EXPECT_EQ(message("f16x2=1").substr(0, 31), "--arg 'f16x2=1': 'f16x2' is no ");
  EXPECT_EQ(message("u32"), "--arg 'u32': an argument is TYPE=VALUE, in:..., out:..., inout:... or null");
  EXPECT_EQ(message("in:u32=1>f"), "--arg 'in:u32=1>f': a buffer that is only read is not written to a file");
  EXPECT_EQ(message("out:u32*many"), "--arg 'out:u32*many': 'many' is no number of elements");
  EXPECT_EQ(message("in:u8@/path/to/nothing"),
            "--arg 'in:u8@/path/to/nothing': cannot read '/path/to/nothing': No such file or directory");
  EXPECT_EQ(message("out:u32"), "--arg 'out:u32': a buffer is TYPE=LIST, TYPE*COUNT or TYPE@FILE");
  EXPECT_NE(message(""), "taken");
  EXPECT_NE(message(":::"), "taken");
}

}  // namespace
}  // namespace heddle::cli
