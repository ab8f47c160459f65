// A graph of work: nodes and what comes before what. Explicit or captured (capture.h); graph_exec.h runs it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "api/cuda_state/process.h"
#include "api/cuda_state/work.h"

namespace heddle::cuda {

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

 private:
  friend class Graph;
  const std::weak_ptr<Graph> graph_;
  Work work_;
  uint64_t handle_ = 0;
  std::vector<GraphNode*> before_, after_;
  std::vector<void*> arguments_;
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

  Answer<NodeRef> add(Work work, std::span<const NodeRef> dependencies);
  Status remove(const NodeRef& node);
  // Both of this graph; an edge that there is already, or that closes a circle, is refused.
  Status add_edge(GraphNode& from, GraphNode& to);
  Status remove_edge(GraphNode& from, GraphNode& to);
  Status set_work(GraphNode& node, Work work);

  const std::vector<NodeRef>& nodes() const { return nodes_; }
  std::vector<std::pair<GraphNode*, GraphNode*>> edges() const;
  // The same again, with new nodes; `of` finds the copy of a node.
  GraphRef clone(std::map<const GraphNode*, NodeRef>& of) const;
  // The copy of another graph's node in this one, which was cloned of that; nullptr.
  NodeRef copy_of(const GraphNode& original) const;
  // Every node after those that it depends on; the order of their making where nothing else decides.
  std::vector<GraphNode*> in_order() const;

  void retain(const std::shared_ptr<UserObject>& object, uint64_t count);
  Status release(const std::shared_ptr<UserObject>& object, uint64_t count);
  const std::map<std::shared_ptr<UserObject>, uint64_t>& objects() const { return objects_; }

 private:
  bool reaches(const GraphNode& from, const GraphNode& to) const;

  Process& process_;
  uint64_t handle_ = 0;
  std::vector<NodeRef> nodes_;
  std::map<uint64_t, std::weak_ptr<GraphNode>> copies_;  // by the original's handle
  std::map<std::shared_ptr<UserObject>, uint64_t> objects_;
};

Answer<GraphRef> find_graph(Process& process, const void* handle);
Answer<NodeRef> find_node(Process& process, const void* handle);

}  // namespace heddle::cuda
