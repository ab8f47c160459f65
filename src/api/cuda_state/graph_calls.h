// What both APIs do with graphs, by handles. What differs, the parameters of kernels and copies, comes as
// work.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "api/cuda_state/graph_exec.h"
#include "api/cuda_state/handles.h"

namespace heddle::cuda {

// ---- graphs and their shape
Status graph_create(GraphHandle* out, unsigned flags);
Status graph_destroy(GraphHandle graph);
Status graph_clone(GraphHandle* out, GraphHandle graph);
Status node_in_clone(NodeHandle* out, NodeHandle original, GraphHandle clone);
// How many there are when there is nowhere to put them; else as many as there is room for, and null behind.
Status graph_nodes(GraphHandle graph, NodeHandle* to, std::size_t* count);
Status graph_roots(GraphHandle graph, NodeHandle* to, std::size_t* count);
// What edges say is EdgeData; without a place for it, edges that say something are an error.
Status graph_edges(GraphHandle graph, NodeHandle* from, NodeHandle* to, void* data, std::size_t* count);
Status node_dependencies(NodeHandle node, NodeHandle* to, void* data, std::size_t* count);
Status node_dependents(NodeHandle node, NodeHandle* to, void* data, std::size_t* count);
Status add_edges(GraphHandle graph, const NodeHandle* from, const NodeHandle* to, const void* data,
                 std::size_t count);
Status remove_edges(GraphHandle graph, const NodeHandle* from, const NodeHandle* to, const void* data,
                    std::size_t count);
Status destroy_node(NodeHandle node);
Status graph_print(GraphHandle graph, const char* path, unsigned flags);

Answer<std::vector<NodeRef>> find_nodes(const NodeHandle* handles, std::size_t count);
Status check_edge_data(const void* data, std::size_t count);

// ---- nodes
Status add_node(NodeHandle* out, GraphHandle graph, const NodeHandle* dependencies, const void* data,
                std::size_t count, Answer<Work> work);
inline Status add_node(NodeHandle* out, GraphHandle graph, const NodeHandle* dependencies, std::size_t count,
                       Answer<Work> work) {
  return add_node(out, graph, dependencies, nullptr, count, std::move(work));
}
Status set_node(NodeHandle node, Answer<Work> work);
template <class Type>
Status node_type(NodeHandle handle, Type* out) {
  auto node = find_node(Process::get(), handle);
  if (!node) return node.error();
  *out = static_cast<Type>(type_of((*node)->work()));
  return Unit{};
}
// What a node of one kind says.
template <class Kind>
Answer<std::pair<NodeRef, const Kind*>> said_by(NodeHandle handle) {
  auto node = find_node(Process::get(), handle);
  if (!node) return node.error();
  const auto* work = std::get_if<Kind>(&(*node)->work());
  // A library's kernels are nobody else's: as a device answers whoever asks for their parameters.
  if (work == nullptr && std::is_same_v<Kind, KernelWork> &&
      std::holds_alternative<LibraryWork>((*node)->work()))
    return failure(Code::invalid_device_function, "a kernel of a library");
  if (work == nullptr) return invalid_value("a " + std::string(name((*node)->work())) + " node");
  return std::pair{*node, work};
}
Status node_child(NodeHandle node, GraphHandle* out);
Status node_recorded_event(NodeHandle node, void* out);
Status node_awaited_event(NodeHandle node, void* out);
Status node_freed_address(NodeHandle node, void* out);
Status copy_node_attributes(NodeHandle to, NodeHandle from);
Status get_node_attribute(NodeHandle node, int attribute, void* value);
Status set_node_attribute(NodeHandle node, int attribute, const void* value);

// ---- what nodes do, as long as both APIs say it alike
Answer<Work> empty_work();
Answer<Work> child_work(GraphHandle graph);
Answer<Work> record_work(const void* event);
Answer<Work> wait_work(const void* event);
Answer<Work> free_work(uint64_t address);
inline Answer<Work> free_work(const void* address) { return free_work(number_of(address)); }
Answer<Work> allocate_work(int device, uint64_t bytes, uint64_t& address);
Answer<Work> kernel_work(const FunctionRef& function, const exec::Dim3& grid, const exec::Dim3& block,
                         unsigned dynamic_shared, void* const* arguments, void* const* extra);
// Refused now if it could not run in the context.
Answer<Work> checked(const Answer<ContextRef>& context, Work work);
struct FillParams {
  uint64_t address = 0, pitch = 0;
  unsigned value = 0, element_bytes = 1;
  uint64_t width = 0, height = 1;
};
Answer<Work> fill_work(const Answer<ContextRef>& context, const FillParams& params);

template <class Params>
Answer<Work> fill_work_of(const Answer<ContextRef>& context, const Params* params) {
  if (params == nullptr) return invalid_value("the parameters are NULL");
  FillParams fill;
  std::memcpy(&fill.address, &params->dst, sizeof fill.address);
  fill.pitch = params->pitch;
  fill.value = params->value;
  fill.element_bytes = params->elementSize;
  fill.width = params->width;
  fill.height = params->height;
  return fill_work(context, fill);
}
template <class Params>
Status fill_params(NodeHandle node, Params* out) {
  auto said = said_by<FillWork>(node);
  if (!said) return said.error();
  const FillWork& work = *said->second;
  *out = {};
  std::memcpy(&out->dst, &work.to.address, sizeof work.to.address);
  out->pitch = work.to.row_pitch;
  out->elementSize = static_cast<unsigned>(work.pattern.size());
  std::memcpy(&out->value, work.pattern.data(), work.pattern.size());
  out->width = work.extent.bytes / work.pattern.size();
  out->height = work.extent.rows;
  return Unit{};
}
template <class Params>
Answer<Work> host_work_of(const Params* params) {
  if (params == nullptr || params->fn == nullptr) return invalid_value("the function is NULL");
  return Work(HostWork{params->fn, params->userData});
}
template <class Params>
Status host_params(NodeHandle node, Params* out) {
  auto said = said_by<HostWork>(node);
  if (!said) return said.error();
  *out = {said->second->function, said->second->argument};
  return Unit{};
}
template <class Params>
Answer<Work> allocate_work_of(Params& params) {
  params.dptr = {};
  constexpr int pinned = 1, on_device = 1;
  if (static_cast<int>(params.poolProps.allocType) != pinned ||
      static_cast<int>(params.poolProps.location.type) != on_device)
    return invalid_value("graphs have memory of devices, of the type 'pinned'");
  if (params.accessDescCount != 0 && params.accessDescs == nullptr)
    return invalid_value("the devices with access are NULL");
  uint64_t address = 0;
  auto work = allocate_work(params.poolProps.location.id, params.bytesize, address);
  std::memcpy(&params.dptr, &address, sizeof address);
  return work;
}
template <class Params>
Status add_allocate_node(NodeHandle* out, GraphHandle graph, const NodeHandle* dependencies,
                         std::size_t count, Params* params) {
  auto work = allocate_work_of(*params);
  Status added = add_node(out, graph, dependencies, count, std::move(work));
  if (!added) params->dptr = {};
  return added;
}
template <class Params>
Status allocate_params(NodeHandle node, Params* out) {
  auto said = said_by<AllocateWork>(node);
  if (!said) return said.error();
  const AllocateWork& work = *said->second;
  *out = {};
  out->poolProps.allocType = static_cast<decltype(out->poolProps.allocType)>(1);
  out->poolProps.location.type = static_cast<decltype(out->poolProps.location.type)>(1);
  out->poolProps.location.id = work.device;
  out->bytesize = work.bytes;
  const uint64_t address = work.memory->address();
  std::memcpy(&out->dptr, &address, sizeof address);
  return Unit{};
}

// ---- conditional nodes
Status create_condition(void* out, GraphHandle graph, const Answer<ContextRef>& context, unsigned usual,
                        unsigned flags);
Answer<Work> conditional_work(GraphHandle graph, uint64_t handle, int kind, unsigned size);

// ---- nodes of any kind, by the type that their parameters name. `Room` turns the API's own parameters of
// kernels, copies, fills and batches into work.
template <class Room, class Params>
Answer<Work> work_of(Params& params, GraphHandle graph) {
  switch (static_cast<NodeType>(params.type)) {
    case NodeType::kernel: return Room::kernel(params.kernel);
    case NodeType::memcpy: return Room::copy(params.memcpy);
    case NodeType::memset: return Room::fill(params.memset);
    case NodeType::host: return host_work_of(&params.host);
    case NodeType::graph: return child_work(params.graph.graph);
    case NodeType::empty: return empty_work();
    case NodeType::wait_event: return wait_work(params.eventWait.event);
    case NodeType::event_record: return record_work(params.eventRecord.event);
    case NodeType::mem_alloc: return allocate_work_of(params.alloc);
    case NodeType::mem_free: return free_work(params.free.dptr);
    case NodeType::batch_mem_op: return Room::batch(params);
    case NodeType::conditional:
      return conditional_work(graph, params.conditional.handle, static_cast<int>(params.conditional.type),
                              params.conditional.size);
    default:
      return failure(Code::not_supported, "a node of type " + std::to_string(static_cast<int>(params.type)));
  }
}
template <class Room, class Params>
Status add_any_node(NodeHandle* out, GraphHandle graph, const NodeHandle* dependencies, const void* data,
                    std::size_t count, Params* params) {
  Status added = add_node(out, graph, dependencies, data, count, work_of<Room>(*params, graph));
  const auto type = static_cast<NodeType>(params->type);
  if (!added && type == NodeType::mem_alloc) params->alloc.dptr = {};
  if (added && type == NodeType::conditional)
    params->conditional.phGraph_out = (*find_node(Process::get(), *out))->bodies();
  return added;
}
template <class Room, class Params>
Status set_any_node(NodeHandle node, Params* params) {
  return set_node(node, work_of<Room>(*params, nullptr));
}

// ---- graphs that run
Answer<std::shared_ptr<GraphExec>> find_exec(ExecHandle handle);
Status instantiate(const Answer<ContextRef>& context, ExecHandle* out, GraphHandle graph, uint64_t flags);
template <class Params>
Status instantiate_with(const Answer<ContextRef>& context, ExecHandle* out, GraphHandle graph,
                        Params* params) {
  Status made = instantiate(context, out, graph, params->flags);
  constexpr int success = 0, error = 1, not_supported = 3;
  const int result = made ? success : code_of(made) == Code::not_supported ? not_supported : error;
  static_assert(sizeof(*params) == 32);  // flags, stream, node, result: named differently
  const NodeHandle none = nullptr;
  std::memcpy(reinterpret_cast<std::byte*>(params) + 16, &none, sizeof none);
  std::memcpy(reinterpret_cast<std::byte*>(params) + 24, &result, sizeof result);
  return made;
}
Status exec_destroy(ExecHandle exec);
template <class Flags>
Status exec_flags(ExecHandle handle, Flags* out) {
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  *out = (*exec)->flags();
  return Unit{};
}
Status exec_launch(ExecHandle exec, const Answer<StreamRef>& stream);
Status exec_upload(ExecHandle exec, const Answer<StreamRef>& stream);
Status set_exec_node(ExecHandle exec, NodeHandle node, Answer<Work> work);
template <class Room, class Params>
Status set_any_exec_node(ExecHandle exec, NodeHandle node, Params* params) {
  return set_exec_node(exec, node, work_of<Room>(*params, nullptr));
}
Status set_exec_child(ExecHandle exec, NodeHandle node, GraphHandle child);
Status set_exec_enabled(ExecHandle exec, NodeHandle node, bool enabled);
Status exec_enabled(ExecHandle exec, NodeHandle node, unsigned* out);
Answer<GraphExec::Refusal> exec_update(ExecHandle exec, GraphHandle graph, Status& updated);
template <class Info>
Status exec_update(ExecHandle exec, GraphHandle graph, Info* out) {
  Status updated = Unit{};
  auto refusal = exec_update(exec, graph, updated);
  if (!refusal) return refusal.error();
  out->result = static_cast<decltype(out->result)>(refusal->why);
  out->errorNode = as_handle<NodeHandle>(refusal->node);
  out->errorFromNode = as_handle<NodeHandle>(refusal->other);
  return updated;
}

// ---- memory of graphs
Status trim_graph_memory(int device);
Status get_graph_memory(int device, int attribute, void* value);
Status set_graph_memory(int device, int attribute, const void* value);

// ---- the program's own objects
Status object_create(UserObjectHandle* out, void* object, void (*destroy)(void*), unsigned references,
                     unsigned flags);
Status object_retain(UserObjectHandle object, unsigned count);
Status object_release(UserObjectHandle object, unsigned count);
Status graph_retain(GraphHandle graph, UserObjectHandle object, unsigned count, unsigned flags);
Status graph_release(GraphHandle graph, UserObjectHandle object, unsigned count);

}  // namespace heddle::cuda
