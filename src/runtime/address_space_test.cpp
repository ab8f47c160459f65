#include "runtime/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/memory.h"

namespace heddle::runtime {
namespace {

char* at(uint64_t address) { return reinterpret_cast<char*>(address); }

class AddressSpaces : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto made = AddressSpace::reserve(uint64_t{1} << 40, false, GetParam());
    ASSERT_TRUE(made.ok());
    space_ = std::move(*made);
  }
  std::unique_ptr<AddressSpace> space_;
};
INSTANTIATE_TEST_SUITE_P(, AddressSpaces, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Scarce" : "Reserved"; });

TEST_P(AddressSpaces, PiecesAreZerosWithNothingOnBothSides) {
  for (const Region region : {Region::high, Region::low}) {
    const auto first = space_->map(3 * AddressSpace::page_bytes, 0, region);
    const auto second = space_->map(AddressSpace::page_bytes, 0, region);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_TRUE(space_->contains(first->begin) && space_->contains(second->begin));
    for (const Mapping& one : {*first, *second}) {
      if (region == Region::low) EXPECT_LE(one.end(), uint64_t{1} << 32);
      for (uint64_t i = 0; i < one.bytes; ++i) ASSERT_EQ(at(one.begin)[i], 0);
      std::memset(at(one.begin), 1, one.bytes);
      for (const uint64_t beside : {one.begin - 1, one.end()}) {
        // A system call that would write there says whether it could.
        EXPECT_EQ(syscall(SYS_getcwd, at(beside / 4096 * 4096), 4096), -1);
        EXPECT_EQ(errno, EFAULT);
      }
    }
    space_->unmap(*first);
    const auto again = space_->map(3 * AddressSpace::page_bytes, 0, region);
    ASSERT_TRUE(again.ok());
    for (uint64_t i = 0; i < again->bytes; ++i) ASSERT_EQ(at(again->begin)[i], 0);
    space_->unmap(*again);
    space_->unmap(*second);
  }
}

TEST_P(AddressSpaces, ASizeThatCannotBeIsAnError) {
  EXPECT_EQ(space_->map(uint64_t{1} << 46, 0, Region::high).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(space_->map(uint64_t{5} << 30, 0, Region::low).error().code, ErrorCode::out_of_memory);
}

TEST(ScarceAddresses, CostWhatIsInUse) {
  const auto space = AddressSpace::reserve(uint64_t{1} << 40, false, true);
  ASSERT_TRUE(space.ok());
  const auto piece = (*space)->map(AddressSpace::page_bytes, 0, Region::high);
  ASSERT_TRUE(piece.ok());
  EXPECT_TRUE(is_mapped(piece->begin, 1));
  EXPECT_FALSE(is_mapped(piece->end(), 1));
  (*space)->unmap(*piece);
  EXPECT_FALSE(is_mapped(piece->begin, 1));
  EXPECT_FALSE((*space)->contains(piece->begin));
}

TEST(ScarceAddresses, WhatSomebodyElseHasStaysHis) {
  const auto space = AddressSpace::reserve(uint64_t{1} << 40, false, true);
  ASSERT_TRUE(space.ok());
  const auto piece = (*space)->map(AddressSpace::page_bytes, 0, Region::high);
  ASSERT_TRUE(piece.ok());
  (*space)->unmap(*piece);
  // Another library's, where the next piece would lie.
  void* const others = mmap(at(piece->begin), 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(others, at(piece->begin));
  std::memset(others, 7, 4096);
  const auto next = (*space)->map(AddressSpace::page_bytes, 0, Region::high);
  ASSERT_TRUE(next.ok());
  std::memset(at(next->begin), 1, next->bytes);
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(static_cast<char*>(others)[i], 7);
  EXPECT_FALSE((*space)->contains(piece->begin));
  munmap(others, 4096);
}

}  // namespace
}  // namespace heddle::runtime
