// A sparse matrix for tests of cuSOLVER's sparse interface.
#pragma once

#include "testing.h"

namespace heddle::libs_test {

// Five points of a grid of `width` by `width`, unsymmetric or hermitian, from index base `base`.
template <class T>
struct Grid {
  int n = 0;
  std::vector<int> offsets, places;
  std::vector<T> values;
  Grid(int width, bool hermitian, int base) : n(width * width) {
    Random random(7);
    offsets.push_back(base);
    std::vector<std::vector<std::pair<int, T>>> rows(n);
    for (int i = 0; i < n; ++i) {
      rows[i].emplace_back(i, made<T>(hermitian ? 5 : 0.5));
      for (const int j : {i + 1, i + width})
        if (j < n && (j != i + 1 || j % width != 0)) {
          const double real = random.number(), imaginary = random.number();
          rows[i].emplace_back(j, made<T>(real, imaginary));
          rows[j].emplace_back(i, hermitian ? made<T>(real, -imaginary) : random.value<T>());
        }
    }
    for (auto& row : rows) {
      std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [column, value] : row) places.push_back(column + base), values.push_back(value);
      offsets.push_back(static_cast<int>(places.size()) + base);
    }
  }
  int count() const { return static_cast<int>(places.size()); }
  double left(const std::vector<T>& x, const std::vector<T>& b) const {
    double most = 0;
    for (int i = 0; i < n; ++i) {
      auto sum = exact(b[i]);
      for (int k = offsets[i] - offsets[0]; k < offsets[i + 1] - offsets[0]; ++k)
        sum -= exact(values[k]) * exact(x[places[k] - offsets[0]]);
      most = std::max(most, std::abs(sum));
    }
    return most;
  }
};
template <class T>
double size_of(const std::vector<T>& x) {
  double most = 0;
  for (const T& one : x) most = std::max(most, std::abs(exact(one)));
  return most;
}

}  // namespace heddle::libs_test
