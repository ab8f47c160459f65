#include "api/cuda_state/graph.h"

#include <algorithm>
#include <deque>
#include <set>

#include "api/cuda_state/user_object.h"

namespace heddle::cuda {
namespace {

void drop(std::vector<GraphNode*>& list, const GraphNode* node) { std::erase(list, node); }

}  // namespace

GraphRef Graph::create(Process& process) { return std::make_shared<Graph>(process); }

Graph::~Graph() {
  for (const NodeRef& node : nodes_) process_.handles().graph_nodes.remove(node->handle());
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

Status Graph::destroy() {
  if (process_.handles().graphs.remove(handle_) == nullptr)
    return failure(Code::invalid_value, "the graph was destroyed before, or is part of another one");
  for (const NodeRef& node : nodes_) process_.handles().graph_nodes.remove(node->handle());
  return Unit{};
}

Answer<NodeRef> Graph::add(Work work, std::span<const NodeRef> dependencies) {
  std::set<const GraphNode*> seen;
  for (const NodeRef& before : dependencies) {
    if (before == nullptr || before->graph().get() != this)
      return invalid_value("a dependency is no node of this graph");
    if (!seen.insert(before.get()).second) return invalid_value("a dependency is named twice");
  }
  if (const auto* child = std::get_if<ChildWork>(&work)) {
    std::map<const GraphNode*, NodeRef> copies;
    work = ChildWork{child->graph->clone(copies)};
  }
  auto node = std::make_shared<GraphNode>(weak_from_this(), std::move(work));
  node->handle_ = process_.handles().graph_nodes.add(node);
  if (node->handle_ == 0) return failure(Code::out_of_memory, "too many nodes");
  for (const NodeRef& before : dependencies) {
    node->before_.push_back(before.get());
    before->after_.push_back(node.get());
  }
  nodes_.push_back(node);
  return node;
}

Status Graph::remove(const NodeRef& node) {
  for (GraphNode* before : node->before_) drop(before->after_, node.get());
  for (GraphNode* after : node->after_) drop(after->before_, node.get());
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

Status Graph::add_edge(GraphNode& from, GraphNode& to) {
  if (from.graph().get() != this || to.graph().get() != this)
    return invalid_value("a dependency is no node of this graph");
  if (std::ranges::find(from.after_, &to) != from.after_.end())
    return invalid_value("the dependency is there already");
  if (reaches(to, from)) return invalid_value("the dependency closes a circle");
  from.after_.push_back(&to);
  to.before_.push_back(&from);
  return Unit{};
}

Status Graph::remove_edge(GraphNode& from, GraphNode& to) {
  if (std::ranges::find(from.after_, &to) == from.after_.end())
    return invalid_value("there is no such dependency");
  drop(from.after_, &to);
  drop(to.before_, &from);
  return Unit{};
}

Status Graph::set_work(GraphNode& node, Work work) {
  if (node.work_.index() != work.index())
    return invalid_value("a " + std::string(name(node.work_)) + " node cannot become a " +
                         std::string(name(work)) + " node");
  node.work_ = std::move(work);
  return Unit{};
}

std::vector<std::pair<GraphNode*, GraphNode*>> Graph::edges() const {
  std::vector<std::pair<GraphNode*, GraphNode*>> all;
  for (const NodeRef& node : nodes_)
    for (GraphNode* after : node->after_) all.emplace_back(node.get(), after);
  return all;
}

GraphRef Graph::clone(std::map<const GraphNode*, NodeRef>& of) const {
  GraphRef copy = create(process_);
  for (const NodeRef& node : nodes_) {
    auto made = copy->add(node->work_, {});
    if (!made) continue;
    of[node.get()] = *made;
    copy->copies_[node->handle()] = *made;
  }
  for (const auto& [from, to] : edges()) {
    of[from]->after_.push_back(of[to].get());
    of[to]->before_.push_back(of[from].get());
  }
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
