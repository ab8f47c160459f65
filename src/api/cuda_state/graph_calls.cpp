#include "api/cuda_state/graph_calls.h"

#include <algorithm>

#include "api/cuda_state/arguments.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/occupancy.h"
#include "api/cuda_state/resources.h"
#include "api/cuda_state/user_object.h"
#include "runtime/launch.h"

namespace heddle::cuda {
namespace {

Answer<GraphRef> graph_of(GraphHandle handle) { return find_graph(Process::get(), handle); }
Answer<NodeRef> node_of(NodeHandle handle) { return find_node(Process::get(), handle); }

template <class Nodes>
Status list(const Nodes& nodes, NodeHandle* to, std::size_t* count) {
  if (to == nullptr) {
    *count = nodes.size();
    return Unit{};
  }
  for (std::size_t i = 0; i < *count; ++i)
    to[i] = i < nodes.size() ? as_handle<NodeHandle>(nodes[i]->handle()) : nullptr;
  *count = std::min(*count, nodes.size());
  return Unit{};
}

// Of each of `count` edges, where there is a place; without one they must say nothing.
Status tell_edges(const std::vector<EdgeData>& all, void* data, std::size_t count, bool counting) {
  if (data == nullptr || counting) {
    const bool lossy = data == nullptr && !counting &&
                       std::ranges::any_of(all, [](const EdgeData& one) { return one != EdgeData{}; });
    if (lossy) return failure(Code::lossy_query, "edges have data, and there is no place for it");
    return Unit{};
  }
  auto* to = static_cast<EdgeData*>(data);
  for (std::size_t i = 0; i < count; ++i) to[i] = i < all.size() ? all[i] : EdgeData{};
  return Unit{};
}

EdgeData edge_at(const void* data, std::size_t index) {
  EdgeData edge;
  if (data != nullptr)
    std::memcpy(&edge, static_cast<const std::byte*>(data) + index * sizeof edge, sizeof edge);
  return edge;
}

Answer<std::shared_ptr<UserObject>> find_object(UserObjectHandle handle) {
  auto object = Process::get().handles().user_objects.find(handle);
  if (object == nullptr) return invalid_value("no such user object");
  return object;
}

}  // namespace

Status graph_create(GraphHandle* out, unsigned flags) {
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  if (Status ready = Process::get().state(); !ready) return ready;
  // The handle keeps it.
  const GraphRef graph = Graph::create(Process::get());
  *out = as_handle<GraphHandle>(graph->handle());
  tell_resource([&] {
    return ResourceFacts{.kind = Resource::graph, .handle = graph->handle(), .graph = graph->handle()};
  });
  return Unit{};
}

Status graph_destroy(GraphHandle handle) {
  auto graph = graph_of(handle);
  return graph ? (*graph)->destroy() : Status(graph.error());
}

namespace {

bool is_memory(const NodeRef& node) {
  return std::holds_alternative<AllocateWork>(node->work()) || std::holds_alternative<FreeWork>(node->work());
}

// Memory belongs to one graph, and so do conditions: "if childGraph contains allocation nodes, free nodes, or
// conditional nodes, this call will return an error" (cudaGraphAddChildGraphNode; cudaGraphClone alike).
Status can_be_copied(const Graph& graph) {
  for (const NodeRef& node : graph.nodes())
    if (is_memory(node) || std::holds_alternative<ConditionalWork>(node->work()))
      return failure(Code::not_supported,
                     "the graph has a " + std::string(name(node->work())) + " node, which cannot be copied");
  return Unit{};
}

// "Dependencies cannot be removed from graphs which contain allocation or free nodes" (cudaGraphDestroyNode).
Status can_be_reduced(const Graph& graph) {
  for (const NodeRef& node : graph.nodes())
    if (is_memory(node))
      return failure(Code::not_supported, "the graph has a " + std::string(name(node->work())) +
                                              " node: nodes and edges stay in it");
  return Unit{};
}

void tell_graph(Graph& graph, uint64_t original) {
  tell_resource([&] {
    return ResourceFacts{.kind = Resource::graph,
                         .handle = graph.handle(),
                         .graph = graph.handle(),
                         .original_graph = original};
  });
}

// As a graph, its nodes and edges, and then as a copy.
void tell_copy(Graph& original, Graph& copy, const std::map<const GraphNode*, NodeRef>& copies) {
  tell_graph(copy, 0);
  for (const NodeRef& node : original.nodes()) {
    const auto made = copies.find(node.get());
    if (made == copies.end()) continue;
    tell_resource([&] {
      return ResourceFacts{.kind = Resource::graph_node,
                           .handle = made->second->handle(),
                           .graph = copy.handle(),
                           .original = node->handle(),
                           .original_graph = original.handle(),
                           .node_type = static_cast<int>(type_of(node->work()))};
    });
  }
  for (const Edge& edge : copy.edges())
    tell_resource([&] {
      return ResourceFacts{.kind = Resource::graph_edge,
                           .handle = edge.to->handle(),
                           .graph = copy.handle(),
                           .before = edge.from->handle()};
    });
  tell_graph(copy, original.handle());
}

}  // namespace

Status graph_clone(GraphHandle* out, GraphHandle handle) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  if (Status can = can_be_copied(**graph); !can) return can;
  std::map<const GraphNode*, NodeRef> copies;
  const GraphRef copy = (*graph)->clone(copies);
  *out = as_handle<GraphHandle>(copy->handle());
  tell_copy(**graph, *copy, copies);
  return Unit{};
}

