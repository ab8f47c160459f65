#include "module/literal.h"

#include <gtest/gtest.h>

#include <bit>

namespace heddle::module {
namespace {

uint64_t bits(Literal kind, uint64_t value, isa::Type type) {
  return literal_bits(kind, value, isa::info(type)).value_or(0xdead);
}
uint64_t number(double value) { return std::bit_cast<uint64_t>(value); }

TEST(Literal, IntegersLoseWhatIsTooWide) {
  EXPECT_EQ(bits(Literal::integer, 0x12345, isa::Type::u16), 0x2345u);
  EXPECT_EQ(bits(Literal::integer, ~uint64_t{0}, isa::Type::s32), 0xffffffffu);
  EXPECT_EQ(bits(Literal::integer, ~uint64_t{0}, isa::Type::b64), ~uint64_t{0});
  EXPECT_EQ(bits(Literal::integer, 300, isa::Type::u8), 44u);
  EXPECT_EQ(bits(Literal::integer, 2, isa::Type::pred), 1u);
  EXPECT_EQ(bits(Literal::integer, 0x3c003c00, isa::Type::f16x2), 0x3c003c00u);
}

TEST(Literal, NumbersAreRoundedToTheType) {
  EXPECT_EQ(bits(Literal::number, number(1.5), isa::Type::f32), 0x3fc00000u);
  EXPECT_EQ(bits(Literal::number, number(1.5), isa::Type::b32), 0x3fc00000u);
  EXPECT_EQ(bits(Literal::number, number(1.5), isa::Type::b64), 0x3ff8000000000000u);
  EXPECT_EQ(bits(Literal::number, number(0.1), isa::Type::f32), 0x3dcccccdu);
  EXPECT_EQ(bits(Literal::number, number(3.4028236e38), isa::Type::f32), 0x7f800000u);  // past the middle
  EXPECT_EQ(bits(Literal::number, number(1e-46), isa::Type::f32), 0u);
}

TEST(Literal, ADemotedDoubleIsASingleInTheLowerHalf) {
  EXPECT_EQ(literal_bits(Literal::number, number(1.0), isa::info(isa::Type::f64), true), 0x3f80'0000u);
  EXPECT_EQ(literal_bits(Literal::number, number(1.0), isa::info(isa::Type::b64), true), number(1.0));
}

TEST(Literal, ASingleKeepsItsBits) {
  EXPECT_EQ(bits(Literal::single, 0x3f800000, isa::Type::f32), 0x3f800000u);
  EXPECT_EQ(bits(Literal::single, 0x3f800000, isa::Type::b32), 0x3f800000u);
  EXPECT_EQ(bits(Literal::single, 0x3f800000, isa::Type::f64), 0x3f800000u);
}

TEST(Literal, WhatATypeCannotTakeIsNothing) {
  EXPECT_FALSE(literal_bits(Literal::integer, 1, isa::info(isa::Type::f32)));
  EXPECT_FALSE(literal_bits(Literal::number, number(1.0), isa::info(isa::Type::f16)));
  EXPECT_FALSE(literal_bits(Literal::single, 0, isa::info(isa::Type::u16)));
}

}  // namespace
}  // namespace heddle::module
