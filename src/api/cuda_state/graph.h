// A graph of work: nodes and what comes before what. Explicit or captured (capture.h); graph_exec.h runs it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "api/cuda_state/handles.h"
#include "api/cuda_state/process.h"
#include "api/cuda_state/work.h"

namespace heddle::cuda {

// What an edge says besides that one comes before the other (CUgraphEdgeData). Heddle always waits for the
// whole node, which is allowed for every kind of edge.
struct EdgeData {
  uint8_t from_port = 0, to_port = 0, type = 0;
  uint8_t reserved[5] = {};
  bool operator==(const EdgeData&) const = default;
};
struct Edge {
  GraphNode* from = nullptr;
  GraphNode* to = nullptr;
  EdgeData data;
};

using NodeRef = std::shared_ptr<GraphNode>;
using GraphRef = std::shared_ptr<Graph>;

class GraphNode {
 public:
  GraphNode(std::weak_ptr<Graph> graph, Work work) : graph_(std::move(graph)), work_(std::move(work)) {}
  GraphRef graph() const { return graph_.lock(); }
  const Work& work() const { return work_; }
  uint64_t handle() const { return handle_; }
  // In the order in which they were given.
  const std::vector<GraphNode*>& dependencies() const { return before_; }
  const std::vector<GraphNode*>& dependents() const { return after_; }
  // Where a kernel's arguments lie, told as the APIs tell it: good until they change.
  void** arguments();
  // The bodies of a conditional node, as long as it is there.
  GraphHandle* bodies();

 private:
  friend class Graph;
  const std::weak_ptr<Graph> graph_;
  Work work_;
  uint64_t handle_ = 0;
  std::vector<GraphNode*> before_, after_;
  std::vector<void*> arguments_;
  std::vector<GraphHandle> bodies_;
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static GraphRef create(Process& process);
  explicit Graph(Process& process) : process_(process) {}
  ~Graph();

  uint64_t handle();
  Process& process() const { return process_; }
  // Its handle, and those of its nodes, mean nothing any more.
  Status destroy();

  // `data` is empty, or has one for each dependency.
  Answer<NodeRef> add(Work work, std::span<const NodeRef> dependencies, std::span<const EdgeData> data = {});
  Status remove(const NodeRef& node);
  // Both of this graph; an edge that there is already, or that closes a circle, is refused.
  Status add_edge(GraphNode& from, GraphNode& to, const EdgeData& data = {});
  Status remove_edge(GraphNode& from, GraphNode& to, const EdgeData* data = nullptr);
  EdgeData edge_data(const GraphNode& from, const GraphNode& to) const;
  Status set_work(GraphNode& node, Work work);

  const std::vector<NodeRef>& nodes() const { return nodes_; }
  std::vector<Edge> edges() const;
  // The same again, with new nodes; `of` finds the copy of a node.
  GraphRef clone(std::map<const GraphNode*, NodeRef>& of) const;
  // The copy of another graph's node in this one, which was cloned of that; nullptr.
  NodeRef copy_of(const GraphNode& original) const;
  // Every node after those that it depends on; the order of their making where nothing else decides.
  std::vector<GraphNode*> in_order() const;

  void retain(const std::shared_ptr<UserObject>& object, uint64_t count);
  Status release(const std::shared_ptr<UserObject>& object, uint64_t count);
  const std::map<std::shared_ptr<UserObject>, uint64_t>& objects() const { return objects_; }

  // ---- values of conditional nodes
  Answer<uint64_t> create_condition(Context& context, uint32_t usual, bool every_launch);
  ConditionRef condition(uint64_t handle) const;  // nullptr
  const std::vector<ConditionRef>& conditions() const { return conditions_; }

 private:
  // Of a node of another graph: not the program's to destroy.
  void become_part() { is_part_ = true; }
  void forget_handles();
  Status own_parts(Work& work);
  bool reaches(const GraphNode& from, const GraphNode& to) const;

  Process& process_;
  uint64_t handle_ = 0;
  std::vector<NodeRef> nodes_;
  std::map<uint64_t, std::weak_ptr<GraphNode>> copies_;  // by the original's handle
  std::map<std::shared_ptr<UserObject>, uint64_t> objects_;
  std::map<std::pair<const GraphNode*, const GraphNode*>, EdgeData> edge_data_;  // those that say something
  std::vector<ConditionRef> conditions_;
  bool is_part_ = false;
};

// The graphs inside a node; none of most nodes.
std::vector<GraphRef> parts_of(const Work& work);

Answer<GraphRef> find_graph(Process& process, const void* handle);
Answer<NodeRef> find_node(Process& process, const void* handle);

}  // namespace heddle::cuda
