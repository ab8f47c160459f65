// Graphs as a whole: their shape, making them executable, running and changing them.
#include <algorithm>
#include <climits>
#include <fstream>

#include "api/cuda_state/graph_exec.h"
#include "api/cuda_state/user_object.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/graph_work.h"

namespace heddle::cudart {
namespace {

Answer<cuda::GraphRef> find_graph(cudaGraph_t handle) { return cuda::find_graph(Process::get(), handle); }
Answer<cuda::NodeRef> find_node(cudaGraphNode_t handle) { return cuda::find_node(Process::get(), handle); }
Answer<std::shared_ptr<cuda::GraphExec>> find_exec(cudaGraphExec_t handle) {
  auto exec = Process::get().handles().graph_execs.find(handle);
  if (exec == nullptr) return invalid_value("no such executable graph");
  return exec;
}

// How many there are when there is nowhere to put them; else as many as there is room for, and null behind.
template <class Nodes>
Status list(const Nodes& nodes, cudaGraphNode_t* to, size_t* count) {
  if (to == nullptr) {
    *count = nodes.size();
    return Unit{};
  }
  for (size_t i = 0; i < *count; ++i)
    to[i] = i < nodes.size() ? as_handle<cudaGraphNode_t>(nodes[i]->handle()) : nullptr;
  *count = std::min(*count, nodes.size());
  return Unit{};
}

}  // namespace

Status set_in_exec(cudaGraphExec_t handle, cudaGraphNode_t node, Answer<cuda::Work> work) {
  if (!work) return work.error();
  auto exec = find_exec(handle);
  if (!exec) return exec.error();
  auto found = find_node(node);
  if (!found) return found.error();
  return (*exec)->set_work(**found, std::move(*work));
}

Status cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  if (Status ready = Process::get().state(); !ready) return ready;
  // The handle keeps it.
  *pGraph = as_handle<cudaGraph_t>(cuda::Graph::create(Process::get())->handle());
  return Unit{};
}
Status cudaGraphDestroy(cudaGraph_t graph) {
  auto found = find_graph(graph);
  return found ? (*found)->destroy() : Status(found.error());
}
Status cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  auto graph = find_graph(originalGraph);
  if (!graph) return graph.error();
  std::map<const cuda::GraphNode*, cuda::NodeRef> copies;
  *pGraphClone = as_handle<cudaGraph_t>((*graph)->clone(copies)->handle());
  return Unit{};
}
Status cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                cudaGraph_t clonedGraph) {
  auto original = find_node(originalNode);
  if (!original) return original.error();
  auto graph = find_graph(clonedGraph);
  if (!graph) return graph.error();
  const cuda::NodeRef copy = (*graph)->copy_of(**original);
  if (copy == nullptr) return invalid_value("the graph was not cloned of the node's");
  *pNode = as_handle<cudaGraphNode_t>(copy->handle());
  return Unit{};
}

// ---- shape
Status cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  auto found = find_graph(graph);
  if (!found) return found.error();
  return list((*found)->nodes(), nodes, numNodes);
}
Status cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  auto found = find_graph(graph);
  if (!found) return found.error();
  std::vector<cuda::NodeRef> roots;
  for (const cuda::NodeRef& node : (*found)->nodes())
    if (node->dependencies().empty()) roots.push_back(node);
  return list(roots, pRootNodes, pNumRootNodes);
}
Status cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                            cudaGraphEdgeData* edgeData, size_t* numEdges) {
  auto found = find_graph(graph);
  if (!found) return found.error();
  const auto edges = (*found)->edges();
  if (from == nullptr || to == nullptr) {
    *numEdges = edges.size();
    return Unit{};
  }
  for (size_t i = 0; i < *numEdges; ++i) {
    const bool there = i < edges.size();
    from[i] = there ? as_handle<cudaGraphNode_t>(edges[i].first->handle()) : nullptr;
    to[i] = there ? as_handle<cudaGraphNode_t>(edges[i].second->handle()) : nullptr;
    if (edgeData != nullptr) edgeData[i] = {};
  }
  *numEdges = std::min(*numEdges, edges.size());
  return Unit{};
}
Status cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges) {
  return cudart::cudaGraphGetEdges_v2(graph, from, to, nullptr, numEdges);
}
Status cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                    size_t* pNumDependencies) {
  auto found = find_node(node);
  if (!found) return found.error();
  return list((*found)->dependencies(), pDependencies, pNumDependencies);
}
Status cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                       cudaGraphEdgeData*, size_t* pNumDependencies) {
  return cudart::cudaGraphNodeGetDependencies(node, pDependencies, pNumDependencies);
}
Status cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                      size_t* pNumDependentNodes) {
  auto found = find_node(node);
  if (!found) return found.error();
  return list((*found)->dependents(), pDependentNodes, pNumDependentNodes);
}
Status cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                         cudaGraphEdgeData*, size_t* pNumDependentNodes) {
  return cudart::cudaGraphNodeGetDependentNodes(node, pDependentNodes, pNumDependentNodes);
}

