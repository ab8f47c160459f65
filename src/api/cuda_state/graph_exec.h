// A graph that is ready to run: nodes in order, each with the operation that it will be.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "api/cuda_state/graph.h"

namespace heddle::cuda {

class GraphExec : public std::enable_shared_from_this<GraphExec> {
 public:
  static Answer<std::shared_ptr<GraphExec>> instantiate(const ContextRef& context, Graph& graph,
                                                        uint64_t flags);
  explicit GraphExec(ContextRef context, uint64_t flags) : context_(std::move(context)), flags_(flags) {}

  uint64_t handle() const { return handle_; }
  uint64_t flags() const { return flags_; }
  const ContextRef& context() const { return context_; }
  Status destroy();

  Status launch(Stream& stream);

  // ---- changes, for later launches. Nodes are those of the graph that it was made of.
  Status set_work(const GraphNode& node, Work work);
  Status set_enabled(const GraphNode& node, bool enabled);
  Answer<bool> enabled(const GraphNode& node) const;
  // What the nodes of a child graph do, by a graph of the same shape.
  Status set_child(const GraphNode& node, const Graph& graph);
  // Takes over what the nodes of a graph of the same shape say. What cannot be is told: `why` of the API's
  // cudaGraphExecUpdateResult, and the node.
  enum class Why {
    success = 0,
    error = 1,
    topology = 2,
    node_type = 3,
    function = 4,
    parameters = 5,
    unsupported_function = 6,
    attributes = 8
  };
  struct Refusal {
    Why why = Why::success;
    uint64_t node = 0, other = 0;
  };
  Status update(Graph& graph, Refusal& refusal);

 private:
  struct Step {
    uint64_t node = 0;  // handle in the graph it was made of; of a child graph's copy 0
    Work work;
    runtime::OperationRef operation;
    std::vector<uint32_t> before;
    bool enabled = true, last = true;
    std::vector<std::shared_ptr<GraphExec>> bodies;  // of a conditional node
  };
  Status append(const Graph& graph, std::vector<uint32_t> before, std::vector<uint32_t>& ends);
  Status prepare(Step& step) const;
  Body body() const;  // what it does, one step after the other
  Status take(GraphExec& fresh, Refusal& refusal, bool try_only);
  // Where the step of a node is: here or in a body. nullptr.
  GraphExec* holder_of(const GraphNode& node);
  Status refresh_conditionals();
  bool is_chain() const;
  Status launch_chain(Stream& stream);
  Status launch_branches(Stream& stream);
  Answer<runtime::TaskRef> start(Step& step, runtime::Stream& stream,
                                 std::span<const runtime::TaskRef> after);
  Step* step_of(const GraphNode& node);
  runtime::OperationRef defaults_;  // what a launch begins with; nullptr

  const ContextRef context_;
  const uint64_t flags_;
  uint64_t handle_ = 0;
  mutable std::mutex mutex_;
  GraphRef graph_;  // a copy: for captures of a launch
  std::vector<Step> steps_;
  std::map<uint64_t, uint32_t> step_of_;  // by node
  bool chain_ = false;
  std::shared_ptr<runtime::Stream> branches_;  // where steps beside each other run
  runtime::TaskRef last_launch_;
};

}  // namespace heddle::cuda
