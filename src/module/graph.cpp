#include "module/graph.h"

#include <algorithm>

#include "module/image.h"

namespace heddle::module {

Graph::Graph(uint32_t nodes, std::span<const std::pair<uint32_t, uint32_t>> edges)
    : first_(std::size_t{nodes} + 1), edges_(edges.size()) {
  for (const auto& [from, to] : edges) ++first_[from + 1];
  for (uint32_t node = 0; node < nodes; ++node) first_[node + 1] += first_[node];
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [from, to] : edges) edges_[next[from]++] = to;
}

// R. E. Tarjan's algorithm, without recursion.
Components strongly_connected(const Graph& successors) {
  const uint32_t size = successors.size();
  Components result;
  result.of.assign(size, none);
  std::vector<uint32_t> number(size, none), low(size), open;
  struct Level {
    uint32_t node, edge;
  };
  std::vector<Level> path;
  uint32_t count = 0;
  const auto enter = [&](uint32_t node) {
    number[node] = low[node] = count++;
    open.push_back(node);
    path.push_back({node, 0});
  };
  for (uint32_t start = 0; start < size; ++start) {
    if (number[start] != none) continue;
    enter(start);
    while (!path.empty()) {
      Level& level = path.back();
      const uint32_t node = level.node;
      const auto edges = successors.of(node);
      if (level.edge < edges.size()) {
        const uint32_t to = edges[level.edge++];
        if (number[to] == none)
          enter(to);
        else if (result.of[to] == none)
          low[node] = std::min(low[node], number[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
      if (low[node] != number[node]) continue;
      for (uint32_t member = none; member != node;) {
        member = open.back();
        open.pop_back();
        result.of[member] = result.count;
      }
      ++result.count;
    }
  }
  return result;
}

}  // namespace heddle::module
