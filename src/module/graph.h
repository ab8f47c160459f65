// A directed graph in compressed form and its strongly connected components: what control flow and the call
// graph are made of. Nodes are 0 .. size()-1.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heddle::module {

class Graph {
 public:
  Graph() = default;
  // Edges keep their order within a node.
  Graph(uint32_t nodes, std::span<const std::pair<uint32_t, uint32_t>> edges);
  uint32_t size() const { return first_.empty() ? 0 : static_cast<uint32_t>(first_.size() - 1); }
  std::span<const uint32_t> of(uint32_t node) const {
    return {edges_.data() + first_[node], first_[node + 1] - first_[node]};
  }

 private:
  std::vector<uint32_t> first_;  // size()+1 positions in edges_
  std::vector<uint32_t> edges_;
};

// Component of each node. Components are numbered so that every edge between two of them goes from the
// higher number to the lower: callees before callers.
struct Components {
  std::vector<uint32_t> of;
  uint32_t count = 0;
};
Components strongly_connected(const Graph& successors);

}  // namespace heddle::module
