// What libcudart.so.11.0 has under names that mean something else from CUDA 12 on. Structures have grown
// there without new names, so a program of CUDA 11 has less room for an answer than today's function would
// fill.
#include <cstring>

#include "api/cuda_state/graph_calls.h"
#include "api/cudart/functions.gen.h"

namespace heddle::cudart {

namespace {

// The later structure begins with the earlier one.
template <class Earlier, class Later>
void shorten(Earlier& earlier, const Later& later) {
  static_assert(sizeof(Earlier) <= sizeof(Later));
  std::memcpy(&earlier, &later, sizeof earlier);
}

}  // namespace

Status cudaRuntimeGetVersion_v11(int* runtimeVersion) {
  *runtimeVersion = 11080;
  return Unit{};
}

Status cudaFuncGetAttributes_v11(cudaFuncAttributes_v11* attr, const void* func) {
  cudaFuncAttributes attributes{};
  Status told = cudart::cudaFuncGetAttributes(&attributes, func);
  if (told) shorten(*attr, attributes);
  return told;
}

Status cudaGraphExecUpdate_v11(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                               cudaGraphNode_t* hErrorNode_out, cudaGraphExecUpdateResult* updateResult_out) {
  cudaGraphExecUpdateResultInfo info{};
  Status updated = cuda::exec_update(hGraphExec, hGraph, &info);
  if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
  *updateResult_out = info.result;
  return updated;
}

Status cudaCreateTextureObject_v11(cudaTextureObject_t* pTexObject, const cudaResourceDesc* pResDesc,
                                   const cudaTextureDesc_v11* pTexDesc,
                                   const cudaResourceViewDesc* pResViewDesc) {
  cudaTextureDesc description{};
  if (pTexDesc != nullptr) std::memcpy(&description, pTexDesc, sizeof *pTexDesc);
  return cudart::cudaCreateTextureObject(pTexObject, pResDesc, pTexDesc != nullptr ? &description : nullptr,
                                         pResViewDesc);
}

Status cudaGetTextureObjectTextureDesc_v11(cudaTextureDesc_v11* pTexDesc, cudaTextureObject_t texObject) {
  cudaTextureDesc description{};
  Status told = cudart::cudaGetTextureObjectTextureDesc(&description, texObject);
  if (told) shorten(*pTexDesc, description);
  return told;
}

}  // namespace heddle::cudart
