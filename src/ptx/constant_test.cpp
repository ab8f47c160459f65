// Expected values come from table 5 of PTX ISA 4.5.5 and C's precedence.
#include "ptx/constant.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace heddle::ptx {
namespace {

using Kind = Constant::Kind;

struct Outcome {
  std::optional<Constant> value;
  std::string error;
  Tok next = Tok::end;
};

Outcome read(std::string text) {
  const SourceText source("t.ptx", std::move(text));
  Diagnostics diagnostics;
  Reader reader(source, diagnostics);
  Outcome out;
  out.value = read_constant(reader);
  out.next = reader.token().kind;
  if (diagnostics.has_errors()) out.error = diagnostics.all()[0].message;
  return out;
}

void expect(std::string text, Kind kind, uint64_t bits) {
  const Outcome out = read(text);
  ASSERT_TRUE(out.value.has_value()) << text << ": " << out.error;
  EXPECT_EQ(out.value->kind, kind) << text;
  EXPECT_EQ(out.value->bits, bits) << text;
  EXPECT_EQ(out.next, Tok::end) << text;
}
void expect_signed(std::string text, int64_t value) {
  expect(std::move(text), Kind::s64, static_cast<uint64_t>(value));
}
void expect_real(std::string text, double value) {
  expect(std::move(text), Kind::f64, std::bit_cast<uint64_t>(value));
}

TEST(Constant, PrecedenceIsThatOfC) {
  expect_signed("1+2*3", 7);
  expect_signed("(1+2)*3", 9);
  expect_signed("10-4-3", 3);
  expect_signed("1<<2+1", 8);
  expect_signed("1 < 2 == 1", 1);
  expect("6&3==3", Kind::u64, 0);  // == binds tighter: 6 & 1
  expect("1|2^3&1", Kind::u64, 3);
  expect_signed("0 && 1 || 1", 1);
  expect_signed("1 ? 2 : 0 ? 3 : 4", 2);
  expect_signed("0 ? 2 : 0 ? 3 : 4", 4);
  expect_signed("- -3", 3);
  expect_signed("-2*3", -6);
  expect_signed("!0 + 1", 2);
}

TEST(Constant, LiteralsAndUnaryOperators) {
  expect_signed("WARP_SZ*4", 128);
  expect_signed("-5", -5);
  expect_signed("+5", 5);
  expect("-5U", Kind::u64, static_cast<uint64_t>(-5));
  expect("~0", Kind::u64, UINT64_MAX);
  expect_signed("!7", 0);
  expect_signed("!0U", 1);
  expect_real("-1.5", -1.5);
}

TEST(Constant, UsualConversionsMakeBothUnsigned) {
  expect_signed("7/-2", -3);
  expect("7U/2", Kind::u64, 3);
  expect("-1/2U", Kind::u64, UINT64_MAX / 2);
  expect_signed("-1 < 0", 1);
  expect_signed("-1 < 0U", 0);
  expect_signed("-1 == 0xFFFFFFFFFFFFFFFF", 1);
  expect_signed("(.s64)0xFFFFFFFFFFFFFFFF < 0", 1);
  expect("(.u64)-1", Kind::u64, UINT64_MAX);
  expect("1 ? 2 : 3U", Kind::u64, 2);
}

TEST(Constant, ModuloTakesUnsignedOperandsAndGivesASignedResult) {
  expect_signed("7 % 4", 3);
  expect_signed("-1 % 16", 15);
  expect_signed("5%3", 2);  // %3 could be a name
}

TEST(Constant, ShiftsKeepTheTypeOfTheFirstOperand) {
  expect_signed("1 << 4U", 16);
  expect_signed("-8 >> 1", -4);
  expect("-8U >> 1", Kind::u64, (UINT64_MAX - 7) >> 1);
  expect_signed("1 << 64", 0);
  expect_signed("-1 >> 200", -1);
  expect_signed("-5 >> 0", -5);
}

TEST(Constant, BitwiseResultsAreUnsignedLogicalOnesSigned) {
  expect("6 & 3", Kind::u64, 2);
  expect("6 ^ 3", Kind::u64, 5);
  expect("6 | 3", Kind::u64, 7);
  expect_signed("5 && 0", 0);
  expect_signed("0 || 9", 1);
}

TEST(Constant, FloatingPoint) {
  expect_real("1.0+2.5*2.0", 6.0);
  expect_real("1.0/4.0", 0.25);
  expect_signed("1.0 < 2.0", 1);
  expect_signed("1.0 != 1.0", 0);
  expect_real("1 ? 1.0 : 2.0", 1.0);
}

TEST(Constant, OverflowWraps) {
  expect_signed("9223372036854775807 + 1", INT64_MIN);
  expect_signed("(.s64)0x8000000000000000 / -1", INT64_MIN);
}

TEST(Constant, WhatIsNoConstantExpressionIsSaid) {
  EXPECT_EQ(read("5/0").error, "division by zero in a constant expression");
  EXPECT_EQ(read("5%0").error, "division by zero in a constant expression");
  EXPECT_EQ(read("1.0+1").error,
            "an integer and a floating-point number do not mix in a constant expression");
  EXPECT_EQ(read("1.0%2.0").error, "'%' takes integers only");
  EXPECT_EQ(read("~1.0").error, "'~' takes integers only");
  EXPECT_EQ(read("1.0?2:3").error, "the condition of '?:' must be an integer");
  EXPECT_EQ(read("(.f64)1").error, "only the casts (.s64) and (.u64) are constant expressions");
  EXPECT_EQ(read("(.s64)1.5").error, "only integers can be cast");
  EXPECT_EQ(read("0f3F800000+1").error,
            "0f constants are no part of constant expressions; write 0d or a decimal");
  EXPECT_EQ(read("(1+2").error, "expected ')' of the constant expression, found the end of the file");
  EXPECT_EQ(read("foo").error, "expected a constant, found 'foo'");
}

TEST(Constant, DepthIsBounded) {
  EXPECT_NE(read(std::string(100'000, '(')).error.find("nested too deeply"), std::string::npos);
  expect_signed(std::string(120, '(') + '1' + std::string(120, ')'), 1);
  EXPECT_NE(read(std::string(100'000, '-')).error.find("nested too deeply"), std::string::npos);
  std::string chain = "1";
  for (int i = 0; i < 100'000; ++i) chain += "?1:1";
  EXPECT_NE(read(chain).error.find("nested too deeply"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  expect_signed(sum, 100'001);
}

}  // namespace
}  // namespace heddle::ptx
