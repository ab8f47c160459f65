// Sums of the products of single warps (mma, wmma) as the tensor cores of compute capability 9.0 make them
// (tests/hw/h200/tensor); other capabilities are not recorded and have the same here.
//
// - f16, bf16 and tf32: C and all products along k as tensor_sum.h has it, for results of f32 and of f16. Of
//   wmma, tf32 go four by four along k, each sum beginning with the one before.
// - e4m3 and e5m2 have no such instruction in that hardware: they become f16, and elements two by two along k
//   (as they are stored) go to a first product, which begins with 0, and a second one; C is added to that,
//   rounded to nearest.
// - Elements of A that a sparse matrix does not store have no product: an infinity beside them does not
// count.
// - All others: exactly, rounded once (product.h).
#pragma once

#include <vector>

#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/tensor_sum.h"

namespace heddle::exec::interp {

enum class Sums : uint8_t { exact, whole, fours, pairs };

inline Sums sums_of(const ElementType& a, bool in_bytes, bool scaled) {
  using isa::Type;
  if (a.type == Type::f16 || a.type == Type::bf16 || a.type == Type::tf32) return Sums::whole;
  const bool small = a.type == Type::e4m3 || a.type == Type::e5m2;
  return small && !in_bytes && !scaled ? Sums::pairs : Sums::exact;
}

// What an f32 or f16 register keeps of a sum.
inline double kept(const ElementType& d, double sum, int result_bits) {
  if (std::isnan(sum) || std::isinf(sum)) return sum;
  return d.bits == 16 ? from_f16(to_f16(sum))
                      : static_cast<double>(static_cast<float>(cut_to(sum, result_bits)));
}

inline void add_warp_products(Sums sums, const ElementType& a_type, const ElementType& b_type,
                              const ElementType& c_type, const ElementType& d_type, Matrix<double>& a,
                              Matrix<double>& b, Matrix<double>& c, Matrix<double>* stored = nullptr) {
  if (sums == Sums::exact) return multiply_add(a, b, c);
  const int period = stored != nullptr ? 8 : 4;  // of pairs, along k
  constexpr SumRule rule{25, 23};
  const ElementType half = element_type(isa::Type::f16);
  const ElementType& left = sums == Sums::pairs ? half : a_type;
  const ElementType& right = sums == Sums::pairs ? half : b_type;
  if (sums == Sums::whole) {
    Columns columns(right, b);
    std::vector<Stored> terms;
    for (int row = 0; row < c.rows; ++row) {
      terms.clear();
      for (int k = 0; k < a.columns; ++k)
        if (stored == nullptr || stored->at(row, k) != 0)
          terms.push_back({a.at(row, k), stored_exponent(left, a.at(row, k)), k});
      columns.add_products(c_type, terms, rule.term_bits, row_of(c, row));
      if (d_type.bits == 16) continue;
      for (double& sum : row_of(c, row)) sum = kept(d_type, sum, rule.result_bits);
    }
    return;
  }
  std::vector<int> exponents(b.values.size());
  for (std::size_t i = 0; i < exponents.size(); ++i) exponents[i] = stored_exponent(right, b.values[i]);
  std::vector<int> of_row(static_cast<std::size_t>(a.columns));
  std::vector<Term> products;
  for (int row = 0; row < c.rows; ++row) {
    for (int k = 0; k < a.columns; ++k)
      of_row[static_cast<std::size_t>(k)] = stored_exponent(left, a.at(row, k));
    for (int column = 0; column < c.columns; ++column) {
      const auto sum_of = [&](Term first, auto&& takes) {
        products.clear();
        for (int k = 0; k < a.columns; ++k) {
          if (!takes(k) || (stored != nullptr && stored->at(row, k) == 0)) continue;
          const auto at = static_cast<std::size_t>(k) * static_cast<std::size_t>(b.columns) +
                          static_cast<std::size_t>(column);
          products.push_back(
              {a.at(row, k) * b.values[at], of_row[static_cast<std::size_t>(k)] + exponents[at]});
        }
        return tensor_sum(first, products, rule.term_bits);
      };
      double& sum = c.at(row, column);
      if (sums == Sums::fours) {
        for (int step = 0; step < a.columns; step += 4)
          sum = kept(d_type,
                     sum_of({sum, stored_exponent(step == 0 ? c_type : d_type, sum)},
                            [step](int k) { return k >= step && k < step + 4; }),
                     rule.result_bits);
        continue;
      }
      const auto in_first = [period](int k) { return k % period < period / 2; };
      const double first = kept(d_type, sum_of({0, 0}, in_first), rule.result_bits);
      const double both =
          kept(d_type, sum_of({first, stored_exponent(d_type, first)}, [&](int k) { return !in_first(k); }),
               rule.result_bits);
      sum = d_type.bits == 16 ? both + sum
                              : static_cast<double>(static_cast<float>(both) + static_cast<float>(sum));
    }
  }
}

}  // namespace heddle::exec::interp
