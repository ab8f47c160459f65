// Encodings as an assembler makes them.
#include "exec/jit/launch/x86_operand.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::exec::jit {
namespace {

std::optional<MemoryOperand> decode(std::vector<uint8_t> code) {
  uint64_t registers[16];
  for (uint64_t i = 0; i < 16; ++i) registers[i] = (i + 1) * 0x1'0000'0000;
  return memory_operand(std::as_bytes(std::span(code)), registers);
}
constexpr uint64_t reg(unsigned number) { return (uint64_t{number} + 1) * 0x1'0000'0000; }
enum : unsigned { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

void expect_address(const std::vector<uint8_t>& code, uint64_t address) {
  const auto operand = decode(code);
  ASSERT_TRUE(operand);
  EXPECT_EQ(operand->address, address);
  EXPECT_EQ(operand->mask, 0);
}

TEST(x86_operand, of_general_instructions) {
  expect_address({0x8b, 0x08}, reg(rax));                                 // movl (%rax), %ecx
  expect_address({0x8b, 0x4c, 0x9c, 0x08}, reg(rsp) + 4 * reg(rbx) + 8);  // movl 8(%rsp,%rbx,4), %ecx
  expect_address({0x41, 0x0f, 0x10, 0x4d, 0xf0}, reg(r13) - 16);          // movups -16(%r13), %xmm1
  expect_address({0xf0, 0x43, 0x01, 0x84, 0xcc, 0x45, 0x23, 0x01, 0x00},  // lock addl
                 reg(r12) + 8 * reg(r9) + 0x12345);                       // %eax, 0x12345(%r12,%r9,8)
  expect_address({0x48, 0x0f, 0xc7, 0x4e, 0x10}, reg(rsi) + 16);          // cmpxchg16b 16(%rsi)
  expect_address({0x41, 0x0f, 0xb6, 0x03}, reg(r11));                     // movzbl (%r11), %eax
}

TEST(x86_operand, of_vex_instructions) {
  expect_address({0xc5, 0xfc, 0x10, 0x5a, 0x20}, reg(rdx) + 32);  // vmovups 32(%rdx), %ymm3
  expect_address({0xc4, 0x01, 0x7c, 0x10, 0x14, 0xb8},
                 reg(r8) + 4 * reg(r15));  // vmovups (%r8,%r15,4), %ymm10
}

TEST(x86_operand, of_evex_instructions_with_their_compressed_displacement) {
  expect_address({0x62, 0xe1, 0x7c, 0x48, 0x10, 0x4f, 0x01}, reg(rdi) + 64);  // vmovups 64(%rdi), %zmm17
  expect_address({0x62, 0xf2, 0x7d, 0x48, 0x31, 0x57, 0x01}, reg(rdi) + 16);  // vpmovzxbd 16(%rdi), %zmm2
  expect_address({0x62, 0xf1, 0x74, 0x58, 0x58, 0x50, 0x01}, reg(rax) + 4);   // vaddps 4(%rax){1to16}, ...
  expect_address({0x62, 0xe1, 0x7e, 0x08, 0x10, 0x4d, 0x01}, reg(rbp) + 4);   // vmovss 4(%rbp), %xmm17
  expect_address({0x62, 0xe2, 0x75, 0x00, 0xb9, 0x55, 0x03}, reg(rbp) + 12);  // vfmadd231ss 12(%rbp), ...
  expect_address({0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x0c, 0xc5, 0x40, 0, 0, 0},   // vmovdqa64 64(,%rax,8), %zmm1
                 8 * reg(rax) + 64);
}

TEST(x86_operand, masks_and_what_their_bits_stand_for) {
  auto operand =
      decode({0x62, 0xf1, 0x7c, 0x4b, 0x10, 0x4c, 0x4f, 0xfe});  // vmovups -128(%rdi,%rcx,2), %zmm1{%k3}
  ASSERT_TRUE(operand);
  EXPECT_EQ(operand->address, reg(rdi) + 2 * reg(rcx) - 128);
  EXPECT_EQ(operand->mask, 3);
  EXPECT_EQ(operand->mask_unit, 4);
  operand = decode({0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x56, 0x01});  // vmovdqu8 %zmm2, 64(%rsi){%k1}
  ASSERT_TRUE(operand);
  EXPECT_EQ(operand->address, reg(rsi) + 64);
  EXPECT_EQ(operand->mask_unit, 1);
  operand = decode({0x62, 0xd2, 0x7e, 0x4a, 0x31, 0x59, 0x02});  // vpmovdb %zmm3, 32(%r9){%k2}
  ASSERT_TRUE(operand);
  EXPECT_EQ(operand->address, reg(r9) + 32);
  EXPECT_EQ(operand->mask, 2);
  EXPECT_EQ(operand->mask_unit, 1);
}

TEST(x86_operand, one_element_for_all_lanes) {
  EXPECT_TRUE(decode({0x62, 0xf1, 0x74, 0x58, 0x58, 0x50, 0x01})->broadcast);   // vaddps 4(%rax){1to16}, ...
  EXPECT_FALSE(decode({0x62, 0xe1, 0x7c, 0x48, 0x10, 0x4f, 0x01})->broadcast);  // vmovups 64(%rdi), %zmm17
  EXPECT_TRUE(decode({0xc4, 0xe2, 0x7d, 0x18, 0x00})->broadcast);               // vbroadcastss (%rax), %ymm0
}

TEST(x86_operand, nothing_where_there_is_no_address_to_know) {
  EXPECT_FALSE(decode({0x8b, 0x05, 0x10, 0, 0, 0}));                 // movl 16(%rip), %eax
  EXPECT_FALSE(decode({0x62, 0xf2, 0x7d, 0x49, 0x92, 0x14, 0x88}));  // vgatherdps (%rax,%zmm1,4), %zmm2{%k1}
  EXPECT_FALSE(decode({0x01, 0xc8}));                                // addl %ecx, %eax
  EXPECT_FALSE(decode({0x64, 0x8b, 0x00}));                          // movl %fs:(%rax), %eax
  EXPECT_FALSE(decode({0x62, 0xf1}));
  EXPECT_FALSE(decode({}));
}

}  // namespace
}  // namespace heddle::exec::jit
