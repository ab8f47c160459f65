#include "libs/cusolver/sparse_matrix.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "libs/common/call.h"

namespace heddle::cusolver {

void Pattern::check() const {
  using libs::require;
  require(rows == 0 || begin(0) == 0 || ends != nullptr, "the first row does not begin at the index base");
  for (int i = 0; i < rows; ++i) {
    require(begin(i) >= 0 && begin(i) <= end(i) && end(i) <= count, "the offsets of rows do not rise to nnz");
    for (int k = begin(i); k < end(i); ++k)
      require(column(k) >= 0 && column(k) < columns, "a column is none of the matrix");
  }
}

Neighbours neighbours(const Pattern& pattern) {
  Neighbours graph(static_cast<std::size_t>(pattern.rows));
  for (int i = 0; i < pattern.rows; ++i)
    for (int k = pattern.begin(i); k < pattern.end(i); ++k)
      if (const int j = pattern.column(k); j != i) {
        graph[static_cast<std::size_t>(i)].push_back(j);
        graph[static_cast<std::size_t>(j)].push_back(i);
      }
  for (auto& list : graph) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return graph;
}

std::vector<int> in_order(int n) {
  std::vector<int> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  return p;
}

std::vector<int> inverse(const std::vector<int>& p) {
  std::vector<int> q(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) q[static_cast<std::size_t>(p[i])] = static_cast<int>(i);
  return q;
}

namespace {

// Level by level from `first` on, low degrees first; what is marked is passed over.
std::vector<int> by_levels(const Neighbours& graph, int first, std::vector<bool>& marked, int* levels) {
  std::vector<int> found{first};
  marked[static_cast<std::size_t>(first)] = true;
  *levels = 0;
  for (std::size_t next = 0, end = 1; next < found.size(); ++*levels, end = found.size())
    for (; next < end; ++next) {
      const auto begun = static_cast<std::ptrdiff_t>(found.size());
      for (const int j : graph[static_cast<std::size_t>(found[next])])
        if (!marked[static_cast<std::size_t>(j)]) {
          marked[static_cast<std::size_t>(j)] = true;
          found.push_back(j);
        }
      std::sort(found.begin() + begun, found.end(), [&](int a, int b) {
        const auto of_a = graph[static_cast<std::size_t>(a)].size(),
                   of_b = graph[static_cast<std::size_t>(b)].size();
        return of_a != of_b ? of_a < of_b : a < b;
      });
    }
  return found;
}

}  // namespace

std::vector<int> reverse_cuthill_mckee(const Neighbours& graph) {
  std::vector<int> order;
  std::vector<bool> done(graph.size());
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (done[start]) continue;
    // From the last of the levels, as long as that makes more of them: an end of the graph.
    int first = static_cast<int>(start), most = -1;
    for (;;) {
      std::vector<bool> seen = done;
      int levels = 0;
      const int last = by_levels(graph, first, seen, &levels).back();
      if (levels <= most) break;
      most = levels;
      first = last;
    }
    int levels = 0;
    const std::vector<int> part = by_levels(graph, first, done, &levels);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<int> minimum_degree(Neighbours graph) {
  std::set<std::pair<std::size_t, int>> by_degree;
  for (std::size_t i = 0; i < graph.size(); ++i) by_degree.emplace(graph[i].size(), static_cast<int>(i));
  std::vector<int> order, merged;
  while (!by_degree.empty()) {
    const int least = by_degree.begin()->second;
    by_degree.erase(by_degree.begin());
    order.push_back(least);
    // Its neighbours are each other's from now on.
    const std::vector<int> beside = std::move(graph[static_cast<std::size_t>(least)]);
    for (const int i : beside) {
      auto& list = graph[static_cast<std::size_t>(i)];
      by_degree.erase({list.size(), i});
      merged.clear();
      std::ranges::set_union(list, beside, std::back_inserter(merged));
      std::erase_if(merged, [&](int j) { return j == i || j == least; });
      list = merged;
      by_degree.emplace(list.size(), i);
    }
  }
  return order;
}

}  // namespace heddle::cusolver
