// Sparse systems: solved by factors that are made row by row or column by column.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
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

// Each has the factors of a matrix and solves by them: x is b before, the solution afterwards. `singular` is
// -1, or the first place of the factors' diagonal that is no more than the tolerance.

// Rows are turned into R one after the other by rotations (A. George and M. Heath, "Solution of sparse linear
// least squares problems using Givens rotations", 1980). With more rows than columns x is the least squares'.
template <class N>
class SparseQr {
 public:
  SparseQr(const Rows<N>& a, int columns) : r_(static_cast<std::size_t>(columns)), turns_(a.size()) {
    std::vector<Entry<N>> row, kept, rest;
    for (std::size_t i = 0; i < a.size(); ++i) {
      row = a[i];
      while (!row.empty()) {
        const int column = row.front().column;
        auto& other = r_[static_cast<std::size_t>(column)];
        if (other.empty()) {
          other = row;
          turns_[i].push_back({column, true, N(0), N(0)});
          break;
        }
        const N p = other.front().value, q = row.front().value;
        const Real<N> length = std::hypot(std::abs(p), std::abs(q));
        if (length == 0) {
          row.erase(row.begin());
          continue;
        }
        const Turn turn{column, false, p / length, q / length};
        kept.clear();
        rest.clear();
        for (auto u = other.begin(), v = row.begin(); u != other.end() || v != row.end();) {
          const bool of_u = v == row.end() || (u != other.end() && u->column <= v->column),
                     of_v = u == other.end() || (v != row.end() && v->column <= u->column);
          const int at = of_u ? u->column : v->column;
          const N one = of_u ? (u++)->value : N(0), two = of_v ? (v++)->value : N(0);
          kept.push_back({at, turn.up(one, two)});
          if (at != column) rest.push_back({at, turn.down(one, two)});
        }
        turns_[i].push_back(turn);
        other.swap(kept);
        row.swap(rest);
      }
    }
  }
  int singular(Real<N> tolerance) const {
    for (std::size_t j = 0; j < r_.size(); ++j)
      if (r_[j].empty() || !(std::abs(r_[j].front().value) > tolerance)) return static_cast<int>(j);
    return -1;
  }
  void solve(std::vector<N>& x) const {
    std::vector<N> right(r_.size());
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      N side = x[i];
      for (const Turn& turn : turns_[i]) {
        N& other = right[static_cast<std::size_t>(turn.column)];
        if (turn.ends) {
          other = side;
          break;
        }
        const N before = other;
        other = turn.up(before, side);
        side = turn.down(before, side);
      }
    }
    x.assign(r_.size(), N(0));
    for (std::size_t j = r_.size(); j-- > 0;) {
      if (r_[j].empty()) continue;
      N sum = right[j];
      for (std::size_t k = 1; k < r_[j].size(); ++k)
        sum -= r_[j][k].value * x[static_cast<std::size_t>(r_[j][k].column)];
      x[j] = sum / r_[j].front().value;
    }
  }

 private:
  // What a row does with the row of R that begins at `column`: it becomes that row, or both are turned.
  struct Turn {
    int column = 0;
    bool ends = false;
    N c, s;
    N up(const N& u, const N& v) const { return conjugated(c) * u + conjugated(s) * v; }
    N down(const N& u, const N& v) const { return c * v - s * u; }
  };
  Rows<N> r_;
  std::vector<std::vector<Turn>> turns_;
};

// L L^H of the lower triangle, a row at a time along the elimination tree (J. Liu, 1990).
template <class N>
class SparseCholesky {
 public:
  explicit SparseCholesky(const Rows<N>& a) : columns_(a.size()), diagonal_(a.size()) {
    const std::size_t n = a.size();
    std::vector<int> parent(n, -1), ancestor(n, -1), seen(n, -1), path, pattern;
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
        const N value = std::exchange(work[at], N(0)) / diagonal_[at];
        for (const auto& [below, factor] : columns_[at])
          work[static_cast<std::size_t>(below)] -= factor * value;
        rest -= std::norm(value);
        columns_[at].push_back({row, conjugated(value)});
      }
      for (const int i : pattern) work[static_cast<std::size_t>(i)] = N(0);
      work[k] = N(0);
      if (!(rest > 0)) {
        ended_ = row;
        return;
      }
      diagonal_[k] = std::sqrt(rest);
    }
  }
  int singular(Real<N> tolerance) const {
    for (std::size_t j = 0; j < diagonal_.size(); ++j)
      if (static_cast<int>(j) == ended_ || !(diagonal_[j] > tolerance)) return static_cast<int>(j);
    return -1;
  }
  void solve(std::vector<N>& x) const {
    const std::size_t n = diagonal_.size();
    for (std::size_t j = 0; j < n; ++j) {
      x[j] /= diagonal_[j];
      for (const auto& [below, factor] : columns_[j]) x[static_cast<std::size_t>(below)] -= factor * x[j];
    }
    for (std::size_t j = n; j-- > 0;) {
      for (const auto& [below, factor] : columns_[j])
        x[j] -= conjugated(factor) * x[static_cast<std::size_t>(below)];
      x[j] /= diagonal_[j];
    }
  }
  const std::vector<Real<N>>& diagonal() const { return diagonal_; }

 private:
  Rows<N> columns_;  // of L, by rows below the diagonal
  std::vector<Real<N>> diagonal_;
  int ended_ = -1;  // where the matrix was found not to be definite
};

