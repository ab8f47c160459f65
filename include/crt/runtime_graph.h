// Graph nodes that copy to and from symbols (CUDA Runtime API, "C++ API Routines").
#ifndef HEDDLE_CRT_RUNTIME_GRAPH_H
#define HEDDLE_CRT_RUNTIME_GRAPH_H

#include "cuda_runtime_api.h"

#define HEDDLE_API_ static __inline__ __host__ __attribute__((unused)) cudaError_t

// CUDA 11's form. The node and the message say why an instantiation failed; here the error code alone does.
HEDDLE_API_ cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, cudaGraphNode_t* pErrorNode,
                                 char* pLogBuffer, size_t bufferSize) {
  if (pErrorNode) *pErrorNode = 0;
  if (pLogBuffer && bufferSize) *pLogBuffer = 0;
  return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

// CUDA 11's form, with the two results apart.
HEDDLE_API_ cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphNode_t* hErrorNode_out,
                                enum cudaGraphExecUpdateResult* updateResult_out) {
  cudaGraphExecUpdateResultInfo info = {};
  cudaError_t status = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  if (updateResult_out) *updateResult_out = info.result;
  return status;
}

template <class T>
HEDDLE_API_ cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                           const T& symbol, const void* src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                          (const void*)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                             void* dst, const T& symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies, dst,
                                            (const void*)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T& symbol, const void* src,
                                                 size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void*)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const T& symbol,
                                                   size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void*)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const T& symbol, const void* src, size_t count,
                                                     size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, (const void*)&symbol, src, count,
                                                    offset, kind);
}
template <class T>
HEDDLE_API_ cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       void* dst, const T& symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst, (const void*)&symbol, count,
                                                      offset, kind);
}

#undef HEDDLE_API_

#endif