namespace {

Status change_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count,
                    Status (cuda::Graph::*change)(cuda::GraphNode&, cuda::GraphNode&)) {
  auto graph = find_graph(handle);
  if (!graph) return graph.error();
  if (count != 0 && (from == nullptr || to == nullptr)) return invalid_value("the dependencies are NULL");
  for (size_t i = 0; i < count; ++i) {
    auto first = find_node(from[i]), second = find_node(to[i]);
    if (!first) return first.error();
    if (!second) return second.error();
    if (Status changed = ((**graph).*change)(**first, **second); !changed) return changed;
  }
  return Unit{};
}

}  // namespace

Status cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                size_t numDependencies) {
  return change_edges(graph, from, to, numDependencies, &cuda::Graph::add_edge);
}
Status cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                   const cudaGraphEdgeData*, size_t numDependencies) {
  return change_edges(graph, from, to, numDependencies, &cuda::Graph::add_edge);
}
Status cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                   size_t numDependencies) {
  return change_edges(graph, from, to, numDependencies, &cuda::Graph::remove_edge);
}
Status cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                      const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                      size_t numDependencies) {
  return change_edges(graph, from, to, numDependencies, &cuda::Graph::remove_edge);
}
Status cudaGraphDestroyNode(cudaGraphNode_t node) {
  auto found = find_node(node);
  if (!found) return found.error();
  return (*found)->graph()->remove(*found);
}

// ---- running
Status cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                     unsigned long long flags) {
  *pGraphExec = nullptr;
  constexpr unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                       cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
                                       cudaGraphInstantiateFlagUseNodePriority;
  if ((flags & ~known) != 0) return invalid_value("flags " + std::to_string(flags));
  auto context = working_context();
  if (!context) return context.error();
  auto found = find_graph(graph);
  if (!found) return found.error();
  auto made = cuda::GraphExec::instantiate(*context, **found, flags);
  if (!made) return made.error();
  *pGraphExec = as_handle<cudaGraphExec_t>((*made)->handle());
  return Unit{};
}
Status cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return cudart::cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}
Status cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                      cudaGraphInstantiateParams* instantiateParams) {
  instantiateParams->errNode_out = nullptr;
  Status made = cudart::cudaGraphInstantiateWithFlags(pGraphExec, graph, instantiateParams->flags);
  instantiateParams->result_out = made ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return made;
}
Status cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags) {
  auto exec = find_exec(graphExec);
  if (!exec) return exec.error();
  *flags = (*exec)->flags();
  return Unit{};
}
Status cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  auto exec = find_exec(graphExec);
  return exec ? (*exec)->destroy() : Status(exec.error());
}
Status cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  auto exec = find_exec(graphExec);
  if (!exec) return exec.error();
  auto on = find_stream(stream);
  if (!on) return on.error();
  return (*exec)->launch(**on);
}
Status cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  if (auto exec = find_exec(graphExec); !exec) return exec.error();
  return status_of(find_stream(stream));
}

Status cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                           cudaGraphExecUpdateResultInfo* resultInfo) {
  auto exec = find_exec(hGraphExec);
  if (!exec) return exec.error();
  auto graph = find_graph(hGraph);
  if (!graph) return graph.error();
  cuda::GraphExec::Refusal refusal;
  Status updated = (*exec)->update(**graph, refusal);
  *resultInfo = {static_cast<cudaGraphExecUpdateResult>(refusal.why),
                 as_handle<cudaGraphNode_t>(refusal.node), as_handle<cudaGraphNode_t>(refusal.other)};
  return updated;
}

