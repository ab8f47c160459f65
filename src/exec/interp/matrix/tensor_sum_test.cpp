// The rows of columns that are computed side by side against one sum at a time, which is what stands in
// tests/hw/h200/tensor.
#include "exec/interp/matrix/tensor_sum.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::exec::interp {
namespace {

class TensorRows : public testing::TestWithParam<isa::Type> {
 protected:
  // Of all magnitudes, mostly near others; some are zeros of both signs, subnormals, and numbers that cancel.
  double any(const ElementType& type, bool specials) {
    const auto random = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
    if (specials && random(40) == 0)
      return random(3) == 0 ? std::nan("") : random(2) == 0 ? HUGE_VAL : -HUGE_VAL;
    if (random(6) == 0) return random(2) == 0 ? 0.0 : -0.0;
    if (random(8) == 0) return random(2) == 0 ? 1.5 : -1.5;
    const int span = type.bits == 8 ? 8 : type.bits == 16 && type.type != isa::Type::bf16 ? 20 : 60;
    const double fraction = 1 + random(1 << 10) / double{1 << 10};
    return std::ldexp(random(2) == 0 ? fraction : -fraction, random(span) - span * 2 / 3);
  }
  void compare(bool specials) {
    const ElementType type = element_type(GetParam()), sum_type = element_type(isa::Type::f32);
    const SumRule rule = sum_rule_of(type);
    for (const int columns : {8, 24, 64, 72, 256}) {
      const int k = 16;
      Matrix<double> b(k, columns);
      for (double& value : b.values) value = any(type, specials);
      Columns all(type, b);
      for (int row = 0; row < 8; ++row) {
        std::vector<Stored> terms;
        for (int i = 0; i < k; ++i)
          if (row % 2 == 0 || i % 3 != 0) {
            const double value = any(type, specials);
            terms.push_back({value, stored_exponent(type, value), i});
          }
        std::vector<double> sums;
        for (int i = 0; i < columns; ++i) sums.push_back(static_cast<float>(any(sum_type, specials)));
        std::vector<double> expected;
        for (int column = 0; column < columns; ++column) {
          std::vector<Term> products;
          for (const Stored& one : terms) {
            const double factor = b.at(one.k, column);
            products.push_back({one.value * factor, one.exponent + stored_exponent(type, factor)});
          }
          const double c = sums[static_cast<std::size_t>(column)];
          expected.push_back(tensor_sum({c, stored_exponent(sum_type, c)}, products, rule.term_bits));
        }
        all.add_products(sum_type, terms, rule.term_bits, sums);
        for (std::size_t i = 0; i < sums.size(); ++i)
          ASSERT_TRUE(std::bit_cast<uint64_t>(sums[i]) == std::bit_cast<uint64_t>(expected[i]) ||
                      (std::isnan(sums[i]) && std::isnan(expected[i])))
              << columns << " columns, row " << row << ", column " << i << ": " << sums[i] << " for "
              << expected[i];
      }
    }
  }
  std::mt19937 engine{42};
};

TEST_P(TensorRows, AreTheSumsOfEachColumn) { compare(false); }
TEST_P(TensorRows, WithNumbersThatAreNone) { compare(true); }

INSTANTIATE_TEST_SUITE_P(, TensorRows,
                         testing::Values(isa::Type::f16, isa::Type::bf16, isa::Type::tf32, isa::Type::e4m3),
                         [](const auto& test) { return std::string(isa::info(test.param).name); });

}  // namespace
}  // namespace heddle::exec::interp
