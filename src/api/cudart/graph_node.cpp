// Nodes of graphs: adding them, and what they say.
#include "api/cudart/functions.gen.h"
#include "api/cudart/graph_work.h"

namespace heddle::cudart {
namespace {

Answer<cuda::GraphRef> find_graph(cudaGraph_t handle) { return cuda::find_graph(Process::get(), handle); }
Answer<cuda::NodeRef> find_node(cudaGraphNode_t handle) { return cuda::find_node(Process::get(), handle); }

Status add(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies, size_t count,
           Answer<cuda::Work> work) {
  *node = nullptr;
  if (!work) return work.error();
  auto graph = find_graph(handle);
  if (!graph) return graph.error();
  if (count != 0 && dependencies == nullptr) return invalid_value("the dependencies are NULL");
  std::vector<cuda::NodeRef> before;
  for (size_t i = 0; i < count; ++i) {
    auto found = find_node(dependencies[i]);
    if (!found) return found.error();
    before.push_back(*found);
  }
  auto made = (*graph)->add(std::move(*work), before);
  if (!made) return made.error();
  *node = as_handle<cudaGraphNode_t>((*made)->handle());
  return Unit{};
}

Status set(cudaGraphNode_t handle, Answer<cuda::Work> work) {
  if (!work) return work.error();
  auto node = find_node(handle);
  if (!node) return node.error();
  return (*node)->graph()->set_work(**node, std::move(*work));
}

// What a node of one kind says.
template <class Kind>
Answer<std::pair<cuda::NodeRef, const Kind*>> said_by(cudaGraphNode_t handle) {
  auto node = find_node(handle);
  if (!node) return node.error();
  const auto* work = std::get_if<Kind>(&(*node)->work());
  if (work == nullptr) return invalid_value("a " + std::string(cuda::name((*node)->work())) + " node");
  return std::pair{*node, work};
}

Answer<cuda::Work> work_of_kernel(const cudaKernelNodeParams* p) {
  if (p == nullptr) return invalid_value("the parameters are NULL");
  return kernel_work(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra);
}

}  // namespace

Status cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                              const cudaGraphNode_t* pDependencies, size_t numDependencies,
                              const cudaKernelNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, work_of_kernel(pNodeParams));
}
Status cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  auto said = said_by<cuda::KernelWork>(node);
  if (!said) return said.error();
  const cuda::KernelWork& work = *said->second;
  *pNodeParams = {};
  pNodeParams->func = as_handle<void*>(work.function->handle());
  pNodeParams->gridDim = {work.grid.x, work.grid.y, work.grid.z};
  pNodeParams->blockDim = {work.block.x, work.block.y, work.block.z};
  pNodeParams->sharedMemBytes = work.dynamic_shared;
  pNodeParams->kernelParams = said->first->arguments();
  return Unit{};
}
Status cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* pNodeParams) {
  return set(node, work_of_kernel(pNodeParams));
}
Status cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                        const cudaKernelNodeParams* pNodeParams) {
  return set_in_exec(hGraphExec, node, work_of_kernel(pNodeParams));
}

Status cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                              const cudaGraphNode_t* pDependencies, size_t numDependencies,
                              const cudaMemcpy3DParms* pCopyParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, copy_node_work(pCopyParams));
}
Status cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                const void* src, size_t count, cudaMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies, copy_node_work(dst, src, count, kind));
}
Status cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                      const void* symbol, const void* src, size_t count, size_t offset,
                                      cudaMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             to_symbol_work(symbol, src, count, offset, kind));
}
Status cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                        void* dst, const void* symbol, size_t count, size_t offset,
                                        cudaMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             from_symbol_work(dst, symbol, count, offset, kind));
}
Status cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  auto said = said_by<cuda::CopyWork>(node);
  if (!said) return said.error();
  *pNodeParams = parms_of(*said->second);
  return Unit{};
}
Status cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* pNodeParams) {
  return set(node, copy_node_work(pNodeParams));
}
Status cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src, size_t count,
                                      cudaMemcpyKind kind) {
  return set(node, copy_node_work(dst, src, count, kind));
}
Status cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* src,
                                            size_t count, size_t offset, cudaMemcpyKind kind) {
  return set(node, to_symbol_work(symbol, src, count, offset, kind));
}
Status cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const void* symbol,
                                              size_t count, size_t offset, cudaMemcpyKind kind) {
  return set(node, from_symbol_work(dst, symbol, count, offset, kind));
}
Status cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                        const cudaMemcpy3DParms* pNodeParams) {
  return set_in_exec(hGraphExec, node, copy_node_work(pNodeParams));
}
Status cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                          const void* src, size_t count, cudaMemcpyKind kind) {
  return set_in_exec(hGraphExec, node, copy_node_work(dst, src, count, kind));
}
Status cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const void* symbol, const void* src, size_t count,
                                                size_t offset, cudaMemcpyKind kind) {
  return set_in_exec(hGraphExec, node, to_symbol_work(symbol, src, count, offset, kind));
}
Status cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                                  const void* symbol, size_t count, size_t offset,
                                                  cudaMemcpyKind kind) {
  return set_in_exec(hGraphExec, node, from_symbol_work(dst, symbol, count, offset, kind));
}

Status cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                              const cudaGraphNode_t* pDependencies, size_t numDependencies,
                              const cudaMemsetParams* pMemsetParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, fill_work(pMemsetParams));
}
Status cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
  auto said = said_by<cuda::FillWork>(node);
  if (!said) return said.error();
  *pNodeParams = params_of(*said->second);
  return Unit{};
}
Status cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* pNodeParams) {
  return set(node, fill_work(pNodeParams));
}
Status cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                        const cudaMemsetParams* pNodeParams) {
  return set_in_exec(hGraphExec, node, fill_work(pNodeParams));
}