Status node_in_clone(NodeHandle* out, NodeHandle original, GraphHandle clone) {
  auto node = node_of(original);
  if (!node) return node.error();
  auto graph = graph_of(clone);
  if (!graph) return graph.error();
  const NodeRef copy = (*graph)->copy_of(**node);
  if (copy == nullptr) return invalid_value("the graph was not cloned of the node's");
  *out = as_handle<NodeHandle>(copy->handle());
  return Unit{};
}

Status graph_nodes(GraphHandle handle, NodeHandle* to, std::size_t* count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  return list((*graph)->nodes(), to, count);
}

Status graph_roots(GraphHandle handle, NodeHandle* to, std::size_t* count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  std::vector<NodeRef> roots;
  for (const NodeRef& node : (*graph)->nodes())
    if (node->dependencies().empty()) roots.push_back(node);
  return list(roots, to, count);
}

Status graph_edges(GraphHandle handle, NodeHandle* from, NodeHandle* to, void* data, std::size_t* count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  const std::vector<Edge> edges = (*graph)->edges();
  const bool counting = from == nullptr && to == nullptr;
  if (counting && data == nullptr) {
    *count = edges.size();
    return Unit{};
  }
  if (from == nullptr || to == nullptr) return invalid_value("one side of the edges is NULL");
  std::vector<EdgeData> said;
  for (const Edge& edge : edges) said.push_back(edge.data);
  if (Status told = tell_edges(said, data, *count, counting); !told) return told;
  for (std::size_t i = 0; i < *count; ++i) {
    const bool there = i < edges.size();
    from[i] = there ? as_handle<NodeHandle>(edges[i].from->handle()) : nullptr;
    to[i] = there ? as_handle<NodeHandle>(edges[i].to->handle()) : nullptr;
  }
  *count = std::min(*count, edges.size());
  return Unit{};
}

namespace {

Status neighbours(NodeHandle handle, NodeHandle* to, void* data, std::size_t* count, bool before) {
  auto node = node_of(handle);
  if (!node) return node.error();
  if (to == nullptr && data != nullptr) return invalid_value("a place for the edges, and none for the nodes");
  const GraphRef graph = (*node)->graph();
  const std::vector<GraphNode*>& others = before ? (*node)->dependencies() : (*node)->dependents();
  std::vector<EdgeData> said;
  for (const GraphNode* other : others)
    said.push_back(before ? graph->edge_data(*other, **node) : graph->edge_data(**node, *other));
  if (Status told = tell_edges(said, data, *count, to == nullptr); !told) return told;
  return list(others, to, count);
}

}  // namespace

Status node_dependencies(NodeHandle node, NodeHandle* to, void* data, std::size_t* count) {
  return neighbours(node, to, data, count, true);
}
Status node_dependents(NodeHandle node, NodeHandle* to, void* data, std::size_t* count) {
  return neighbours(node, to, data, count, false);
}

Answer<std::vector<NodeRef>> find_nodes(const NodeHandle* handles, std::size_t count) {
  if (count != 0 && handles == nullptr) return invalid_value("the nodes are NULL");
  std::vector<NodeRef> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    auto node = node_of(handles[i]);
    if (!node) return node.error();
    nodes.push_back(*node);
  }
  return nodes;
}

