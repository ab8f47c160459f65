// Parameters of graph nodes as the runtime API has them, to work and back.
#pragma once

#include "api/cuda_state/graph_calls.h"
#include "api/cudart/transfer.h"

namespace heddle::cudart {

Answer<cuda::Work> kernel_work(const void* func, const dim3& grid, const dim3& block, unsigned shared,
                               void** params, void** extra);
// Of cudaKernelNodeParams, in both versions.
template <class Params>
Answer<cuda::Work> kernel_work_of(const Params* p) {
  if (p == nullptr) return invalid_value("the parameters are NULL");
  return kernel_work(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra);
}
Status kernel_params(cudaGraphNode_t node, cudaKernelNodeParams* out);

Answer<cuda::Work> copy_node_work(const cudaMemcpy3DParms* parms);
Answer<cuda::Work> copy_node_work(void* dst, const void* src, size_t count, cudaMemcpyKind kind);
Answer<cuda::Work> to_symbol_work(const void* symbol, const void* src, size_t count, size_t offset,
                                  cudaMemcpyKind kind);
Answer<cuda::Work> from_symbol_work(void* dst, const void* symbol, size_t count, size_t offset,
                                    cudaMemcpyKind kind);
Status copy_params(cudaGraphNode_t node, cudaMemcpy3DParms* out);

// What is the runtime API's own of cudaGraphNodeParams.
struct NodeParams {
  static Answer<cuda::Work> kernel(const cudaKernelNodeParamsV2& params) { return kernel_work_of(&params); }
  static Answer<cuda::Work> copy(const cudaMemcpyNodeParams& params) {
    return copy_node_work(&params.copyParams);
  }
  static Answer<cuda::Work> fill(const cudaMemsetParamsV2& params) {
    return cuda::fill_work_of(working_context(), &params);
  }
  static Answer<cuda::Work> batch(const cudaGraphNodeParams&) {
    return failure(Code::not_supported, "memory operations are nodes of the driver API only");
  }
};

}  // namespace heddle::cudart
