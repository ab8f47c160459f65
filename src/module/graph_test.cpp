#include "module/graph.h"

#include <gtest/gtest.h>

#include "module/image.h"

namespace heddle::module {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(Graph, KeepsTheOrderOfEdges) {
  const Edges edges{{1, 2}, {0, 2}, {1, 0}, {1, 2}};
  const Graph graph(3, edges);
  ASSERT_EQ(graph.of(1).size(), 3u);
  EXPECT_EQ(graph.of(1)[0], 2u);
  EXPECT_EQ(graph.of(1)[1], 0u);
  EXPECT_EQ(graph.of(2).size(), 0u);
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
