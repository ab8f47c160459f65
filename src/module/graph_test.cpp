#include "module/graph.h"

#include <gtest/gtest.h>

#include <random>

#include "module/image.h"

namespace heddle::module {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

// By the definition: d dominates v when no path from the root reaches v without d.
std::vector<uint32_t> dominators_by_definition(const Graph& graph, uint32_t root) {
  const uint32_t size = graph.size();
  const auto reached_without = [&](uint32_t without) {
    std::vector<bool> seen(size);
    std::vector<uint32_t> open;
    if (root != without) open.push_back(root), seen[root] = true;
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (uint32_t to : graph.of(node))
        if (to != without && !seen[to]) seen[to] = true, open.push_back(to);
    }
    return seen;
  };
  const std::vector<bool> reached = reached_without(none);
  std::vector<std::vector<bool>> dominates(size, std::vector<bool>(size));
  for (uint32_t d = 0; d < size; ++d) {
    const auto without = reached_without(d);
    for (uint32_t v = 0; v < size; ++v) dominates[d][v] = reached[v] && !without[v];
  }
  std::vector<uint32_t> idom(size, none);
  for (uint32_t v = 0; v < size; ++v)
    for (uint32_t d = 0; d < size; ++d) {
      if (!reached[v] || v == root || d == v || !dominates[d][v]) continue;
      bool nearest = true;
      for (uint32_t other = 0; other < size; ++other)
        if (other != v && other != d && dominates[other][v] && !dominates[other][d]) nearest = false;
      if (nearest) idom[v] = d;
    }
  return idom;
}

TEST(Graph, KeepsTheOrderOfEdges) {
  const Edges edges{{1, 2}, {0, 2}, {1, 0}, {1, 2}};
  const Graph graph(3, edges);
  ASSERT_EQ(graph.of(1).size(), 3u);
  EXPECT_EQ(graph.of(1)[0], 2u);
  EXPECT_EQ(graph.of(1)[1], 0u);
  EXPECT_EQ(graph.of(2).size(), 0u);
  EXPECT_EQ(graph.reversed().of(2).size(), 3u);
}

TEST(Dominators, OfADiamond) {
  const Edges edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 3}};
  EXPECT_EQ(immediate_dominators(Graph(5, edges), 0), (std::vector<uint32_t>{none, 0, 0, 0, 3}));
}

TEST(Dominators, LeaveOutWhatTheRootDoesNotReach) {
  const Edges edges{{0, 1}, {2, 1}, {2, 3}};
  EXPECT_EQ(immediate_dominators(Graph(4, edges), 0), (std::vector<uint32_t>{none, 0, none, none}));
}

TEST(Dominators, AgreeWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const uint32_t size = 1 + random() % 14;
    Edges edges;
    for (uint32_t i = 0; i < random() % (3 * size); ++i) edges.emplace_back(random() % size, random() % size);
    const Graph graph(size, edges);
    ASSERT_EQ(immediate_dominators(graph, 0), dominators_by_definition(graph, 0)) << "round " << round;
  }
}

TEST(Dominators, OfALongLadderTakeNoQuadraticTime) {
  // Every rung jumps forward to its mirror image: chains as long as the graph, where a climbing search is
  // quadratic.
  constexpr uint32_t size = 400000;
  Edges edges;
  for (uint32_t node = 0; node + 1 < size; ++node) {
    edges.emplace_back(node, node + 1);
    if (node < size / 2) edges.emplace_back(node, size - 1 - node);
  }
  const auto idom = immediate_dominators(Graph(size, edges), 0);
  EXPECT_EQ(idom[size - 1], 0u);
  EXPECT_EQ(idom[size / 2 + 1], size / 2 - 2);
}

TEST(Components, AreNumberedCalleesFirst) {
  const Edges edges{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 4}};
  const Components components = strongly_connected(Graph(5, edges));
  EXPECT_EQ(components.count, 4u);
  EXPECT_EQ(components.of[1], components.of[2]);
  EXPECT_GT(components.of[0], components.of[1]);
  EXPECT_GT(components.of[2], components.of[3]);
}

}  // namespace
}  // namespace heddle::module
