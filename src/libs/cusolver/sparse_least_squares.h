// The shortest x of those that leave the least of A x - b, for sparse A of any rank.
#pragma once

#include "libs/cusolver/sparse_factors.h"

namespace heddle::cusolver {

// R and Q^H b, made row by row by rotations as SparseQr makes them.
template <class N>
class TurnedRows {
 public:
  explicit TurnedRows(std::size_t columns) : rows(columns), right(columns) {}

  void add(std::vector<Entry<N>> row, N side) {
    std::vector<Entry<N>> kept, rest;
    while (!row.empty()) {
      const auto column = static_cast<std::size_t>(row.front().column);
      auto& other = rows[column];
      if (row.front().value == N(0)) {
        row.erase(row.begin());
        continue;
      }
      if (other.empty()) {
        other.swap(row);
        right[column] = side;
        return;
      }
      const N p = other.front().value, q = row.front().value;
      const Real<N> length = std::hypot(std::abs(p), std::abs(q));
      const N c = p / length, s = q / length;
      const auto up = [&](const N& u, const N& v) { return conjugated(c) * u + conjugated(s) * v; };
      const auto down = [&](const N& u, const N& v) { return c * v - s * u; };
      kept.clear();
      rest.clear();
      for (auto u = other.begin(), v = row.begin(); u != other.end() || v != row.end();) {
        const bool of_u = v == row.end() || (u != other.end() && u->column <= v->column),
                   of_v = u == other.end() || (v != row.end() && v->column <= u->column);
        const int at = of_u ? u->column : v->column;
        const N one = of_u ? (u++)->value : N(0), two = of_v ? (v++)->value : N(0);
        kept.push_back({at, up(one, two)});
        if (at != static_cast<int>(column)) rest.push_back({at, down(one, two)});
      }
      const N before = right[column];
      right[column] = up(before, side);
      side = down(before, side);
      other.swap(kept);
      row.swap(rest);
    }
    left += std::norm(side);
  }

  Rows<N> rows;          // of R; a row begins at its own column, or is empty
  std::vector<N> right;  // beside them
  Real<N> left = 0;      // the square of what no row is for
};

template <class N>
struct LeastSquares {
  int rank = 0;
  std::vector<int> order;  // columns that R needs, then those that others make up
  std::vector<N> x;
  Real<N> norm = 0;
};

namespace least_squares {

// x of W x = c that is shortest, for rows W of full rank: x = W^H (W W^H)^-1 c, by R of W^H, and one step
// more for what that loses.
template <class N>
std::vector<N> shortest(const Rows<N>& w, const std::vector<N>& c, std::size_t columns) {
  const std::size_t rank = w.size();
  Rows<N> turned(columns);
  for (std::size_t i = 0; i < rank; ++i)
    for (const auto& [column, value] : w[i])
      turned[static_cast<std::size_t>(column)].push_back({static_cast<int>(i), conjugated(value)});
  TurnedRows<N> r(rank);
  for (auto& row : turned) r.add(row, N(0));
  std::vector<N> x(columns), rest = c;
  for (int step = 0; step < 2; ++step) {
    std::vector<N> y = rest;
    for (std::size_t i = 0; i < rank; ++i) {
      y[i] /= conjugated(r.rows[i].front().value);
      for (std::size_t k = 1; k < r.rows[i].size(); ++k)
        y[static_cast<std::size_t>(r.rows[i][k].column)] -= conjugated(r.rows[i][k].value) * y[i];
    }
    for (std::size_t i = rank; i-- > 0;) {
      for (std::size_t k = 1; k < r.rows[i].size(); ++k)
        y[i] -= r.rows[i][k].value * y[static_cast<std::size_t>(r.rows[i][k].column)];
      y[i] /= r.rows[i].front().value;
    }
    for (std::size_t i = 0; i < rank; ++i)
      for (const auto& [column, value] : w[i])
        x[static_cast<std::size_t>(column)] += conjugated(value) * y[i];
    for (std::size_t i = 0; i < rank; ++i) {
      rest[i] = c[i];
      for (const auto& [column, value] : w[i]) rest[i] -= value * x[static_cast<std::size_t>(column)];
    }
  }
  return x;
}

}  // namespace least_squares

// Columns whose place in R's diagonal is no more than the tolerance are those that others make up: they go to
// the end, and the rows are turned once more.
template <class N>
LeastSquares<N> solve_least_squares(const Rows<N>& a, int columns, const N* b, Real<N> tolerance) {
  const auto n = static_cast<std::size_t>(columns);
  TurnedRows<N> r(n);
  for (std::size_t i = 0; i < a.size(); ++i) r.add(a[i], b[i]);
  LeastSquares<N> found;
  std::vector<int> dependent;
  for (std::size_t j = 0; j < n; ++j) {
    const auto& row = r.rows[j];
    const bool needed = !row.empty() && std::abs(row.front().value) > std::max<Real<N>>(tolerance, 0);
    (needed ? found.order : dependent).push_back(static_cast<int>(j));
  }
  found.rank = static_cast<int>(found.order.size());
  found.order.insert(found.order.end(), dependent.begin(), dependent.end());

  TurnedRows<N> moved(n);
  moved.left = r.left;
  const std::vector<int> place = inverse(found.order);
  for (std::size_t j = 0; j < n; ++j) {
    auto& row = r.rows[j];
    for (auto& entry : row) entry.column = place[static_cast<std::size_t>(entry.column)];
    std::ranges::sort(row, {}, &Entry<N>::column);
    if (!row.empty()) moved.add(std::move(row), r.right[j]);
  }
  const auto rank = static_cast<std::size_t>(found.rank);
  Real<N> left = moved.left;
  for (std::size_t j = rank; j < n; ++j) left += std::norm(moved.right[j]);
  found.norm = std::sqrt(left);
  for (std::size_t j = 0; j < rank; ++j)
    if (moved.rows[j].empty()) refuse(Why::internal_error, "numbers too small to be told from nothing");
  moved.rows.resize(rank);
  moved.right.resize(rank);
  std::vector<N> x = moved.right;
  if (rank == n) {
    for (std::size_t j = n; j-- > 0;) {
      for (std::size_t k = 1; k < moved.rows[j].size(); ++k)
        x[j] -= moved.rows[j][k].value * x[static_cast<std::size_t>(moved.rows[j][k].column)];
      x[j] /= moved.rows[j].front().value;
    }
  } else {
    x = least_squares::shortest(moved.rows, moved.right, n);
  }
  found.x.resize(n);
  for (std::size_t j = 0; j < n; ++j) found.x[static_cast<std::size_t>(found.order[j])] = x[j];
  return found;
}

}  // namespace heddle::cusolver
