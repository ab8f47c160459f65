#include "api/cuda_state/graph.h"

#include <algorithm>
#include <deque>
#include <set>

#include "api/cuda_state/resources.h"
#include "api/cuda_state/user_object.h"

namespace heddle::cuda {
namespace {

void drop(std::vector<GraphNode*>& list, const GraphNode* node) { std::erase(list, node); }

// Nodes that are copied are told as copies.
thread_local int cloning = 0;

ResourceFacts node_facts(const GraphNode& node, Graph& graph, bool made) {
  return {.kind = Resource::graph_node,
          .made = made,
          .handle = node.handle(),
          .graph = graph.handle(),
          .node_type = static_cast<int>(type_of(node.work()))};
}

ResourceFacts edge_facts(const GraphNode& from, const GraphNode& to, Graph& graph, bool made) {
  return {.kind = Resource::graph_edge,
          .made = made,
          .handle = to.handle(),
          .graph = graph.handle(),
          .before = from.handle()};
}

}  // namespace

GraphRef Graph::create(Process& process) { return std::make_shared<Graph>(process); }

Graph::~Graph() {
  forget_handles();
  for (const auto& [object, count] : objects_) {
    bool last = false;
    object->release(count, last);
    if (last) process_.handles().user_objects.remove(object->handle);
  }
}

uint64_t Graph::handle() {
  if (handle_ == 0) handle_ = process_.handles().graphs.add(shared_from_this());
  return handle_;
}

void Graph::forget_handles() {
  for (const NodeRef& node : nodes_) {
    process_.handles().graph_nodes.remove(node->handle());
    for (const GraphRef& part : parts_of(node->work())) {
      part->forget_handles();
      process_.handles().graphs.remove(part->handle_);
    }
  }
}

Status Graph::destroy() {
  if (is_part_) return invalid_value("the graph is part of a node, and goes with it");
  if (process_.handles().graphs.find(handle_) != nullptr) {
    tell_resource([&] {
      return ResourceFacts{.kind = Resource::graph, .made = false, .handle = handle_, .graph = handle_};
    });
    for (const NodeRef& node : nodes_) tell_resource([&] { return node_facts(*node, *this, false); });
  }
  if (process_.handles().graphs.remove(handle_) == nullptr)
    return invalid_value("the graph was destroyed before");
  forget_handles();
  return Unit{};
}

namespace {

Status check_edge(const GraphNode& from, const GraphNode& to, const EdgeData& data) {
  constexpr uint8_t programmatic = 1, kernel_ports = 2;
  for (const uint8_t byte : data.reserved)
    if (byte != 0) return invalid_value("reserved bytes of an edge are not 0");
  if (data.type > programmatic || data.from_port > kernel_ports || data.to_port != 0)
    return invalid_value("an edge of type " + std::to_string(data.type) + " from port " +
                         std::to_string(data.from_port) + " to port " + std::to_string(data.to_port));
  const bool kernels =
      std::holds_alternative<KernelWork>(from.work()) && std::holds_alternative<KernelWork>(to.work());
  if (data.type == programmatic && (!kernels || data.from_port == 0))
    return invalid_value("a programmatic edge leads from a port of a kernel to a kernel");
  if (data.from_port != 0 && !std::holds_alternative<KernelWork>(from.work()))
    return invalid_value("only kernels have ports besides 0");
  return Unit{};
}

}  // namespace

// Graphs inside of nodes belong to them.
Status Graph::own_parts(Work& work) {
  std::map<const GraphNode*, NodeRef> copies;
  if (auto* child = std::get_if<ChildWork>(&work)) {
    if (child->graph.get() == this) return invalid_value("a graph cannot be part of itself");
    child->graph = child->graph->clone(copies);
    child->graph->become_part();
  }
  if (auto* conditional = std::get_if<ConditionalWork>(&work)) {
    const bool fresh = conditional->bodies.empty();
    if (fresh) conditional->bodies.resize(conditional->size);
    for (GraphRef& body : conditional->bodies) {
      body = fresh ? create(process_) : body->clone(copies);
      body->become_part();
    }
  }
  return Unit{};
}

Answer<NodeRef> Graph::add(Work work, std::span<const NodeRef> dependencies, std::span<const EdgeData> data) {
  std::set<const GraphNode*> seen;
  for (const NodeRef& before : dependencies) {
    if (before == nullptr || before->graph().get() != this)
      return invalid_value("a dependency is no node of this graph");
    if (!seen.insert(before.get()).second) return invalid_value("a dependency is named twice");
  }
  if (Status owned = own_parts(work); !owned) return owned.error();
  auto node = std::make_shared<GraphNode>(weak_from_this(), std::move(work));
  for (std::size_t i = 0; i < data.size(); ++i)
    if (Status good = check_edge(*dependencies[i], *node, data[i]); !good) return good.error();
  node->handle_ = process_.handles().graph_nodes.add(node);
  if (node->handle_ == 0) return failure(Code::out_of_memory, "too many nodes");
  for (const NodeRef& before : dependencies) {
    node->before_.push_back(before.get());
    before->after_.push_back(node.get());
  }
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != EdgeData{}) edge_data_[{dependencies[i].get(), node.get()}] = data[i];
  nodes_.push_back(node);
  if (cloning == 0)
    tell_resource([&] {
      ResourceFacts facts = node_facts(*node, *this, true);
      for (const GraphNode* before : node->before_) facts.dependencies.push_back(before->handle());
      return facts;
    });
  return node;
}

