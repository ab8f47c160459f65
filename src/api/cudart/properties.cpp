// cudaDeviceProp in the layouts of three CUDA versions.
#include <cstring>
#include <tuple>

#include "api/cuda_state/device_facts.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

// What all layouts have. An attribute that nobody knows of the device is 0.
template <class Properties>
void fill(Properties& p, const cuda::Device& device) {
  const auto value = [&](int attribute) {
    const auto answer = cuda::device_attribute(device, attribute);
    return answer ? *answer : 0;
  };
  const auto row = [&](int* to, std::initializer_list<int> attributes) {
    for (const int attribute : attributes) *to++ = value(attribute);
  };
  std::memset(static_cast<void*>(&p), 0, sizeof p);
  const arch::Device& facts = device.facts();
  const std::string_view name = facts.name.substr(0, sizeof p.name - 1);
  std::memcpy(p.name, name.data(), name.size());
  const auto uuid = cuda::device_uuid(device);
  std::memcpy(&p.uuid, uuid.data(), uuid.size());
  p.totalGlobalMem = device.runtime().budget.total();
  p.sharedMemPerBlock = static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerBlock));
  p.regsPerBlock = value(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = value(cudaDevAttrWarpSize);
  p.memPitch = static_cast<size_t>(value(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = value(cudaDevAttrMaxThreadsPerBlock);
  row(p.maxThreadsDim, {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ});
  row(p.maxGridSize, {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ});
  p.totalConstMem = static_cast<size_t>(value(cudaDevAttrTotalConstantMemory));
  p.major = value(cudaDevAttrComputeCapabilityMajor);
  p.minor = value(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = static_cast<size_t>(value(cudaDevAttrTextureAlignment));
  p.texturePitchAlignment = static_cast<size_t>(value(cudaDevAttrTexturePitchAlignment));
  p.multiProcessorCount = value(cudaDevAttrMultiProcessorCount);
  p.integrated = value(cudaDevAttrIntegrated);
  p.canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  p.maxTexture1D = value(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = value(cudaDevAttrMaxTexture1DMipmappedWidth);
  row(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
  row(p.maxTexture2DMipmap, {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
  row(p.maxTexture2DLinear, {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
                             cudaDevAttrMaxTexture2DLinearPitch});
  row(p.maxTexture2DGather, {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
  row(p.maxTexture3D,
      {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
  row(p.maxTexture3DAlt,
      {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt});
  p.maxTextureCubemap = value(cudaDevAttrMaxTextureCubemapWidth);
  row(p.maxTexture1DLayered, {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
  row(p.maxTexture2DLayered, {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
                              cudaDevAttrMaxTexture2DLayeredLayers});
  row(p.maxTextureCubemapLayered,
      {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
  p.maxSurface1D = value(cudaDevAttrMaxSurface1DWidth);
  row(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
  row(p.maxSurface3D,
      {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
  row(p.maxSurface1DLayered, {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
  row(p.maxSurface2DLayered, {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
                              cudaDevAttrMaxSurface2DLayeredLayers});
  p.maxSurfaceCubemap = value(cudaDevAttrMaxSurfaceCubemapWidth);
  row(p.maxSurfaceCubemapLayered,
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
  p.surfaceAlignment = static_cast<size_t>(value(cudaDevAttrSurfaceAlignment));
  p.concurrentKernels = value(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = value(cudaDevAttrEccEnabled);
  p.pciBusID = value(cudaDevAttrPciBusId);
  p.pciDeviceID = value(cudaDevAttrPciDeviceId);
  p.pciDomainID = value(cudaDevAttrPciDomainId);
  p.tccDriver = value(cudaDevAttrTccDriver);
  p.asyncEngineCount = value(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  p.memoryBusWidth = value(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = value(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = value(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = value(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = value(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  p.sharedMemPerMultiprocessor = static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.regsPerMultiprocessor = value(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = value(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = value(cudaDevAttrIsMultiGpuBoard);
  p.multiGpuBoardGroupID = value(cudaDevAttrMultiGpuBoardGroupID);
  p.hostNativeAtomicSupported = value(cudaDevAttrHostNativeAtomicSupported);
  p.pageableMemoryAccess = value(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = value(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = value(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = value(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  p.sharedMemPerBlockOptin = static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.pageableMemoryAccessUsesHostPageTables = value(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  p.directManagedMemAccessFromHost = value(cudaDevAttrDirectManagedMemAccessFromHost);
  p.maxBlocksPerMultiProcessor = value(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.accessPolicyMaxWindowSize = value(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = static_cast<size_t>(value(cudaDevAttrReservedSharedMemoryPerBlock));
}

// What CUDA 12 added.
template <class Properties>
void fill_newer(Properties& p, const cuda::Device& device) {
  const auto value = [&](int attribute) {
    const auto answer = cuda::device_attribute(device, attribute);
    return answer ? *answer : 0;
  };
  p.hostRegisterSupported = value(cudaDevAttrHostRegisterSupported);
  p.sparseCudaArraySupported = value(cudaDevAttrSparseCudaArraySupported);
  p.hostRegisterReadOnlySupported = value(cudaDevAttrHostRegisterReadOnlySupported);
  p.timelineSemaphoreInteropSupported = value(cudaDevAttrTimelineSemaphoreInteropSupported);
  p.memoryPoolsSupported = value(cudaDevAttrMemoryPoolsSupported);
  p.gpuDirectRDMASupported = value(cudaDevAttrGPUDirectRDMASupported);
  p.memoryPoolSupportedHandleTypes = static_cast<unsigned>(value(cudaDevAttrMemoryPoolSupportedHandleTypes));
  p.deferredMappingCudaArraySupported = value(cudaDevAttrDeferredMappingCudaArraySupported);
  p.ipcEventSupported = value(cudaDevAttrIpcEventSupport);
  p.clusterLaunch = value(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = device.facts().has(arch::Feature::unified_function_pointers) ? 1 : 0;
}

// What CUDA 13 took away.
template <class Properties>
void fill_older(Properties& p, const cuda::Device& device) {
  const auto value = [&](int attribute) {
    const auto answer = cuda::device_attribute(device, attribute);
    return answer ? *answer : 0;
  };
  p.clockRate = value(cudaDevAttrClockRate);
  p.deviceOverlap = value(cudaDevAttrGpuOverlap);
  p.kernelExecTimeoutEnabled = value(cudaDevAttrKernelExecTimeout);
  p.computeMode = value(cudaDevAttrComputeMode);
  p.maxTexture1DLinear = value(cudaDevAttrMaxTexture1DLinearWidth);
  p.memoryClockRate = value(cudaDevAttrMemoryClockRate);
  p.singleToDoublePrecisionPerfRatio = value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p.cooperativeMultiDeviceLaunch = value(cudaDevAttrCooperativeMultiDeviceLaunch);
}

}  // namespace

Status cudaGetDeviceProperties_v2(cudaDeviceProp* prop, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  fill(*prop, **found);
  fill_newer(*prop, **found);
  fill_older(*prop, **found);
  return Unit{};
}

Status cudaGetDeviceProperties(cudaDeviceProp_v11* prop, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  fill(*prop, **found);
  fill_older(*prop, **found);
  return Unit{};
}

Status cudaGetDeviceProperties_v13(cudaDeviceProp_v13* prop, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  fill(*prop, **found);
  fill_newer(*prop, **found);
  return Unit{};
}

// The device that has most of what is asked for: the capability first, then the memory.
Status cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  if (prop == nullptr) return invalid_value("the properties are NULL");
  if (Status ready = Process::get().state(); !ready) return ready;
  int best = 0;
  std::tuple<bool, bool, bool> best_rank{};
  for (const cuda::Device& candidate : Process::get().devices()) {
    const int wanted = prop->major * 10 + prop->minor;
    const std::tuple rank{
        static_cast<int>(candidate.capability()) >= wanted,
        candidate.runtime().budget.total() >= prop->totalGlobalMem,
        static_cast<int>(candidate.facts().board.multiprocessors) >= prop->multiProcessorCount};
    if (candidate.ordinal() != 0 && rank <= best_rank) continue;
    best = candidate.ordinal();
    best_rank = rank;
  }
  *device = best;
  return Unit{};
}

}  // namespace heddle::cudart
