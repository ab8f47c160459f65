// Sums of products as the tensor cores of compute capability 9.0 make them for warpgroups
// (tests/hw/h200/tensor): C and the products of one instruction are brought to the largest exponent, cut to
// some bits behind it, and added exactly. A product's exponent is the sum of its factors' exponents, whatever
// its fraction.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "exec/interp/matrix/element.h"
#include "exec/interp/matrix/fragment.h"
#include "exec/interp/number/half.h"

namespace heddle::exec::interp {

// How many bits behind the leading one a term keeps, and an f32 result.
struct SumRule {
  int term_bits, result_bits;
};
inline SumRule sum_rule_of(const ElementType& e) { return e.bits == 8 ? SumRule{13, 13} : SumRule{25, 23}; }

// The exponent that stands in a number of the type: of subnormals the least one.
inline int stored_exponent(const ElementType& e, double value) {
  const int least = e.format != nullptr ? 1 - e.format->bias : -126;
  return value == 0 || !std::isfinite(value) ? least : std::max(std::ilogb(value), least);
}

struct Term {
  double value;
  int exponent;
};

inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// A finite value with `bits` behind its leading one, or the last bit of subnormal f32: cut.
inline double cut_to(double value, int bits) {
  if (value == 0) return value;
  const int last = std::max(std::ilogb(value) - bits, -149);
  return std::trunc(value * power_of_two(-last)) * power_of_two(last);
}

// The sum of `c` and the products; infinities and NaN as IEEE 754 has them. Not yet in the type of the
// result.
inline double tensor_sum(Term c, std::span<const Term> products, int term_bits) {
  constexpr int none = std::numeric_limits<int>::min();
  int most = c.value == 0 ? none : c.exponent;
  double special = 0;
  bool finite = std::isfinite(c.value);
  if (!finite) special = c.value;
  for (const Term& p : products) {
    if (p.value != 0) most = std::max(most, p.exponent);
    if (std::isfinite(p.value)) continue;
    special = finite ? p.value : special + p.value;
    finite = false;
  }
  if (!finite) return special;
  if (most == none) return 0;
  const double scale = power_of_two(term_bits - most);
  auto sum = static_cast<int64_t>(c.value * scale);
  for (const Term& p : products) sum += static_cast<int64_t>(p.value * scale);
  return static_cast<double>(sum) * power_of_two(most - term_bits);
}

inline uint64_t tensor_result(const ElementType& d, double sum, const SumRule& rule) {
  if (d.bits == 16) return to_f16(sum);
  if (std::isnan(sum)) return nan_f32;
  if (std::isinf(sum)) return std::bit_cast<uint32_t>(static_cast<float>(sum));
  return std::bit_cast<uint32_t>(static_cast<float>(cut_to(sum, rule.result_bits)));
}

// One place of k, of those that are stored: its column in the row of A.
struct Stored {
  double value;
  int exponent;
  int k;
};

// D from C, in place of C: rows of A as they are stored, whole columns of B.
inline void tensor_products(const ElementType& a_type, const ElementType& b_type, const ElementType& d_type,
                            const std::vector<std::vector<Stored>>& a, Matrix<double>& b, Matrix<double>& c) {
  const SumRule rule = sum_rule_of(a_type);
  std::vector<int> exponents(b.values.size());
  for (std::size_t i = 0; i < exponents.size(); ++i) exponents[i] = stored_exponent(b_type, b.values[i]);
  std::vector<Term> products;
  for (int row = 0; row < c.rows; ++row) {
    const auto& stored = a[static_cast<std::size_t>(row)];
    products.resize(stored.size());
    for (int column = 0; column < c.columns; ++column) {
      for (std::size_t i = 0; i < stored.size(); ++i) {
        const auto at = static_cast<std::size_t>(stored[i].k) * static_cast<std::size_t>(b.columns) +
                        static_cast<std::size_t>(column);
        products[i] = {stored[i].value * b.values[at], stored[i].exponent + exponents[at]};
      }
      double& sum = c.at(row, column);
      sum = tensor_sum({sum, stored_exponent(d_type, sum)}, products, rule.term_bits);
    }
  }
}

}  // namespace heddle::exec::interp
