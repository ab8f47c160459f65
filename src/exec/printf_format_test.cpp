#include "exec/printf_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace heddle::exec {
namespace {

// Arguments as a device's compiler lays them out: each aligned to its size.
class Arguments {
 public:
  Arguments& word(uint32_t value) { return put(4, value); }
  Arguments& wide(uint64_t value) { return put(8, value); }
  Arguments& real(double value) { return put(8, std::bit_cast<uint64_t>(value)); }

  PrintfSource source() {
    PrintfSource s;
    s.argument = [this](unsigned bytes) -> std::optional<uint64_t> {
      next_ = (next_ + bytes - 1) / bytes * bytes;
      if (next_ + bytes > bytes_.size()) return std::nullopt;
      uint64_t value = 0;
      for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{bytes_[next_ + i]} << (8 * i);
      next_ += bytes;
      return value;
    };
    s.text = [](uint64_t address) -> std::optional<std::string> {
      if (address == 0x1000) return "loom";
      return std::nullopt;
    };
    return s;
  }

 private:
  Arguments& put(unsigned bytes, uint64_t value) {
    bytes_.resize((bytes_.size() + bytes - 1) / bytes * bytes);
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
    return *this;
  }
  std::vector<uint8_t> bytes_;
  std::size_t next_ = 0;
};

std::string format(std::string_view text, Arguments arguments) {
  const auto result = format_printf(text, arguments.source());
  return result ? result->text : "(fault)";
}

TEST(PrintfFormat, integers) {
  EXPECT_EQ(format("%d %i %u", Arguments().word(-5u).word(7).word(4000000000u)), "-5 7 4000000000");
  EXPECT_EQ(format("%x %X %o", Arguments().word(0xbeef).word(0xbeef).word(8)), "beef BEEF 10");
  EXPECT_EQ(format("%lld %llu %llx", Arguments().wide(-1).wide(-1).wide(1ull << 40)),
            "-1 18446744073709551615 10000000000");
  EXPECT_EQ(format("%ld", Arguments().wide(1ull << 33)), "8589934592");
  EXPECT_EQ(format("%hd %hhd %hu %hhu", Arguments().word(70000).word(300).word(70000).word(300)),
            "4464 44 4464 44");
}

TEST(PrintfFormat, flags_width_and_precision) {
  EXPECT_EQ(format("[%5d][%-5d][%05d][%+d][% d]", Arguments().word(42).word(42).word(42).word(42).word(42)),
            "[   42][42   ][00042][+42][ 42]");
  EXPECT_EQ(format("[%#x][%#o][%.4d]", Arguments().word(255).word(8).word(7)), "[0xff][010][0007]");
  EXPECT_EQ(format("[%*d]", Arguments().word(6).word(1)), "[     1]");
  EXPECT_EQ(format("[%*d]", Arguments().word(-6u).word(1)), "[1     ]");
  EXPECT_EQ(format("[%.*f]", Arguments().word(2).real(3.14159)), "[3.14]");
}

TEST(PrintfFormat, floating_point) {
  EXPECT_EQ(format("%f %e %g", Arguments().real(1.5).real(1.5).real(1.5)), "1.500000 1.500000e+00 1.5");
  EXPECT_EQ(format("%F %E %G", Arguments().real(1.5).real(1.5).real(1e-10)), "1.500000 1.500000E+00 1E-10");
  EXPECT_EQ(format("%a %A", Arguments().real(1.0).real(0.5)), "0x1p+0 0X1P-1");
  EXPECT_EQ(format("%8.3f|%-8.2f|", Arguments().real(-2.0).real(2.0)), "  -2.000|2.00    |");
  EXPECT_EQ(format("%f", Arguments().real(std::numeric_limits<double>::infinity())), "inf");
}

TEST(PrintfFormat, characters_strings_pointers) {
  EXPECT_EQ(format("%c%3c%-3c|", Arguments().word('a').word('b').word('c')), "a  bc  |");
  EXPECT_EQ(format("%s|%6s|%-6s|%.2s", Arguments().wide(0x1000).wide(0x1000).wide(0x1000).wide(0x1000)),
            "loom|  loom|loom  |lo");
  EXPECT_EQ(format("%s", Arguments().wide(0)), "(null)");
  EXPECT_EQ(format("%p", Arguments().wide(0xabc0)), "0xabc0");
  EXPECT_EQ(format("100%%", Arguments()), "100%");
}

TEST(PrintfFormat, arguments_are_aligned_to_their_size) {
  EXPECT_EQ(format("%d %f %c %lld", Arguments().word(1).real(2.0).word('x').wide(3)), "1 2.000000 x 3");
}

TEST(PrintfFormat, what_is_no_conversion_is_printed_as_it_is) {
  EXPECT_EQ(format("%y %", Arguments()), "%y %");
  EXPECT_EQ(format("%n", Arguments()), "%n");
}

TEST(PrintfFormat, arguments_past_the_32nd_are_ignored) {
  std::string text, expected;
  Arguments arguments;
  for (unsigned i = 0; i < 34; ++i) {
    text += "%d,";
    expected += i < 32 ? std::to_string(i) + "," : "%d,";
    arguments.word(i);
  }
  const auto result = format_printf(text, arguments.source());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, expected);
  EXPECT_EQ(result->arguments, 32);
}

TEST(PrintfFormat, an_unreadable_argument_or_string_ends_it) {
  EXPECT_FALSE(format_printf("%d", Arguments().source()));
  EXPECT_FALSE(format_printf("%s", Arguments().wide(0x2000).source()));
}

TEST(PrintfFormat, a_32_bit_program_has_32_bit_pointers_and_longs) {
  Arguments arguments;
  arguments.word(0x1000).word(-1u);
  PrintfSource source = arguments.source();
  source.pointer_bytes = source.long_bytes = 4;
  EXPECT_EQ(format_printf("%s %ld", source)->text, "loom -1");
}

}  // namespace
}  // namespace heddle::exec
