// What CUDA 13 calls another function than CUDA 12 does: a name by itself is CUDA 12.9's, calls may be either's. g++ knows CUDA 12.9's
// alone, unless it is asked for the others, and then cannot take an address.
// RUN: %nvcc -std=c++17 %s -o %t -lcuda && %t | FileCheck %s
// RUN: %nvcc -std=c++17 -default-stream per-thread -DDRIVER_TOO %s -o %t.threads -lcuda && %t.threads | FileCheck %s
// RUN: g++ -std=c++17 -Wall -Werror -isystem %cuda_include -x c++ -fsyntax-only -DNAMES_ALONE -DDRIVER_TOO %s
// RUN: g++ -std=c++17 -Wall -Werror -isystem %cuda_include -x c++ -fsyntax-only -DCALLS_ALONE -DHEDDLE_CUDA_13_SIGNATURES=1 %s
// RUN: not g++ -std=c++17 -isystem %cuda_include -x c++ -fsyntax-only -DCALLS_ALONE %s
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <type_traits>
#include <utility>

#ifndef CALLS_ALONE
// In all the ways that name a function without calling it.
using AddNode = cudaError_t (*)(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, cudaGraphNodeParams*);
template <auto function>
struct Called {
  using type = decltype(function);
  template <class... Values>
  static cudaError_t with(Values&&... values) {
    return function(std::forward<Values>(values)...);
  }
};
static_assert(std::is_same_v<decltype(&cudaGraphAddNode), AddNode>);
static_assert(std::is_same_v<std::add_pointer_t<decltype(cudaGraphAddNode)>, AddNode>);
static_assert(std::is_same_v<Called<cudaGraphAddNode>::type, AddNode>);
static_assert(std::is_same_v<Called<&cudaGraphAddNode>::type, AddNode>);
auto deduced = &cudaGraphAddNode;
auto decayed = cudaGraphAddNode;
AddNode given = cudaGraphAddNode;
void* untyped = reinterpret_cast<void*>(&cudaGraphAddNode);

template <auto... functions>
constexpr int count = sizeof...(functions);
static_assert(count<cudaGraphGetEdges, cudaGraphNodeGetDependencies, cudaGraphNodeGetDependentNodes, cudaGraphAddDependencies,
                    cudaGraphRemoveDependencies, cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies, cudaMemAdvise,
                    cudaMemPrefetchAsync, cudaGraphGetEdges_v2, cudaGraphAddNode_v2> == 11);
static_assert(count<cuGraphGetEdges, cuGraphNodeGetDependencies, cuGraphNodeGetDependentNodes, cuGraphAddDependencies, cuGraphAddNode,
                    cuGraphRemoveDependencies, cuStreamGetCaptureInfo, cuStreamUpdateCaptureDependencies, cuMemAdvise,
                    cuMemPrefetchAsync, cuMemcpyBatchAsync, cuMemcpy3DBatchAsync, cuCtxCreate, cuGraphAddNode_v2> == 14);
static_assert(std::is_same_v<decltype(&cuCtxCreate), CUresult (*)(CUcontext*, unsigned int, CUdevice)>);
// Types of pointers: by the name without a version, and the CUDA version that had the function first.
static_assert(std::is_same_v<PFN_cuGraphAddNode, decltype(&cuGraphAddNode)>);
static_assert(std::is_same_v<PFN_cuGraphAddNode_v12030, decltype(&cuGraphAddNode_v2)>);
static_assert(std::is_same_v<PFN_cuGraphInstantiateWithFlags_v11040, decltype(&cuGraphInstantiate)>);
static_assert(std::is_same_v<PFN_cuStreamGetCaptureInfo_v12030, decltype(&cuStreamGetCaptureInfo_v3)>);
static_assert(std::is_same_v<PFN_cuLaunchKernel_v7000_ptsz, PFN_cuLaunchKernel_v4000>);
static_assert(sizeof(PFN_cuMemAlloc_v2000) == 8 && sizeof(PFN_cuMemAlloc_v3020) == 8, "older ones, too");
#ifdef DRIVER_TOO
struct Driver {
  decltype(&::cuMemAdvise) cuMemAdvise = ::cuMemAdvise;
  decltype(&::cuGraphAddNode) cuGraphAddNode = ::cuGraphAddNode;
};
static_assert(std::is_same_v<decltype(Driver::cuMemAdvise), CUresult (*)(CUdeviceptr, size_t, CUmem_advise, CUdevice)>);
#endif
#endif

