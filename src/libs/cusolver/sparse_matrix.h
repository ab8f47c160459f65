// Sparse matrices of cuSOLVER's sparse interface: rows of entries, and orders of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::cusolver {

template <class N>
struct Entry {
  int column = 0;
  N value{};
};
// Rows with rising columns from 0, each once.
template <class N>
using Rows = std::vector<std::vector<Entry<N>>>;
// Who stands beside whom in A + A^T, without the diagonal; sorted.
using Neighbours = std::vector<std::vector<int>>;

// CSR as a program has it. Throws a Refusal where offsets or columns are none.
struct Pattern {
  int rows = 0, columns = 0, count = 0, base = 0;
  const int *offsets = nullptr, *ends = nullptr, *places = nullptr;  // ends: nullptr, or where rows end
  void check() const;
  int begin(int row) const { return offsets[row] - base; }
  int end(int row) const { return (ends != nullptr ? ends[row] : offsets[row + 1]) - base; }
  int column(int k) const { return places[k] - base; }
};
Neighbours neighbours(const Pattern& pattern);

// p[k]: what comes at place k.
std::vector<int> in_order(int n);
std::vector<int> reverse_cuthill_mckee(const Neighbours& graph);  // E. Cuthill and J. McKee, 1969; A. George
std::vector<int> minimum_degree(Neighbours graph);                // W. Tinney and J. Walker, 1967
std::vector<int> inverse(const std::vector<int>& p);

// Row i is row p[i] of the matrix, and its column j stands at place[j]; what stands there twice is summed.
template <class N>
Rows<N> rows_of(const Pattern& pattern, const N* values, const std::vector<int>& p,
                const std::vector<int>& place) {
  Rows<N> a(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    auto& row = a[i];
    for (int k = pattern.begin(p[i]); k < pattern.end(p[i]); ++k)
      row.push_back({place[static_cast<std::size_t>(pattern.column(k))], values[k]});
    std::ranges::sort(row, {}, &Entry<N>::column);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < row.size(); ++k)
      if (kept > 0 && row[kept - 1].column == row[k].column)
        row[kept - 1].value += row[k].value;
      else
        row[kept++] = row[k];
    row.resize(kept);
  }
  return a;
}
template <class N>
Rows<N> rows_of(const Pattern& pattern, const N* values) {
  return rows_of(pattern, values, in_order(pattern.rows), in_order(pattern.columns));
}

}  // namespace heddle::cusolver