Status cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                            const cudaGraphNode_t* pDependencies, size_t numDependencies,
                            const cudaHostNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, host_work(pNodeParams));
}
Status cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
  auto said = said_by<cuda::HostWork>(node);
  if (!said) return said.error();
  *pNodeParams = {said->second->function, said->second->argument};
  return Unit{};
}
Status cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* pNodeParams) {
  return set(node, host_work(pNodeParams));
}
Status cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                      const cudaHostNodeParams* pNodeParams) {
  return set_in_exec(hGraphExec, node, host_work(pNodeParams));
}

Status cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                  cudaGraph_t childGraph) {
  auto child = find_graph(childGraph);
  if (!child) return child.error();
  return add(pGraphNode, graph, pDependencies, numDependencies, cuda::Work(cuda::ChildWork{*child}));
}
Status cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph) {
  auto said = said_by<cuda::ChildWork>(node);
  if (!said) return said.error();
  *pGraph = as_handle<cudaGraph_t>(said->second->graph->handle());
  return Unit{};
}

Status cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, cuda::Work(cuda::EmptyWork{}));
}

Status cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies, event_work(event, true));
}
Status cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                 cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies, event_work(event, false));
}
Status cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  auto said = said_by<cuda::RecordWork>(node);
  if (!said) return said.error();
  *event_out = as_handle<cudaEvent_t>(said->second->event->handle());
  return Unit{};
}
Status cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  auto said = said_by<cuda::WaitWork>(node);
  if (!said) return said.error();
  *event_out = as_handle<cudaEvent_t>(said->second->event->handle());
  return Unit{};
}
Status cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, event_work(event, true));
}
Status cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, event_work(event, false));
}
Status cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                            cudaEvent_t event) {
  return set_in_exec(hGraphExec, hNode, event_work(event, true));
}
Status cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                          cudaEvent_t event) {
  return set_in_exec(hGraphExec, hNode, event_work(event, false));
}

// ---- memory
Status cudaGraphAddMemAllocNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                cudaMemAllocNodeParams* nodeParams) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemAlloc;
  params.alloc.poolProps = nodeParams->poolProps;
  params.alloc.bytesize = nodeParams->bytesize;
  Status added = add(pGraphNode, graph, pDependencies, numDependencies, work_of(params));
  nodeParams->dptr = added ? params.alloc.dptr : nullptr;
  return added;
}
Status cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params_out) {
  auto said = said_by<cuda::AllocateWork>(node);
  if (!said) return said.error();
  *params_out = {};
  params_out->poolProps.allocType = cudaMemAllocationTypePinned;
  params_out->poolProps.location = {cudaMemLocationTypeDevice, said->second->device};
  params_out->bytesize = said->second->bytes;
  params_out->dptr = as_handle<void*>(said->second->memory->address());
  return Unit{};
}
Status cudaGraphAddMemFreeNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                               const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dptr) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemFree;
  params.free.dptr = dptr;
  return add(pGraphNode, graph, pDependencies, numDependencies, work_of(params));
}
Status cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* dptr_out) {
  auto said = said_by<cuda::FreeWork>(node);
  if (!said) return said.error();
  *static_cast<void**>(dptr_out) = as_handle<void*>(said->second->address);
  return Unit{};
}

// ---- of any kind
Status cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                        size_t numDependencies, cudaGraphNodeParams* nodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, work_of(*nodeParams));
}
Status cudaGraphAddNode_v2(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                           const cudaGraphNode_t* pDependencies, const cudaGraphEdgeData*,
                           size_t numDependencies, cudaGraphNodeParams* nodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, work_of(*nodeParams));
}
Status cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  return set(node, work_of(*nodeParams));
}
Status cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                  cudaGraphNodeParams* nodeParams) {
  return set_in_exec(graphExec, node, work_of(*nodeParams));
}
Status cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  auto found = find_node(node);
  if (!found) return found.error();
  *pType = type_of((*found)->work());
  return Unit{};
}

// Launch attributes of kernel nodes: advice, but for the cooperative launch and clusters.
Status cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                       const cudaLaunchAttributeValue* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto said = said_by<cuda::KernelWork>(hNode);
  if (!said) return said.error();
  cuda::KernelWork work = *said->second;
  if (attr == cudaLaunchAttributeCooperative) work.cooperative = value->cooperative != 0;
  if (attr == cudaLaunchAttributeClusterDimension)
    work.cluster = exec::Dim3{value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
  return said->first->graph()->set_work(*said->first, std::move(work));
}
Status cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                       cudaLaunchAttributeValue* value_out) {
  auto said = said_by<cuda::KernelWork>(hNode);
  if (!said) return said.error();
  *value_out = {};
  if (attr == cudaLaunchAttributeCooperative) value_out->cooperative = said->second->cooperative ? 1 : 0;
  if (attr == cudaLaunchAttributeClusterDimension && said->second->cluster) {
    value_out->clusterDim.x = said->second->cluster->x;
    value_out->clusterDim.y = said->second->cluster->y;
    value_out->clusterDim.z = said->second->cluster->z;
  }
  return Unit{};
}
Status cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
  auto from = said_by<cuda::KernelWork>(hSrc), to = said_by<cuda::KernelWork>(hDst);
  if (!from) return from.error();
  if (!to) return to.error();
  cuda::KernelWork work = *to->second;
  work.cooperative = from->second->cooperative;
  work.cluster = from->second->cluster;
  return to->first->graph()->set_work(*to->first, std::move(work));
}

}  // namespace heddle::cudart
