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
#include "exec/interp/matrix/tensor_row.h"
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
  // That of the double, of which none is subnormal here; of 0 it is the lowest.
  const int of_double = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023;
  return std::isfinite(value) ? std::max(of_double, least) : least;
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

// Whole columns of B, and the exponents of its elements; those of zeros are below all others.
class Columns {
 public:
  Columns(const ElementType& type, const Matrix<double>& b) : b_(b), exponents_(b.values.size()) {
    for (std::size_t i = 0; i < exponents_.size(); ++i) {
      const double value = b.values[i];
      exponents_[i] = value == 0 ? no_exponent : stored_exponent(type, value);
      finite_ = finite_ && std::isfinite(value);
    }
  }
  // In place of a row of C; not yet in the type of the result.
  void add_products(const ElementType& c_type, std::span<const Stored> a, int term_bits,
                    std::span<double> sums) {
    sums_exponents_.resize(sums.size());
    bool finite = finite_;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      finite = finite && std::isfinite(sums[i]);
      sums_exponents_[i] = sums[i] == 0 ? no_exponent : stored_exponent(c_type, sums[i]);
    }
    terms_.clear();
    for (const Stored& one : a) {
      finite = finite && std::isfinite(one.value);
      const std::size_t at = row_of(one);
      if (one.value != 0) terms_.push_back({one.value, one.exponent, &b_.values[at], &exponents_[at]});
    }
    if (finite) return tensor_row(terms_, term_bits, sums, sums_exponents_);
    products_.resize(a.size());
    for (std::size_t column = 0; column < sums.size(); ++column) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t at = row_of(a[i]) + column;
        products_[i] = {a[i].value * b_.values[at], a[i].exponent + exponents_[at]};
      }
      sums[column] = tensor_sum({sums[column], sums_exponents_[column]}, products_, term_bits);
    }
  }

 private:
  std::size_t row_of(const Stored& one) const {
    return static_cast<std::size_t>(one.k) * static_cast<std::size_t>(b_.columns);
  }

  const Matrix<double>& b_;
  std::vector<int> exponents_, sums_exponents_;
  bool finite_ = true;
  std::vector<RowTerm> terms_;
  std::vector<Term> products_;
};

inline std::span<double> row_of(Matrix<double>& m, int row) {
  const auto columns = static_cast<std::size_t>(m.columns);
  return std::span(m.values).subspan(static_cast<std::size_t>(row) * columns, columns);
}

// D from C, in place of C: rows of A as they are stored, whole columns of B.
inline void tensor_products(const ElementType& a_type, const ElementType& b_type, const ElementType& d_type,
                            const std::vector<std::vector<Stored>>& a, Matrix<double>& b, Matrix<double>& c) {
  const SumRule rule = sum_rule_of(a_type);
  Columns columns(b_type, b);
  for (int row = 0; row < c.rows; ++row)
    columns.add_products(d_type, a[static_cast<std::size_t>(row)], rule.term_bits, row_of(c, row));
}

}  // namespace heddle::exec::interp
