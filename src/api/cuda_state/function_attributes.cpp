#include "api/cuda_state/function_attributes.h"

#include "api/cuda_state/function_facts.h"

namespace heddle::cuda {

cudaFuncAttributes function_attributes(const runtime::Kernel& kernel) {
  const FunctionFacts facts = function_facts(kernel);
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = facts.static_shared;
  attributes.constSizeBytes = facts.constant_bytes;
  attributes.localSizeBytes = facts.local_bytes;
  attributes.maxThreadsPerBlock = facts.max_threads;
  attributes.numRegs = facts.registers;
  attributes.ptxVersion = facts.ptx_version;
  attributes.binaryVersion = facts.binary_version;
  attributes.maxDynamicSharedSizeBytes = facts.max_dynamic_shared;
  attributes.preferredShmemCarveout = facts.carveout;
  attributes.clusterDimMustBeSet = facts.cluster_must_be_set ? 1 : 0;
  attributes.requiredClusterWidth = facts.required_cluster[0];
  attributes.requiredClusterHeight = facts.required_cluster[1];
  attributes.requiredClusterDepth = facts.required_cluster[2];
  attributes.nonPortableClusterSizeAllowed = facts.large_cluster_allowed ? 1 : 0;
  return attributes;
}

}  // namespace heddle::cuda
