#include "exec/jit/vectorize/access/transpose.h"

#include <gtest/gtest.h>

#include <tuple>

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"

namespace heddle::exec::jit {
namespace {

using Sizes = std::tuple<unsigned, unsigned, unsigned>;  // rows, columns, bits of an element

class Transposes : public ::testing::TestWithParam<Sizes> {};

// Shuffles of constants are constants.
TEST_P(Transposes, EveryElementIsWhereRowAndColumnHaveChangedPlaces) {
  const auto [rows, columns, bits] = GetParam();
  llvm::LLVMContext context;
  llvm::IRBuilder<> builder(context);
  llvm::Type* type = llvm::Type::getIntNTy(context, bits);
  llvm::SmallVector<llvm::Value*, 16> matrix;
  for (unsigned row = 0; row < rows; ++row) {
    llvm::SmallVector<llvm::Constant*, 16> elements;
    for (unsigned column = 0; column < columns; ++column)
      elements.push_back(
          llvm::ConstantInt::get(type, (row * columns + column) & ((uint64_t{1} << (bits - 1)) - 1)));
    matrix.push_back(llvm::ConstantVector::get(elements));
  }
  const auto turned = transpose(builder, matrix);
  ASSERT_EQ(turned.size(), columns);
  for (unsigned column = 0; column < columns; ++column) {
    ASSERT_EQ(llvm::cast<llvm::FixedVectorType>(turned[column]->getType())->getNumElements(), rows);
    for (unsigned row = 0; row < rows; ++row) {
      const auto* element = llvm::cast<llvm::Constant>(turned[column])->getAggregateElement(row);
      EXPECT_EQ(llvm::cast<llvm::ConstantInt>(element)->getZExtValue(),
                (row * columns + column) & ((uint64_t{1} << (bits - 1)) - 1))
          << row << ", " << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Transposes,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8, 16, 32),
                                            ::testing::Values(2, 4, 8, 16),
                                            ::testing::Values(8, 16, 32, 64)));

}  // namespace
}  // namespace heddle::exec::jit
