// Sparse systems: solved by factors that are made row by row or column by column.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "libs/cusolver/dense.h"
#include "libs/cusolver/sparse_matrix.h"

namespace heddle::cusolver {

template <class N>
N conjugated(const N& value) {
  if constexpr (complex_number<N>)
    return std::conj(value);
  else
    return value;
}

// Each returns -1, and x is the solution; or the first place of the factors' diagonal that is no more than
// `tolerance`, and x is nothing. x is b before.

// Rows are turned into R one after the other by rotations (A. George and M. Heath, "Solution of sparse linear
// least squares problems using Givens rotations", 1980).
template <class N>
int solve_by_qr(const Rows<N>& a, std::vector<N>& x, Real<N> tolerance) {
  const std::size_t n = a.size();
  Rows<N> r(n);
  std::vector<N> right(n);
  std::vector<Entry<N>> row, kept, rest;
  for (std::size_t i = 0; i < n; ++i) {
    row = a[i];
    N side = x[i];
    while (!row.empty()) {
      auto& other = r[static_cast<std::size_t>(row.front().column)];
      N& other_side = right[static_cast<std::size_t>(row.front().column)];
      if (other.empty()) {
        other = row;
        other_side = side;
        break;
      }
      const N p = other.front().value, q = row.front().value;
      const Real<N> length = std::hypot(std::abs(p), std::abs(q));
      if (length == 0) {
        row.erase(row.begin());
        continue;
      }
      const N c = p / length, s = q / length;
      const auto up = [&](const N& u, const N& v) { return conjugated(c) * u + conjugated(s) * v; };
      const auto down = [&](const N& u, const N& v) { return c * v - s * u; };
      kept.clear();
      rest.clear();
      for (auto u = other.begin(), v = row.begin(); u != other.end() || v != row.end();) {
        const bool of_u = v == row.end() || (u != other.end() && u->column <= v->column),
                   of_v = u == other.end() || (v != row.end() && v->column <= u->column);
        const int column = of_u ? u->column : v->column;
        const N one = of_u ? (u++)->value : N(0), two = of_v ? (v++)->value : N(0);
        kept.push_back({column, up(one, two)});
        if (column != kept.front().column) rest.push_back({column, down(one, two)});
      }
      const N one = other_side, two = side;
      other_side = up(one, two);
      side = down(one, two);
      other = kept;
      row.swap(rest);
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    if (r[j].empty() || !(std::abs(r[j].front().value) > tolerance)) return static_cast<int>(j);
  for (std::size_t j = n; j-- > 0;) {
    N sum = right[j];
    for (std::size_t k = 1; k < r[j].size(); ++k)
      sum -= r[j][k].value * x[static_cast<std::size_t>(r[j][k].column)];
    x[j] = sum / r[j].front().value;
  }
  return -1;
}

// L L^H of the lower triangle, a row at a time along the elimination tree (J. Liu, 1990).
template <class N>
int solve_by_cholesky(const Rows<N>& a, std::vector<N>& x, Real<N> tolerance) {
  const std::size_t n = a.size();
  std::vector<int> parent(n, -1), ancestor(n, -1), seen(n, -1), path, pattern;
  Rows<N> columns(n);  // of L, by rows below the diagonal
  std::vector<Real<N>> diagonal(n);
  std::vector<N> work(n);
  for (std::size_t k = 0; k < n; ++k) {
    const int row = static_cast<int>(k);
    Real<N> rest = 0;
    pattern.clear();
    seen[k] = row;
    for (const auto& [column, value] : a[k]) {
      if (column > row) break;
      if (column == row) {
        rest = std::real(value);
        continue;
      }
      work[static_cast<std::size_t>(column)] = conjugated(value);
      for (int i = column; i != -1 && i < row;) {
        const int next = ancestor[static_cast<std::size_t>(i)];
        ancestor[static_cast<std::size_t>(i)] = row;
        if (next == -1) parent[static_cast<std::size_t>(i)] = row;
        i = next;
      }
      path.clear();
      for (int i = column; seen[static_cast<std::size_t>(i)] != row;
           i = parent[static_cast<std::size_t>(i)]) {
        seen[static_cast<std::size_t>(i)] = row;
        path.push_back(i);
      }
      pattern.insert(pattern.end(), path.begin(), path.end());
    }
    // What a row needs stands before it; so does a child before its parent.
    std::ranges::sort(pattern);
    for (const int i : pattern) {
      const auto at = static_cast<std::size_t>(i);
      const N value = std::exchange(work[at], N(0)) / diagonal[at];
      for (const auto& [below, factor] : columns[at]) work[static_cast<std::size_t>(below)] -= factor * value;
      rest -= std::norm(value);
      columns[at].push_back({row, conjugated(value)});
    }
    for (const int i : pattern) work[static_cast<std::size_t>(i)] = N(0);
    work[k] = N(0);
    if (!(rest > 0) || !(std::sqrt(rest) > tolerance)) return row;
    diagonal[k] = std::sqrt(rest);
  }
  for (std::size_t j = 0; j < n; ++j) {
    x[j] /= diagonal[j];
    for (const auto& [below, factor] : columns[j]) x[static_cast<std::size_t>(below)] -= factor * x[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    for (const auto& [below, factor] : columns[j])
      x[j] -= conjugated(factor) * x[static_cast<std::size_t>(below)];
    x[j] /= diagonal[j];
  }
  return -1;
}

// LU with exchanges of rows, a column at a time (J. Gilbert and T. Peierls, 1988).
template <class N>
int solve_by_lu(const Rows<N>& a, std::vector<N>& x, Real<N> tolerance) {
  const std::size_t n = a.size();
  Rows<N> by_column(n), lower(n), upper(n);  // entries' `column` is a row
  for (std::size_t i = 0; i < n; ++i)
    for (const auto& [column, value] : a[i])
      by_column[static_cast<std::size_t>(column)].push_back({static_cast<int>(i), value});
  std::vector<int> place(n, -1), row_at(n, -1), seen(n, -1), reached;
  std::vector<N> work(n), diagonal(n);
  struct Step {
    int row;
    std::size_t next;
  };
  std::vector<Step> steps;
  for (std::size_t k = 0; k < n; ++k) {
    const int now = static_cast<int>(k);
    reached.clear();
    const auto children = [&](int row) -> const std::vector<Entry<N>>* {
      const int at = place[static_cast<std::size_t>(row)];
      return at < 0 ? nullptr : &lower[static_cast<std::size_t>(at)];
    };
    for (const auto& [row, value] : by_column[k]) {
      if (seen[static_cast<std::size_t>(row)] == now) continue;
      seen[static_cast<std::size_t>(row)] = now;
      steps.assign(1, {row, 0});
      while (!steps.empty()) {
        const auto* const list = children(steps.back().row);
        if (list == nullptr || steps.back().next == list->size()) {
          reached.push_back(steps.back().row);
          steps.pop_back();
          continue;
        }
        const int child = (*list)[steps.back().next++].column;
        if (std::exchange(seen[static_cast<std::size_t>(child)], now) != now) steps.push_back({child, 0});
      }
    }
    for (const auto& [row, value] : by_column[k]) work[static_cast<std::size_t>(row)] = value;
    int pivot = -1;
    Real<N> most = -1;
    for (std::size_t i = reached.size(); i-- > 0;) {
      const int row = reached[i];
      const N value = work[static_cast<std::size_t>(row)];
      if (const auto* const list = children(row); list != nullptr) {
        upper[k].push_back({place[static_cast<std::size_t>(row)], value});
        for (const auto& [below, factor] : *list) work[static_cast<std::size_t>(below)] -= factor * value;
      }
    }
    for (const int row : reached)
      if (place[static_cast<std::size_t>(row)] < 0 && std::abs(work[static_cast<std::size_t>(row)]) > most) {
        most = std::abs(work[static_cast<std::size_t>(row)]);
        pivot = row;
      }
    if (pivot < 0 || !(most > tolerance)) return now;
    diagonal[k] = work[static_cast<std::size_t>(pivot)];
    for (const int row : reached) {
      const N value = std::exchange(work[static_cast<std::size_t>(row)], N(0));
      if (row != pivot && place[static_cast<std::size_t>(row)] < 0)
        lower[k].push_back({row, value / diagonal[k]});
    }
    place[static_cast<std::size_t>(pivot)] = now;
    row_at[k] = pivot;
  }
  std::vector<N> y(n);
  for (std::size_t k = 0; k < n; ++k) {
    y[k] = x[static_cast<std::size_t>(row_at[k])];
    for (const auto& [row, factor] : lower[k]) x[static_cast<std::size_t>(row)] -= factor * y[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    y[k] /= diagonal[k];
    for (const auto& [at, factor] : upper[k]) y[static_cast<std::size_t>(at)] -= factor * y[k];
  }
  x = std::move(y);
  return -1;
}

}  // namespace heddle::cusolver