Status check_edge_data(const void* data, std::size_t count) {
  constexpr uint8_t programmatic = 1, kernel_ports = 2;
  for (std::size_t i = 0; data != nullptr && i < count; ++i) {
    const EdgeData edge = edge_at(data, i);
    if (edge.type > programmatic || edge.from_port > kernel_ports || edge.to_port != 0)
      return invalid_value("an edge of type " + std::to_string(edge.type) + " from port " +
                           std::to_string(edge.from_port) + " to port " + std::to_string(edge.to_port));
  }
  return Unit{};
}

Status add_edges(GraphHandle handle, const NodeHandle* from, const NodeHandle* to, const void* data,
                 std::size_t count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  auto first = find_nodes(from, count), second = find_nodes(to, count);
  if (!first) return first.error();
  if (!second) return second.error();
  for (std::size_t i = 0; i < count; ++i)
    if (Status added = (*graph)->add_edge(*(*first)[i], *(*second)[i], edge_at(data, i)); !added) {
      // All of them, or none.
      while (i-- > 0) (void)(*graph)->remove_edge(*(*first)[i], *(*second)[i]);
      return added;
    }
  return Unit{};
}

Status remove_edges(GraphHandle handle, const NodeHandle* from, const NodeHandle* to, const void* data,
                    std::size_t count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  auto first = find_nodes(from, count), second = find_nodes(to, count);
  if (!first) return first.error();
  if (!second) return second.error();
  if (Status can = can_be_reduced(**graph); count != 0 && !can) return can;
  for (std::size_t i = 0; i < count; ++i) {
    const EdgeData edge = edge_at(data, i);
    if (Status gone = (*graph)->remove_edge(*(*first)[i], *(*second)[i], data != nullptr ? &edge : nullptr);
        !gone)
      return gone;
  }
  return Unit{};
}

Status destroy_node(NodeHandle handle) {
  auto node = node_of(handle);
  if (!node) return node.error();
  const GraphRef graph = (*node)->graph();
  if (Status can = can_be_reduced(*graph); !can) return can;
  return graph->remove(*node);
}

// ---- nodes
Status add_node(NodeHandle* out, GraphHandle handle, const NodeHandle* dependencies, const void* data,
                std::size_t count, Answer<Work> work) {
  *out = nullptr;
  if (!work) return work.error();  // first, as a device's driver does
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  auto before = find_nodes(dependencies, count);
  if (!before) return before.error();
  std::vector<EdgeData> edges;
  if (data != nullptr)
    for (std::size_t i = 0; i < count; ++i) edges.push_back(edge_at(data, i));
  auto made = (*graph)->add(std::move(*work), *before, edges);
  if (!made) return made.error();
  *out = as_handle<NodeHandle>((*made)->handle());
  return Unit{};
}

namespace {

// The runtime finds a kernel's function before it hands anything on.
bool without_function(const Answer<Work>& work) {
  return !work && work.error().code == Code::invalid_device_function;
}

}  // namespace

Status set_node(NodeHandle handle, Answer<Work> work) {
  if (without_function(work)) return work.error();
  auto node = node_of(handle);
  if (!node) return node.error();
  if (!work) return work.error();
  return (*node)->graph()->set_work(**node, std::move(*work));
}

Status node_child(NodeHandle node, GraphHandle* out) {
  auto said = said_by<ChildWork>(node);
  if (!said) return said.error();
  *out = as_handle<GraphHandle>(said->second->graph->handle());
  return Unit{};
}

namespace {

Status tell_number(void* out, uint64_t number) {
  std::memcpy(out, &number, sizeof number);
  return Unit{};
}

}  // namespace

Status node_recorded_event(NodeHandle node, void* out) {
  auto said = said_by<RecordWork>(node);
  return said ? tell_number(out, said->second->event->handle()) : Status(said.error());
}
Status node_awaited_event(NodeHandle node, void* out) {
  auto said = said_by<WaitWork>(node);
  return said ? tell_number(out, said->second->event->handle()) : Status(said.error());
}
Status node_freed_address(NodeHandle node, void* out) {
  auto said = said_by<FreeWork>(node);
  return said ? tell_number(out, said->second->address) : Status(said.error());
}

Status copy_node_attributes(NodeHandle to, NodeHandle from) {
  auto source = said_by<KernelWork>(from), target = said_by<KernelWork>(to);
  if (!source) return source.error();
  if (!target) return target.error();
  KernelWork work = *target->second;
  work.cooperative = source->second->cooperative;
  work.cluster = source->second->cluster;
  work.attributes = source->second->attributes;
  return target->first->graph()->set_work(*target->first, std::move(work));
}