Status cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled) {
  auto exec = find_exec(hGraphExec);
  if (!exec) return exec.error();
  auto node = find_node(hNode);
  if (!node) return node.error();
  const cudaGraphNodeType type = type_of((*node)->work());
  if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeMemcpy)
    return invalid_value("only kernel, memset and memcpy nodes are switched off");
  return (*exec)->set_enabled(**node, isEnabled != 0);
}
Status cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int* isEnabled) {
  auto exec = find_exec(hGraphExec);
  if (!exec) return exec.error();
  auto node = find_node(hNode);
  if (!node) return node.error();
  auto enabled = (*exec)->enabled(**node);
  if (!enabled) return enabled.error();
  *isEnabled = *enabled ? 1 : 0;
  return Unit{};
}

Status cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  auto found = find_graph(graph);
  if (!found) return found.error();
  if (path == nullptr) return invalid_value("the path is NULL");
  std::ofstream file(path);
  file << "digraph dot {\n";
  std::map<const cuda::GraphNode*, size_t> numbers;
  for (const cuda::NodeRef& node : (*found)->nodes()) {
    const size_t number = numbers.size();
    numbers[node.get()] = number;
    std::string label(cuda::name(node->work()));
    if (const auto* kernel = std::get_if<cuda::KernelWork>(&node->work()))
      label += "\\n" + kernel->function->name();
    file << "  node_" << number << " [label=\"" << number << ": " << label << "\"];\n";
  }
  for (const auto& [from, to] : (*found)->edges())
    file << "  node_" << numbers[from] << " -> node_" << numbers[to] << ";\n";
  file << "}\n";
  if (!file) return failure(Code::operating_system, std::string("cannot write '") + path + "'");
  return Unit{};
}

// ---- the program's own objects
namespace {
Answer<std::shared_ptr<cuda::UserObject>> find_object(cudaUserObject_t handle) {
  auto object = Process::get().handles().user_objects.find(handle);
  if (object == nullptr) return invalid_value("no such user object");
  return object;
}
Status reference_count(unsigned int count) {
  if (count != 0 && count <= INT_MAX) return Unit{};
  return invalid_value(std::to_string(count) + " references, not 1 to " + std::to_string(INT_MAX));
}
}  // namespace

Status cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                            unsigned int initialRefcount, unsigned int flags) {
  if (destroy == nullptr) return invalid_value("no destructor");
  if (Status good = reference_count(initialRefcount); !good) return good;
  if (flags != cudaUserObjectNoDestructorSync) return invalid_value("flags " + std::to_string(flags));
  auto object = std::make_shared<cuda::UserObject>(ptr, destroy, initialRefcount);
  object->handle = Process::get().handles().user_objects.add(object);
  *object_out = as_handle<cudaUserObject_t>(object->handle);
  return Unit{};
}
Status cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  if (Status good = reference_count(count); !good) return good;
  auto found = find_object(object);
  if (!found) return found.error();
  (*found)->retain(count);
  return Unit{};
}
Status cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  if (Status good = reference_count(count); !good) return good;
  auto found = find_object(object);
  if (!found) return found.error();
  bool last = false;
  if (!(*found)->release(count, last)) return invalid_value("there are not so many references");
  if (last) Process::get().handles().user_objects.remove((*found)->handle);
  return Unit{};
}
Status cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                 unsigned int flags) {
  if (flags > cudaGraphUserObjectMove) return invalid_value("flags " + std::to_string(flags));
  if (Status good = reference_count(count); !good) return good;
  auto holder = find_graph(graph);
  if (!holder) return holder.error();
  auto found = find_object(object);
  if (!found) return found.error();
  (*holder)->retain(*found, count);
  return flags == cudaGraphUserObjectMove ? cudart::cudaUserObjectRelease(object, count) : Status(Unit{});
}
Status cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
  if (Status good = reference_count(count); !good) return good;
  auto holder = find_graph(graph);
  if (!holder) return holder.error();
  auto found = find_object(object);
  if (!found) return found.error();
  return (*holder)->release(*found, count);
}

}  // namespace heddle::cudart
