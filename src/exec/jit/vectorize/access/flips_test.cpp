#include "exec/jit/vectorize/access/flips.h"

#include <gtest/gtest.h>

#include <tuple>

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"

namespace heddle::exec::jit {
namespace {

using Sizes = std::tuple<unsigned, unsigned>;  // lanes, bits of an element

class FlipsOfAVector : public ::testing::TestWithParam<Sizes> {
 protected:
  llvm::LLVMContext context_;
  llvm::IRBuilder<> builder_{context_};

  llvm::Constant* numbers(unsigned lanes, llvm::Type* type) const {
    llvm::SmallVector<llvm::Constant*, 16> all;
    for (unsigned lane = 0; lane < lanes; ++lane) all.push_back(llvm::ConstantInt::get(type, 3 * lane + 1));
    return llvm::ConstantVector::get(all);
  }
};

// What is made of constants by operations that every host has is constants.
TEST_P(FlipsOfAVector, EveryLaneHasItsPartnersValue) {
  const auto [lanes, bits] = GetParam();
  llvm::Type* type = llvm::Type::getIntNTy(context_, bits);
  for (unsigned flip = 0; flip < lanes; ++flip) {
    const Flips flips(builder_, VectorLevel::v2, lanes, builder_.getInt64(flip));
    auto* moved = llvm::dyn_cast<llvm::Constant>(flips.of(numbers(lanes, type)));
    ASSERT_NE(moved, nullptr);
    for (unsigned lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(llvm::cast<llvm::ConstantInt>(moved->getAggregateElement(lane))->getZExtValue(),
                3 * (lane ^ flip) + 1)
          << flip << ", " << lane;
  }
}

TEST_P(FlipsOfAVector, AMaskMovesAsItsLanesDo) {
  const unsigned lanes = std::get<0>(GetParam());
  llvm::SmallVector<llvm::Constant*, 16> odd;
  for (unsigned lane = 0; lane < lanes; ++lane) odd.push_back(builder_.getInt1(lane % 2 != 0));
  const Flips flips(builder_, VectorLevel::v2, lanes, builder_.getInt32(1));
  auto* even = llvm::dyn_cast<llvm::Constant>(flips.of_mask(llvm::ConstantVector::get(odd)));
  ASSERT_NE(even, nullptr);
  for (unsigned lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(even->getAggregateElement(lane)->isOneValue(), lane % 2 == 0) << lane;
}

INSTANTIATE_TEST_SUITE_P(Sizes, FlipsOfAVector,
                         ::testing::Combine(::testing::Values(4, 8, 16), ::testing::Values(8, 16, 32, 64)));

}  // namespace
}  // namespace heddle::exec::jit