Status get_node_attribute(NodeHandle node, int attribute, void* value) {
  auto said = said_by<KernelWork>(node);
  if (!said) return said.error();
  if (!of_kernel_nodes(attribute))
    return invalid_value("kernel nodes have no attribute " + std::to_string(attribute));
  const KernelWork& work = *said->second;
  work.attributes.get(attribute, value);
  if (static_cast<LaunchAttribute>(attribute) == LaunchAttribute::cooperative) {
    const int cooperative = work.cooperative ? 1 : 0;
    std::memcpy(value, &cooperative, sizeof cooperative);
  }
  if (static_cast<LaunchAttribute>(attribute) == LaunchAttribute::cluster_dimension) {
    const exec::Dim3 cluster = work.cluster.value_or(exec::Dim3{0, 0, 0});
    const std::array<uint32_t, 3> sides{cluster.x, cluster.y, cluster.z};
    std::memcpy(value, sides.data(), sizeof sides);
  }
  return Unit{};
}

Status set_node_attribute(NodeHandle node, int attribute, const void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto said = said_by<KernelWork>(node);
  if (!said) return said.error();
  if (!of_kernel_nodes(attribute))
    return invalid_value("kernel nodes have no attribute " + std::to_string(attribute));
  KernelWork work = *said->second;
  LaunchWishes wishes;
  if (Status taken = wishes.take(attribute, value); !taken) return taken;
  if (static_cast<LaunchAttribute>(attribute) == LaunchAttribute::cooperative)
    work.cooperative = wishes.cooperative;
  if (wishes.cluster) {
    const exec::Dim3 &cluster = *wishes.cluster, &grid = work.grid;
    if (Status fits = cluster_fits(*work.function, cluster); !fits) return fits;
    if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
      return failure(Code::invalid_cluster_size, "the node's grid is no whole number of such clusters");
    work.cluster = cluster;
  }
  work.attributes.set(attribute, value);
  return said->first->graph()->set_work(*said->first, std::move(work));
}

// ---- what nodes do
Answer<Work> empty_work() { return Work(EmptyWork{}); }

Answer<Work> child_work(GraphHandle handle) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  if (Status can = can_be_copied(**graph); !can) return can.error();
  return Work(ChildWork{*graph});
}

Answer<Work> record_work(const void* handle) {
  auto event = find_event(Process::get(), handle);
  if (!event) return event.error();
  return Work(RecordWork{*event});
}

Answer<Work> wait_work(const void* handle) {
  auto event = find_event(Process::get(), handle);
  if (!event) return event.error();
  return Work(WaitWork{*event});
}

Answer<Work> free_work(uint64_t address) {
  if (!GraphMemory::begins_at(address)) return invalid_value("no memory of a graph begins at the address");
  return Work(FreeWork{address});
}

Answer<Work> allocate_work(int number, uint64_t bytes, uint64_t& address) {
  auto device = Process::get().device(number);
  if (!device) return device.error();
  if (bytes == 0) return invalid_value("an allocation of 0 bytes");
  auto context = (*device)->primary();
  if (!context) return context.error();
  auto memory = GraphMemory::create(**context, bytes);
  if (!memory) return memory.error();
  address = (*memory)->address();
  return Work(AllocateWork{*memory, bytes, number});
}

Answer<Work> checked(const Answer<ContextRef>& context, Work work) {
  if (!context) return context.error();
  if (auto made = make_operation(**context, work); !made) return made.error();
  return work;
}

Answer<Work> kernel_work(const FunctionRef& function, const exec::Dim3& grid, const exec::Dim3& block,
                         unsigned dynamic_shared, void* const* arguments, void* const* extra) {
  KernelWork work;
  work.function = function;
  work.grid = grid;
  work.block = block;
  work.dynamic_shared = dynamic_shared;
  auto params = pack_arguments(*function, arguments, extra);
  if (!params) return params.error();
  work.params = std::move(*params);
  return checked(function->module().context().shared_from_this(), std::move(work));
}

Answer<Work> fill_work(const Answer<ContextRef>& context, const FillParams& params) {
  const unsigned size = params.element_bytes;
  if (size != 1 && size != 2 && size != 4)
    return invalid_value("elements of " + std::to_string(size) + " bytes");
  if (params.width == 0 || params.height == 0) return invalid_value("a fill of nothing");
  if (params.width > UINT64_MAX / size) return invalid_value("a row of more than 2^64 bytes");
  FillWork work;
  work.to.address = params.address;
  work.to.row_pitch = params.pitch;
  work.extent = {params.width * size, params.height, 1};
  if (params.height == 1) work.to.row_pitch = work.extent.bytes;
  work.pattern.resize(size);
  std::memcpy(work.pattern.data(), &params.value, size);
  return checked(context, std::move(work));
}