Status Graph::remove(const NodeRef& node) {
  tell_resource([&] { return node_facts(*node, *this, false); });
  for (const GraphNode* before : node->before_)
    tell_resource([&] { return edge_facts(*before, *node, *this, false); });
  for (GraphNode* before : node->before_) drop(before->after_, node.get());
  for (GraphNode* after : node->after_) drop(after->before_, node.get());
  std::erase_if(edge_data_, [&](const auto& edge) {
    return edge.first.first == node.get() || edge.first.second == node.get();
  });
  for (const GraphRef& part : parts_of(node->work_)) {
    part->forget_handles();
    process_.handles().graphs.remove(part->handle_);
  }
  process_.handles().graph_nodes.remove(node->handle_);
  std::erase(nodes_, node);
  return Unit{};
}

bool Graph::reaches(const GraphNode& from, const GraphNode& to) const {
  std::set<const GraphNode*> seen;
  std::vector<const GraphNode*> open{&from};
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (node == &to) return true;
    if (!seen.insert(node).second) continue;
    open.insert(open.end(), node->after_.begin(), node->after_.end());
  }
  return false;
}

Status Graph::add_edge(GraphNode& from, GraphNode& to, const EdgeData& data) {
  if (from.graph().get() != this || to.graph().get() != this)
    return invalid_value("a dependency is no node of this graph");
  if (std::ranges::find(from.after_, &to) != from.after_.end())
    return invalid_value("the dependency is there already");
  if (Status good = check_edge(from, to, data); !good) return good;
  if (reaches(to, from)) return invalid_value("the dependency closes a circle");
  from.after_.push_back(&to);
  to.before_.push_back(&from);
  if (data != EdgeData{}) edge_data_[{&from, &to}] = data;
  tell_resource([&] { return edge_facts(from, to, *this, true); });
  return Unit{};
}

Status Graph::remove_edge(GraphNode& from, GraphNode& to, const EdgeData* data) {
  if (std::ranges::find(from.after_, &to) == from.after_.end() ||
      (data != nullptr && *data != edge_data(from, to)))
    return invalid_value("there is no such dependency");
  tell_resource([&] { return edge_facts(from, to, *this, false); });
  drop(from.after_, &to);
  drop(to.before_, &from);
  edge_data_.erase({&from, &to});
  return Unit{};
}

EdgeData Graph::edge_data(const GraphNode& from, const GraphNode& to) const {
  const auto found = edge_data_.find({&from, &to});
  return found == edge_data_.end() ? EdgeData{} : found->second;
}

Status Graph::set_work(GraphNode& node, Work work) {
  if (node.work_.index() != work.index())
    return invalid_value("a " + std::string(name(node.work_)) + " node cannot become a " +
                         std::string(name(work)) + " node");
  if (std::holds_alternative<ConditionalWork>(work) || std::holds_alternative<AllocateWork>(work) ||
      std::holds_alternative<FreeWork>(work))
    return invalid_value("the parameters of a " + std::string(name(work)) + " node cannot change");
  if (Status owned = own_parts(work); !owned) return owned;
  for (const GraphRef& part : parts_of(node.work_)) {
    part->forget_handles();
    process_.handles().graphs.remove(part->handle_);
  }
  node.work_ = std::move(work);
  return Unit{};
}