#define HOLDS(call) \
  if (cudaError_t outcome = (call)) return std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(outcome)), 1

#ifndef NAMES_ALONE
int main() {
  cudaGraph_t graph;
  cudaGraphNode_t nodes[3], from[2], to[2];
  HOLDS(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeEmpty;
  // CUDA 12's, then CUDA 13's.
  HOLDS(cudaGraphAddNode(&nodes[0], graph, nullptr, 0, &params));
  HOLDS(cudaGraphAddNode(&nodes[1], graph, nodes, nullptr, 1, &params));
  HOLDS(::cudaGraphAddNode(&nodes[2], graph, nullptr, NULL, 0, &params));
  HOLDS(cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], nullptr, 1));
  size_t edges = 0, before = 2;
  HOLDS(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  HOLDS(cudaGraphGetEdges(graph, from, to, nullptr, &edges));
  cudaGraphEdgeData data[2];
  HOLDS(cudaGraphNodeGetDependencies(nodes[2], from, data, &before));
  // CHECK: 2 edges, 1 before the last, which is right
  std::printf("%zu edges, %zu before the last, which is %s\n", edges, before, from[0] == nodes[1] ? "right" : "wrong");
#ifndef CALLS_ALONE
  using namespace std::placeholders;
  HOLDS(Called<cudaGraphRemoveDependencies>::with(graph, &nodes[1], &nodes[2], size_t{1}));
  HOLDS(std::invoke(cudaGraphGetEdges, graph, nullptr, nullptr, &edges));
  HOLDS(std::bind(cudaGraphGetEdges, graph, _1, _2, _3)(from, to, &edges));
  // CHECK: 1 left
  std::printf("%zu left\n", edges);
#endif

  // A captured stream's dependencies are taken away, by CUDA 12's form, and given by CUDA 13's.
  cudaStream_t stream;
  cudaStreamCaptureStatus status;
  unsigned long long id;
  const cudaGraphNode_t* last;
  const cudaGraphEdgeData* last_edges;
  HOLDS(cudaStreamCreate(&stream));
  int* memory;
  HOLDS(cudaMalloc(&memory, 4));
  HOLDS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  HOLDS(cudaMemsetAsync(memory, 0, 4, stream));
  size_t dependencies = 0;
  cudaGraph_t captured;
  HOLDS(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &last, &last_edges, &dependencies));
  cudaGraphNode_t memset_node = last[0];
  HOLDS(cudaStreamUpdateCaptureDependencies(stream, nullptr, 0, cudaStreamSetCaptureDependencies));
  HOLDS(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &last, &edges));
  // CHECK: 1, then 0
  std::printf("%zu, then %zu\n", dependencies, edges);
  HOLDS(cudaStreamUpdateCaptureDependencies(stream, &memset_node, nullptr, 1, cudaStreamAddCaptureDependencies));
  HOLDS(cudaStreamGetCaptureInfo(stream, &status));
  HOLDS(cudaStreamEndCapture(stream, &captured));

  // Memory: a device's number, or a place.
  void* managed;
  HOLDS(cudaMallocManaged(&managed, 4096));
  const cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
  HOLDS(cudaMemPrefetchAsync(managed, 4096, 0));
  HOLDS(cudaMemPrefetchAsync(managed, 4096, place, 0));
  HOLDS(cudaMemPrefetchAsync(managed, 4096, place, 0, stream));
  HOLDS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, 0));
  HOLDS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, place));
  CUcontext context;
  if (cuCtxCreate(&context, 0, 0) || cuCtxCreate(&context, nullptr, 0, 0)) return 2;
  // CHECK: all
  std::printf("all\n");
}
#endif
