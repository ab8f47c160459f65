// Parameters of graph nodes as the runtime API has them, to work and back.
#pragma once

#include "api/cuda_state/graph.h"
#include "api/cudart/transfer.h"

namespace heddle::cudart {

Answer<cuda::Work> kernel_work(const void* func, const dim3& grid, const dim3& block, unsigned shared,
                               void** params, void** extra);
Answer<cuda::Work> copy_node_work(const cudaMemcpy3DParms* parms);
Answer<cuda::Work> copy_node_work(void* dst, const void* src, size_t count, cudaMemcpyKind kind);
Answer<cuda::Work> to_symbol_work(const void* symbol, const void* src, size_t count, size_t offset,
                                  cudaMemcpyKind kind);
Answer<cuda::Work> from_symbol_work(void* dst, const void* symbol, size_t count, size_t offset,
                                    cudaMemcpyKind kind);
Answer<cuda::Work> fill_work(const cudaMemsetParams* params);
Answer<cuda::Work> host_work(const cudaHostNodeParams* params);
Answer<cuda::Work> event_work(cudaEvent_t event, bool record);
// By the type that the parameters name; memory that is allocated is told in them.
Answer<cuda::Work> work_of(cudaGraphNodeParams& params);

// For later launches of an executable graph: what a node of the graph that it was made of does.
Status set_in_exec(cudaGraphExec_t exec, cudaGraphNode_t node, Answer<cuda::Work> work);

cudaMemcpy3DParms parms_of(const cuda::CopyWork& work);
cudaMemsetParams params_of(const cuda::FillWork& work);
cudaGraphNodeType type_of(const cuda::Work& work);

}  // namespace heddle::cudart