// ---- conditional nodes
Status create_condition(void* out, GraphHandle handle, const Answer<ContextRef>& context, unsigned usual,
                        unsigned flags) {
  constexpr unsigned assign_usual = 1;
  if (flags > assign_usual) return invalid_value("flags " + std::to_string(flags));
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  if (!context) return context.error();
  auto value = (*graph)->create_condition(**context, usual, flags == assign_usual);
  return value ? tell_number(out, *value) : Status(value.error());
}

Answer<Work> conditional_work(GraphHandle handle, uint64_t value, int kind, unsigned size) {
  if (handle == nullptr) return invalid_value("the parameters of a conditional node cannot change");
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  ConditionalWork work;
  work.value = (*graph)->condition(value);
  if (work.value == nullptr) return invalid_value("the handle of the condition is none of this graph's");
  for (const NodeRef& node : (*graph)->nodes())
    if (const auto* other = std::get_if<ConditionalWork>(&node->work());
        other != nullptr && other->value == work.value)
      return invalid_value("the condition is another node's already");
  if (kind < 0 || kind > static_cast<int>(ConditionalKind::switch_))
    return invalid_value("no kind of conditional node has the number " + std::to_string(kind));
  work.kind = static_cast<ConditionalKind>(kind);
  const unsigned most = work.kind == ConditionalKind::if_      ? 2
                        : work.kind == ConditionalKind::while_ ? 1
                                                               : 1U << 16;
  if (size == 0 || size > most)
    return invalid_value("a conditional node of " + std::to_string(size) + " bodies, 1 to " +
                         std::to_string(most) + " are possible");
  work.size = size;
  return Work(std::move(work));
}

// ---- graphs that run
Answer<std::shared_ptr<GraphExec>> find_exec(ExecHandle handle) {
  auto exec = Process::get().handles().graph_execs.find(handle);
  if (exec == nullptr) return invalid_value("no such executable graph");
  return exec;
}

Status instantiate(const Answer<ContextRef>& context, ExecHandle* out, GraphHandle handle, uint64_t flags) {
  *out = nullptr;
  constexpr uint64_t known = 15;  // free on launch, upload, launches by kernels, priorities of nodes
  if ((flags & ~known) != 0) return invalid_value("flags " + std::to_string(flags));
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  if (!context) return context.error();
  auto made = GraphExec::instantiate(*context, **graph, flags);
  if (!made) return made.error();
  *out = as_handle<ExecHandle>((*made)->handle());
  tell_resource([&] {
    return ResourceFacts{
        .kind = Resource::graph_exec, .handle = (*made)->handle(), .graph = (*graph)->handle()};
  });
  return Unit{};
}

Status exec_destroy(ExecHandle handle) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  tell_resource([&] {
    return ResourceFacts{.kind = Resource::graph_exec, .made = false, .handle = (*exec)->handle()};
  });
  return (*exec)->destroy();
}

Status exec_launch(ExecHandle handle, const Answer<StreamRef>& stream) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  if (!stream) return stream.error();
  return (*exec)->launch(**stream);
}

Status exec_upload(ExecHandle handle, const Answer<StreamRef>& stream) {
  if (auto exec = find_exec(handle); !exec) return exec.error();
  return status_of(stream);
}

Status set_exec_node(ExecHandle handle, NodeHandle node, Answer<Work> work) {
  if (without_function(work)) return work.error();
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = node_of(node);
  if (!found) return found.error();
  if (!work) return work.error();
  return (*exec)->set_work(**found, std::move(*work));
}

Status set_exec_child(ExecHandle handle, NodeHandle node, GraphHandle child) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = node_of(node);
  if (!found) return found.error();
  auto graph = graph_of(child);
  if (!graph) return graph.error();
  return (*exec)->set_child(**found, **graph);
}

Status set_exec_enabled(ExecHandle handle, NodeHandle node, bool enabled) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = node_of(node);
  if (!found) return found.error();
  const NodeType type = type_of((*found)->work());
  if (type != NodeType::kernel && type != NodeType::memset && type != NodeType::memcpy)
    return invalid_value("only kernel, memset and memcpy nodes are switched off");
  return (*exec)->set_enabled(**found, enabled);
}

Status exec_enabled(ExecHandle handle, NodeHandle node, unsigned* out) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = node_of(node);
  if (!found) return found.error();
  auto enabled = (*exec)->enabled(**found);
  if (!enabled) return enabled.error();
  *out = *enabled ? 1 : 0;
  return Unit{};
}

