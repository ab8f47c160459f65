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

Graph Graph::reversed() const {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  edges.reserve(edges_.size());
  for (uint32_t node = 0; node < size(); ++node)
    for (uint32_t to : of(node)) edges.emplace_back(to, node);
  return {size(), edges};
}

namespace {

// T. Lengauer, R. E. Tarjan: A fast algorithm for finding dominators in a flowgraph (1979), the simple
// version of LINK and EVAL. Nodes are renamed to their depth-first numbers, so a smaller number is an earlier
// node.
class Dominators {
 public:
  Dominators(const Graph& successors, uint32_t root) : successors_(successors) {
    number_.assign(successors.size(), none);
    walk(root);
  }

  std::vector<uint32_t> run() {
    const auto count = static_cast<uint32_t>(node_.size());
    std::vector<uint32_t> idom(count, 0), bucket(count, none), next_in_bucket(count, none);
    semi_.resize(count);
    label_.resize(count);
    ancestor_.assign(count, none);
    for (uint32_t v = 0; v < count; ++v) semi_[v] = label_[v] = v;
    const Graph predecessors = numbered_predecessors();
    for (uint32_t w = count; w-- > 1;) {
      for (uint32_t v : predecessors.of(w)) semi_[w] = std::min(semi_[w], semi_[evaluate(v)]);
      next_in_bucket[w] = bucket[semi_[w]];
      bucket[semi_[w]] = w;
      const uint32_t parent = parent_[w];
      ancestor_[w] = parent;
      for (uint32_t v = bucket[parent]; v != none; v = next_in_bucket[v]) {
        const uint32_t u = evaluate(v);
        idom[v] = semi_[u] < semi_[v] ? u : parent;
      }
      bucket[parent] = none;
    }
    for (uint32_t w = 1; w < count; ++w)
      if (idom[w] != semi_[w]) idom[w] = idom[idom[w]];
    std::vector<uint32_t> result(successors_.size(), none);
    for (uint32_t w = 1; w < count; ++w) result[node_[w]] = node_[idom[w]];
    return result;
  }

 private:
  void walk(uint32_t root) {  // depth first, without recursion: functions may have 100000 blocks in a row
    struct Level {
      uint32_t node, edge;
    };
    std::vector<Level> path;
    const auto enter = [&](uint32_t node, uint32_t parent) {
      number_[node] = static_cast<uint32_t>(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      path.push_back({node, 0});
    };
    enter(root, 0);
    while (!path.empty()) {
      Level& level = path.back();
      const auto edges = successors_.of(level.node);
      if (level.edge == edges.size()) {
        path.pop_back();
      } else if (const uint32_t to = edges[level.edge++]; number_[to] == none) {
        enter(to, number_[level.node]);
      }
    }
  }

  Graph numbered_predecessors() const {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t v = 0; v < node_.size(); ++v)
      for (uint32_t to : successors_.of(node_[v])) edges.emplace_back(number_[to], v);
    return {static_cast<uint32_t>(node_.size()), edges};
  }

  uint32_t evaluate(uint32_t v) {
    if (ancestor_[v] == none) return v;
    for (uint32_t u = v; ancestor_[ancestor_[u]] != none; u = ancestor_[u]) compress_.push_back(u);
    while (!compress_.empty()) {
      const uint32_t u = compress_.back();
      compress_.pop_back();
      const uint32_t above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  const Graph& successors_;
  std::vector<uint32_t> number_;                                   // by node
  std::vector<uint32_t> node_, parent_, semi_, label_, ancestor_;  // by depth-first number
  std::vector<uint32_t> compress_;
};

}  // namespace

std::vector<uint32_t> immediate_dominators(const Graph& successors, uint32_t root) {
  return Dominators(successors, root).run();
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
