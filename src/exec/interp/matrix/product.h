// D = A * B + C on whole matrices. The ISA leaves the order and the inner precision of floating-point sums
// open, at least single (9.7.14.5.14): here, and in the other executor, C and the exact products are added in
// double along k, and the sum is rounded once. f64 is a chain of fused multiply-adds along k.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/number/arithmetic.h"
#include "exec/interp/number/half.h"

namespace heddle::exec::interp {

// Each sum goes along k; that the columns take turns lets the sums of a row go side by side.
template <class T>
void multiply_add(Matrix<T>& a, Matrix<T>& b, Matrix<T>& c) {
  for (int row = 0; row < c.rows; ++row) {
    T* __restrict sums = &c.at(row, 0);
    for (int k = 0; k < a.columns; ++k) {
      const T factor = a.at(row, k);
      const T* __restrict others = &b.at(k, 0);
      for (int column = 0; column < c.columns; ++column) sums[column] += factor * others[column];
    }
  }
}

inline void multiply_add_fused(Matrix<double>& a, Matrix<double>& b, Matrix<double>& c, Rounding rounding) {
  for (int row = 0; row < c.rows; ++row)
    for (int column = 0; column < c.columns; ++column)
      for (int k = 0; k < a.columns; ++k) {
        double& sum = c.at(row, column);
        sum = compute(Fma{}, Manner{rounding, false, false}, a.at(row, k), b.at(k, column), sum);
      }
}

// A sum as the bits of a result of type f16, f32 or f64.
inline uint64_t result_bits(isa::Type type, double value) {
  if (type == isa::Type::f64) return std::bit_cast<uint64_t>(value);
  if (type == isa::Type::f16) return to_f16(value);
  return std::isnan(value) ? nan_f32 : std::bit_cast<uint32_t>(static_cast<float>(value));
}

// An integer sum wraps, or stops at the ends of s32 (.satfinite).
inline uint64_t result_bits(int64_t value, bool saturate) {
  if (saturate) value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(value);
}

}  // namespace heddle::exec::interp
