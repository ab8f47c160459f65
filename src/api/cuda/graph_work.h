// Parameters of graph nodes as the driver API has them, to work and back.
#pragma once

#include "api/cuda/transfer.h"
#include "api/cuda_state/graph_calls.h"

namespace heddle::cu {

// The context that a node's copies and fills run in.
Answer<ContextRef> context_or_current(CUcontext context);

Answer<cuda::Work> kernel_node_work(const CUDA_KERNEL_NODE_PARAMS_v1& params, CUkernel kernel,
                                    CUcontext context);
// Of CUDA_KERNEL_NODE_PARAMS, in its versions.
template <class Params>
Answer<cuda::Work> kernel_work_of(const Params* p) {
  if (p == nullptr) return invalid_value("the parameters are NULL");
  const CUDA_KERNEL_NODE_PARAMS_v1 common{p->func,         p->gridDimX,  p->gridDimY,  p->gridDimZ,
                                          p->blockDimX,    p->blockDimY, p->blockDimZ, p->sharedMemBytes,
                                          p->kernelParams, p->extra};
  if constexpr (requires { p->kern; })
    return kernel_node_work(common, p->kern, p->ctx);
  else
    return kernel_node_work(common, nullptr, nullptr);
}
// Of the node of an event: there, an event that is none is a bad value and not a bad handle.
inline Answer<cuda::Work> event_as_value(Answer<cuda::Work> work) {
  if (!work && work.error().code == cuda::Code::invalid_handle) return invalid_value("no such event");
  return work;
}
Answer<std::pair<cuda::NodeRef, const cuda::KernelWork*>> kernel_said(CUgraphNode node);
template <class Params>
Status kernel_params(CUgraphNode node, Params* out) {
  auto said = kernel_said(node);
  if (!said) return said.error();
  const cuda::KernelWork& work = *said->second;
  *out = {};
  out->func = as_handle<CUfunction>(work.function->handle());
  out->gridDimX = work.grid.x;
  out->gridDimY = work.grid.y;
  out->gridDimZ = work.grid.z;
  out->blockDimX = work.block.x;
  out->blockDimY = work.block.y;
  out->blockDimZ = work.block.z;
  out->sharedMemBytes = work.dynamic_shared;
  out->kernelParams = said->first->arguments();
  if constexpr (requires { out->kern; })
    out->ctx = as_handle<CUcontext>(work.function->module().context().handle());
  return Unit{};
}

Answer<cuda::Work> copy_node_work(const CUDA_MEMCPY3D* params, CUcontext context);
Status copy_params(CUgraphNode node, CUDA_MEMCPY3D* out);

Answer<cuda::Work> batch_work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params);
// The list of operations stays where the node has it, until the thread asks for another.
Status batch_params(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* out);

// As it was before CUDA 12: the node and the reason apart.
Status update_exec(CUgraphExec exec, CUgraph graph, CUgraphNode* node, CUgraphExecUpdateResult* result);

// What is the driver API's own of CUgraphNodeParams.
struct NodeParams {
  static Answer<cuda::Work> kernel(const CUDA_KERNEL_NODE_PARAMS_v3& params) {
    return kernel_work_of(&params);
  }
  static Answer<cuda::Work> copy(const CUDA_MEMCPY_NODE_PARAMS& params) {
    return copy_node_work(&params.copyParams, params.copyCtx);
  }
  static Answer<cuda::Work> fill(const CUDA_MEMSET_NODE_PARAMS_v2& params) {
    return cuda::fill_work_of(context_or_current(params.ctx), &params);
  }
  static Answer<cuda::Work> batch(const CUgraphNodeParams& params) {
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 same{params.memOp.ctx, params.memOp.count, params.memOp.paramArray,
                                                params.memOp.flags};
    return batch_work_of(&same);
  }
};

}  // namespace heddle::cu
