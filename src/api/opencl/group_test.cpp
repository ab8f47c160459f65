// The choice of work-groups as a table, and what holds for every answer.
#include "api/opencl/group.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::opencl {

namespace {

using Three = std::array<size_t, 3>;

constexpr Three of_2_0{1024, 1024, 64}, of_1_x{512, 512, 64};

struct Row {
  const char* what;
  Three global, local;
  size_t most = 1024;
  bool may_be_non_uniform = false;
  Three limits = of_2_0;
};

TEST(Group, IsOfWholeWarpsAndRowsOfVectors) {
  const Row rows[] = {
      {"one work-item", {1, 1, 1}, {1, 1, 1}},
      // Lines: the most whole warps up to 256.
      {"a power of two", {1 << 20, 1, 1}, {256, 1, 1}},
      {"a million: 2^6 * 5^6", {1000000, 1, 1}, {160, 1, 1}},
      {"a line along z", {1, 1, 1 << 20}, {1, 1, 64}},
      {"fewer than a warp", {7, 1, 1}, {7, 1, 1}},
      {"of a size that is prime, in one piece", {1009, 1, 1}, {1009, 1, 1}},
      {"without whole warps: 250 is the largest part up to 256", {1000, 1, 1}, {250, 1, 1}},
      {"a longer one: parts of 1000 are 64 and more", {125000, 1, 1}, {1000, 1, 1}},
      {"too long a prime has no parts", {100003, 1, 1}, {1, 1, 1}},
      {"but may have smaller groups at its end", {100003, 1, 1}, {256, 1, 1}, 1024, true},
      {"a short one is shared by more groups", {1024, 1, 1}, {64, 1, 1}},
      // Planes whose rows are whole vectors: 16 x 16, or what the rows allow.
      {"a square", {1024, 1024, 1}, {16, 16, 1}},
      {"the same without x", {1, 1024, 1024}, {1, 16, 16}},
      {"four rows", {4096, 4, 1}, {64, 4, 1}},
      {"an odd number of rows", {4096, 1009, 1}, {256, 1, 1}},
      {"twice an odd number", {1024, 1010, 1}, {128, 2, 1}},
      {"rows of 48", {48, 1024, 1}, {16, 16, 1}},
      {"a small one is shared by more groups", {64, 64, 1}, {16, 4, 1}},
      // Planes with other rows: long rows whole, of short ones as many as are whole warps.
      {"a plane of a thousand", {1000, 1000, 1}, {1000, 1, 1}},
      {"a plane of primes", {1009, 1009, 1}, {1009, 1, 1}},
      {"the same where 512 are the most", {1009, 1024, 1}, {1, 256, 1}, 512, false, of_1_x},
      {"rows of 4", {4, 1024, 1}, {4, 16, 1}},
      {"many rows of 4", {4, 65536, 1}, {4, 64, 1}},
      {"rows of 20: 8 of them are 5 warps", {20, 16384, 1}, {20, 8, 1}},
      {"rows of 40: 4 of them are 5 warps", {40, 8192, 1}, {40, 4, 1}},
      {"no number of rows of 37 is whole warps", {37, 53, 1}, {37, 1, 1}},
      {"rows of 7, of which 25 divide 100", {7, 100, 1}, {7, 25, 1}},
      {"rows of 1, which are along y", {1, 1000, 1}, {1, 250, 1}},
      {"rows that have no parts", {2003, 1024, 1}, {1, 256, 1}},
      {"the same where they need none", {2003, 1024, 1}, {16, 16, 1}, 1024, true},
      {"nor the columns", {2003, 2003, 1}, {16, 16, 1}, 1024, true},
      {"one launch is better than four", {1009, 1009, 1}, {1009, 1, 1}, 1024, true},
      // Volumes are planes, until groups were too small.
      {"a cube", {64, 64, 64}, {16, 16, 1}},
      {"a cube of a hundred", {100, 100, 100}, {100, 1, 1}},
      {"a long box", {4, 4, 4096}, {4, 4, 16}},
      // Kernels that allow fewer, by their attributes, registers or local memory.
      {"half", {1024, 1024, 1}, {16, 8, 1}, 128},
      {"two thirds", {1024, 1024, 1}, {16, 8, 1}, 192},
      {"two thirds of a line", {192 * 64, 1, 1}, {192, 1, 1}, 192},
      {"a warp", {1024, 1024, 1}, {16, 2, 1}, 32},
      {"less than a vector", {1024, 1024, 1}, {8, 1, 1}, 8},
      {"one", {1024, 1024, 8}, {1, 1, 1}, 1},
      {"a line of a device of before", {1 << 20, 1, 1}, {256, 1, 1}, 512, false, of_1_x},
      // As large as sizes can be.
      {"a huge line", {size_t{1} << 63, 1, 1}, {256, 1, 1}},
      {"a huge cube", {size_t{1} << 63, size_t{1} << 63, size_t{1} << 63}, {16, 16, 1}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(chosen_group({row.global, row.limits, row.most, row.may_be_non_uniform}), row.local)
        << row.what;
}

TEST(Group, KeepsTheRules) {
  std::mt19937_64 random(1);
  const auto upto = [&](size_t most) { return std::uniform_int_distribution<size_t>(1, most)(random); };
  for (int i = 0; i < 20000; ++i) {
    GroupQuestion question;
    question.limits = {upto(1024), upto(1024), upto(64)};
    question.most = upto(1024);
    question.may_be_non_uniform = i % 2 == 0;
    for (size_t& size : question.global) size = upto(size_t{1} << upto(14));
    const Three local = chosen_group(question);
    size_t items = 1;
    for (size_t d = 0; d < 3; ++d) {
      ASSERT_GE(local[d], 1u);
      ASSERT_LE(local[d], question.limits[d]);
      ASSERT_LE(local[d], question.global[d]);
      if (!question.may_be_non_uniform) {
        ASSERT_EQ(question.global[d] % local[d], 0u);
      }
      items *= local[d];
    }
    ASSERT_LE(items, question.most);
  }
}

}  // namespace
}  // namespace heddle::opencl