Answer<GraphExec::Refusal> exec_update(ExecHandle handle, GraphHandle graph, Status& updated) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = graph_of(graph);
  if (!found) return found.error();
  GraphExec::Refusal refusal;
  updated = (*exec)->update(**found, refusal);
  return refusal;
}

// ---- memory of graphs: there as long as a graph could use it, so that nothing waits to be given back
Status trim_graph_memory(int device) { return status_of(Process::get().device(device)); }

namespace {
enum class GraphMemoryAttribute : int { used = 0, used_high = 1, reserved = 2, reserved_high = 3 };
}

Status get_graph_memory(int number, int attribute, void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto device = Process::get().device(number);
  if (!device) return device.error();
  const GraphMemory::Usage usage = GraphMemory::usage((*device)->runtime().index);
  switch (static_cast<GraphMemoryAttribute>(attribute)) {
    case GraphMemoryAttribute::used:
    case GraphMemoryAttribute::reserved: return tell_number(value, usage.now);
    case GraphMemoryAttribute::used_high:
    case GraphMemoryAttribute::reserved_high: return tell_number(value, usage.high);
  }
  return invalid_value("no attribute of the memory of graphs has the number " + std::to_string(attribute));
}

Status set_graph_memory(int number, int attribute, const void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto device = Process::get().device(number);
  if (!device) return device.error();
  uint64_t wanted = 0;
  std::memcpy(&wanted, value, sizeof wanted);
  const auto which = static_cast<GraphMemoryAttribute>(attribute);
  if (which != GraphMemoryAttribute::used_high && which != GraphMemoryAttribute::reserved_high)
    return invalid_value("attribute " + std::to_string(attribute) + " of the memory of graphs cannot be set");
  if (wanted != 0) return invalid_value("a high mark can only be set back to 0");
  GraphMemory::reset_high((*device)->runtime().index);
  return Unit{};
}

// ---- the program's own objects
namespace {
Status check_count(unsigned count) {
  // "Must be nonzero and not larger than INT_MAX" (cudaUserObjectRetain).
  if (count != 0 && count <= INT32_MAX) return Unit{};
  return invalid_value(std::to_string(count) + " references");
}
}  // namespace

Status object_create(UserObjectHandle* out, void* object, void (*destroy)(void*), unsigned references,
                     unsigned flags) {
  constexpr unsigned no_destructor_sync = 1;
  if (destroy == nullptr) return invalid_value("no destructor");
  if (Status good = check_count(references); !good) return good;
  if (flags != no_destructor_sync) return invalid_value("flags " + std::to_string(flags) + ", must be 1");
  auto made = std::make_shared<UserObject>(object, destroy, references);
  made->handle = Process::get().handles().user_objects.add(made);
  if (made->handle == 0) return failure(Code::out_of_memory, "too many user objects");
  *out = as_handle<UserObjectHandle>(made->handle);
  return Unit{};
}

Status object_retain(UserObjectHandle handle, unsigned count) {
  auto object = find_object(handle);
  if (!object) return object.error();
  if (Status good = check_count(count); !good) return good;
  (*object)->retain(count);
  return Unit{};
}

Status object_release(UserObjectHandle handle, unsigned count) {
  auto object = find_object(handle);
  if (!object) return object.error();
  if (Status good = check_count(count); !good) return good;
  bool last = false;
  if (!(*object)->release(count, last)) return invalid_value("there are not so many references");
  if (last) Process::get().handles().user_objects.remove((*object)->handle);
  return Unit{};
}

Status graph_retain(GraphHandle handle, UserObjectHandle object, unsigned count, unsigned flags) {
  constexpr unsigned move = 1;
  if (flags > move) return invalid_value("flags " + std::to_string(flags));
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  auto found = find_object(object);
  if (!found) return found.error();
  if (Status good = check_count(count); !good) return good;
  (*graph)->retain(*found, count);
  if (flags != move) return Unit{};
  Status moved = object_release(object, count);
  if (!moved) (void)(*graph)->release(*found, count);
  return moved;
}

Status graph_release(GraphHandle handle, UserObjectHandle object, unsigned count) {
  auto graph = graph_of(handle);
  if (!graph) return graph.error();
  auto found = find_object(object);
  if (!found) return found.error();
  if (Status good = check_count(count); !good) return good;
  return (*graph)->release(*found, count);
}

}  // namespace heddle::cuda
