// A row of sums of tensor_sum.h, its columns side by side: what takes the time where matrices are large.
#pragma once

#include <span>

namespace heddle::exec::interp {

// Of a zero, that no other exponent is below.
inline constexpr int no_exponent = -100'000;

// A finite element of the row of A that is not zero, and the row of B that it is multiplied with: numbers,
// and their exponents.
struct RowTerm {
  double value;
  int exponent;
  const double* b;
  const int* b_exponents;
};

// In place of `sums`, all finite: each and its products, by the largest exponent among those of its column.
// `exponents`: of the sums.
void tensor_row(std::span<const RowTerm> terms, int term_bits, std::span<double> sums,
                std::span<int> exponents);

}  // namespace heddle::exec::interp