std::vector<Edge> Graph::edges() const {
  std::vector<Edge> all;
  for (const NodeRef& node : nodes_)
    for (GraphNode* after : node->after_) all.push_back({node.get(), after, edge_data(*node, *after)});
  return all;
}

GraphRef Graph::clone(std::map<const GraphNode*, NodeRef>& of) const {
  GraphRef copy = create(process_);
  ++cloning;
  for (const NodeRef& node : nodes_) {
    auto made = copy->add(node->work_, {});
    if (!made) continue;
    of[node.get()] = *made;
    copy->copies_[node->handle()] = *made;
  }
  --cloning;
  for (const Edge& edge : edges()) {
    of[edge.from]->after_.push_back(of[edge.to].get());
    of[edge.to]->before_.push_back(of[edge.from].get());
    if (edge.data != EdgeData{}) copy->edge_data_[{of[edge.from].get(), of[edge.to].get()}] = edge.data;
  }
  copy->conditions_ = conditions_;
  for (const auto& [object, count] : objects_) copy->retain(object, count);
  return copy;
}

NodeRef Graph::copy_of(const GraphNode& original) const {
  const auto found = copies_.find(original.handle());
  return found == copies_.end() ? nullptr : found->second.lock();
}

void** GraphNode::arguments() {
  auto* kernel = std::get_if<KernelWork>(&work_);
  arguments_.clear();
  if (kernel == nullptr) return nullptr;
  for (const module::Parameter& parameter : kernel->function->kernel().function().signature.params)
    arguments_.push_back(kernel->params.data() + parameter.offset);
  return arguments_.data();
}

GraphHandle* GraphNode::bodies() {
  bodies_.clear();
  for (const GraphRef& body : parts_of(work_)) bodies_.push_back(as_handle<GraphHandle>(body->handle()));
  return bodies_.data();
}

std::vector<GraphRef> parts_of(const Work& work) {
  if (const auto* child = std::get_if<ChildWork>(&work)) return {child->graph};
  if (const auto* conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
  return {};
}

Answer<uint64_t> Graph::create_condition(Context& context, uint32_t usual, bool every_launch) {
  auto value = ConditionValue::create(context, usual, every_launch);
  if (!value) return value.error();
  conditions_.push_back(*value);
  return (*value)->handle();
}

ConditionRef Graph::condition(uint64_t handle) const {
  for (const ConditionRef& value : conditions_)
    if (value->handle() == handle) return value;
  return nullptr;
}

std::vector<GraphNode*> Graph::in_order() const {
  std::vector<GraphNode*> order;
  std::map<const GraphNode*, std::size_t> waiting;
  std::deque<GraphNode*> ready;
  for (const NodeRef& node : nodes_) {
    waiting[node.get()] = node->before_.size();
    if (node->before_.empty()) ready.push_back(node.get());
  }
  while (!ready.empty()) {
    GraphNode* node = ready.front();
    ready.pop_front();
    order.push_back(node);
    for (GraphNode* after : node->after_)
      if (--waiting[after] == 0) ready.push_back(after);
  }
  return order;
}

void Graph::retain(const std::shared_ptr<UserObject>& object, uint64_t count) {
  object->retain(count);
  objects_[object] += count;
}

Status Graph::release(const std::shared_ptr<UserObject>& object, uint64_t count) {
  const auto found = objects_.find(object);
  if (found == objects_.end() || found->second < count)
    return invalid_value("the graph does not hold so many references to the object");
  bool last = false;
  object->release(count, last);
  if (last) process_.handles().user_objects.remove(object->handle);
  if ((found->second -= count) == 0) objects_.erase(found);
  return Unit{};
}

Answer<GraphRef> find_graph(Process& process, const void* handle) {
  GraphRef graph = process.handles().graphs.find(handle);
  if (graph == nullptr) return invalid_value("no such graph");
  return graph;
}

Answer<NodeRef> find_node(Process& process, const void* handle) {
  NodeRef node = process.handles().graph_nodes.find(handle);
  if (node == nullptr || node->graph() == nullptr) return invalid_value("no such node");
  return node;
}

}  // namespace heddle::cuda