// LU with exchanges of rows, a column at a time (J. Gilbert and T. Peierls, 1988). The diagonal's own row is
// taken where its entry is at least `threshold` of the largest.
template <class N>
class SparseLu {
 public:
  explicit SparseLu(const Rows<N>& a, Real<N> threshold = 1)
      : lower_(a.size()), upper_(a.size()), diagonal_(a.size()), row_at_(a.size(), -1), place_(a.size(), -1) {
    const std::size_t n = a.size();
    Rows<N> by_column(n);  // entries' `column` is a row
    for (std::size_t i = 0; i < n; ++i)
      for (const auto& [column, value] : a[i])
        by_column[static_cast<std::size_t>(column)].push_back({static_cast<int>(i), value});
    std::vector<int> seen(n, -1), reached;
    std::vector<N> work(n);
    struct Step {
      int row;
      std::size_t next;
    };
    std::vector<Step> steps;
    std::size_t first_free = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const int now = static_cast<int>(k);
      reached.clear();
      const auto children = [&](int row) -> const std::vector<Entry<N>>* {
        const int at = place_[static_cast<std::size_t>(row)];
        return at < 0 ? nullptr : &lower_[static_cast<std::size_t>(at)];
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
      for (std::size_t i = reached.size(); i-- > 0;) {
        const int row = reached[i];
        const N value = work[static_cast<std::size_t>(row)];
        if (const auto* const list = children(row); list != nullptr) {
          upper_[k].push_back({place_[static_cast<std::size_t>(row)], value});
          for (const auto& [below, factor] : *list) work[static_cast<std::size_t>(below)] -= factor * value;
        }
      }
      int pivot = -1;
      Real<N> most = -1, own = -1;
      for (const int row : reached) {
        if (place_[static_cast<std::size_t>(row)] >= 0) continue;
        const Real<N> here = std::abs(work[static_cast<std::size_t>(row)]);
        if (row == now) own = here;
        if (here > most) most = here, pivot = row;
      }
      if (own > 0 && own >= threshold * most) pivot = now;
      if (pivot < 0) {  // nothing is left in this column: any row that has no place yet
        while (place_[first_free] >= 0) ++first_free;
        pivot = static_cast<int>(first_free);
      }
      diagonal_[k] = work[static_cast<std::size_t>(pivot)];
      for (const int row : reached) {
        const N value = std::exchange(work[static_cast<std::size_t>(row)], N(0));
        if (row != pivot && place_[static_cast<std::size_t>(row)] < 0 && diagonal_[k] != N(0))
          lower_[k].push_back({row, value / diagonal_[k]});
      }
      place_[static_cast<std::size_t>(pivot)] = now;
      row_at_[k] = pivot;
    }
  }
  int singular(Real<N> tolerance) const {
    for (std::size_t k = 0; k < diagonal_.size(); ++k)
      if (!(std::abs(diagonal_[k]) > tolerance)) return static_cast<int>(k);
    return -1;
  }
  void solve(std::vector<N>& x) const {
    const std::size_t n = diagonal_.size();
    std::vector<N> y(n);
    for (std::size_t k = 0; k < n; ++k) {
      y[k] = x[static_cast<std::size_t>(row_at_[k])];
      for (const auto& [row, factor] : lower_[k]) x[static_cast<std::size_t>(row)] -= factor * y[k];
    }
    for (std::size_t k = n; k-- > 0;) {
      y[k] /= diagonal_[k];
      for (const auto& [at, factor] : upper_[k]) y[static_cast<std::size_t>(at)] -= factor * y[k];
    }
    x = std::move(y);
  }
  // L without its diagonal of ones, and U, by rows: row k of both is row order()[k] of the matrix.
  const std::vector<int>& order() const { return row_at_; }
  std::size_t lower_count() const { return count(lower_); }
  std::size_t upper_count() const { return count(upper_) + diagonal_.size(); }
  Rows<N> lower_rows() const {
    Rows<N> rows(diagonal_.size());
    for (std::size_t k = 0; k < lower_.size(); ++k)
      for (const auto& [row, value] : lower_[k])
        rows[static_cast<std::size_t>(place_[static_cast<std::size_t>(row)])].push_back(
            {static_cast<int>(k), value});
    return rows;
  }
  Rows<N> upper_rows() const {
    Rows<N> rows(diagonal_.size());
    for (std::size_t k = 0; k < upper_.size(); ++k) {
      for (const auto& [row, value] : upper_[k])
        rows[static_cast<std::size_t>(row)].push_back({static_cast<int>(k), value});
      rows[k].push_back({static_cast<int>(k), diagonal_[k]});
    }
    return rows;
  }

 private:
  static std::size_t count(const Rows<N>& all) {
    std::size_t sum = 0;
    for (const auto& one : all) sum += one.size();
    return sum;
  }
  Rows<N> lower_, upper_;  // by columns; an entry's `column` is a row of the matrix in L, a place in U
  std::vector<N> diagonal_;
  std::vector<int> row_at_, place_;
};

}  // namespace heddle::cusolver
