#include "exec/jit/abi/processor.h"

#include <gtest/gtest.h>

#include "exec/jit/abi/host.h"

namespace heddle::exec::jit {
namespace {

bool has(const Host& host, std::string_view feature) {
  return ("," + host.features + ",").find(",+" + std::string(feature) + ",") != std::string::npos;
}

TEST(Processor, HasTheLevelThatLlvmFindsFeaturesFor) {
  const auto processor = find_processor(nullptr);
  ASSERT_TRUE(processor) << processor.error();
  EXPECT_FALSE(processor->forced);
  const auto host = find_host(nullptr);
  ASSERT_TRUE(host) << host.error();
  const bool avx2 = has(*host, "avx2") && has(*host, "bmi") && has(*host, "bmi2") && has(*host, "f16c") &&
                    has(*host, "fma") && has(*host, "lzcnt") && has(*host, "movbe");
  const bool avx512 = avx2 && has(*host, "avx512f") && has(*host, "avx512bw") && has(*host, "avx512cd") &&
                      has(*host, "avx512dq") && has(*host, "avx512vl");
  EXPECT_EQ(processor->level, avx512 ? VectorLevel::avx512 : avx2 ? VectorLevel::avx2 : VectorLevel::v2);
}

TEST(Processor, IsTheSameEachTimeAndAnotherOneWhereALevelIsForced) {
  const auto own = find_processor(""), again = find_processor(nullptr), least = find_processor("x86-64-v2");
  ASSERT_TRUE(own && again && least);
  EXPECT_EQ(own->identity, again->identity);
  EXPECT_NE(own->identity, least->identity);
  EXPECT_EQ(least->identity, "x86-64-v2");
}

}  // namespace
}  // namespace heddle::exec::jit
