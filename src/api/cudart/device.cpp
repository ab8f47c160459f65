// Devices: which there are, which one a thread works with, and what they are like.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/driver_version.h"
#include "api/cuda_state/limits.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaGetDeviceCount(int* count) {
  *count = 0;
  if (Status ready = Process::get().state(); !ready) return ready;
  *count = static_cast<int>(Process::get().devices().size());
  if (*count == 0) return failure(Code::no_device, "there are no devices");
  return Unit{};
}

// "Since CUDA 12 the primary context of the device is made at once" (cudaSetDevice).
Status cudaSetDevice(int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  auto primary = (*found)->primary();
  if (!primary) return primary.error();
  cuda::thread().device = device;
  cuda::thread().device_chosen = true;
  cuda::set_current(*primary);
  return Unit{};
}

Status cudaGetDevice(int* device) {
  if (Status ready = Process::get().state(); !ready) return ready;
  *device = cuda::current_device();
  return Unit{};
}

Status cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  auto found = find_device(device);
  if (!found) return found.error();
  if (Status known = known_flags(flags, cudaInitDeviceFlagsAreValid); !known) return known;
  if ((flags & cudaInitDeviceFlagsAreValid) != 0) (*found)->set_primary_flags(deviceFlags);
  return status_of((*found)->primary());
}

Status cudaSetValidDevices(int* device_arr, int len) {
  if (len < 0 || (len > 0 && device_arr == nullptr)) return invalid_value(std::to_string(len) + " devices");
  for (int i = 0; i < len; ++i)
    if (auto found = find_device(device_arr[i]); !found) return found.error();
  cuda::ThreadState& state = cuda::thread();
  state.valid_devices.assign(device_arr, device_arr + len);
  if (len > 0 && cuda::current_context_if_any() == nullptr) {
    state.device = device_arr[0];
    state.device_chosen = false;
  }
  return Unit{};
}

namespace {
constexpr unsigned device_flags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
}

Status cudaSetDeviceFlags(unsigned int flags) {
  if (Status known = known_flags(flags, device_flags); !known) return known;
  const unsigned schedule = flags & cudaDeviceScheduleMask;
  if ((schedule & (schedule - 1)) != 0)
    return invalid_value("two ways to wait: flags " + std::to_string(flags));
  auto device = find_device(cuda::current_device());
  if (!device) return device.error();
  // Drivers take it at any time from 12.0 on (CUDA C Best Practices Guide 3.1.3: before a context is
  // created).
  const auto version = cuda::driver_version();
  if (!version) return version.error();
  if (*version < 12000 && (*device)->primary_if_active() != nullptr)
    return failure(Code::primary_context_active,
                   "the device has its context already, of a driver below 12.0");
  (*device)->set_primary_flags(flags);
  return Unit{};
}

Status cudaGetDeviceFlags(unsigned int* flags) {
  auto device = find_device(cuda::current_device());
  if (!device) return device.error();
  // Page-locked memory is always mapped where addresses are unified (cudaGetDeviceFlags).
  *flags = (*device)->primary_flags() | cudaDeviceMapHost;
  return Unit{};
}

Status cudaDeviceSynchronize() {
  auto context = runtime_context();
  if (!context) return context.error();
  if (Status allowed = cuda::no_capture_forbids(); !allowed) return allowed;
  return (*context)->synchronize();
}

Status cudaDeviceReset() {
  auto device = find_device(cuda::current_device());
  if (!device) return device.error();
  cuda::thread().last_error = Code::success;
  return (*device)->reset_primary();
}

Status cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  auto answer = cuda::device_attribute(**found, attr);
  if (!answer) return answer.error();
  *value = *answer;
  return Unit{};
}

Status cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  if (len <= 0) return invalid_value("room for " + std::to_string(len) + " characters");
  std::snprintf(pciBusId, static_cast<std::size_t>(len), "%s", cuda::pci_bus_id(**found).c_str());
  return Unit{};
}

Status cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  if (Status ready = Process::get().state(); !ready) return ready;
  auto found = cuda::find_device_by_pci(Process::get(), pciBusId);
  if (!found) return found.error();
  *device = (*found)->ordinal();
  return Unit{};
}

// ---- limits and preferences
Status cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  auto context = working_context();
  if (!context) return context.error();
  return cuda::set_limit(**context, limit, value);
}

Status cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  auto context = working_context();
  if (!context) return context.error();
  auto value = cuda::limit_of(**context, limit);
  if (!value) return value.error();
  *pValue = *value;
  return Unit{};
}

Status cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  auto context = working_context();
  if (!context) return context.error();
  *pCacheConfig = static_cast<cudaFuncCache>((*context)->runtime()->cache_preference.load());
  return Unit{};
}

Status cudaDeviceSetCacheConfig(cudaFuncCache cacheConfig) {
  auto context = working_context();
  if (!context) return context.error();
  if (cacheConfig < cudaFuncCachePreferNone || cacheConfig > cudaFuncCachePreferEqual)
    return invalid_value("cache configuration " + std::to_string(cacheConfig));
  (*context)->runtime()->cache_preference = static_cast<model::CachePreference>(cacheConfig);
  return Unit{};
}

Status cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* pConfig) {
  auto context = working_context();
  if (!context) return context.error();
  const int set = (*context)->shared_config;
  *pConfig = set == cudaSharedMemBankSizeDefault ? cudaSharedMemBankSizeFourByte
                                                 : static_cast<cudaSharedMemConfig>(set);
  return Unit{};
}

Status cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  auto context = working_context();
  if (!context) return context.error();
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return invalid_value("shared memory configuration " + std::to_string(config));
  const bool modes = (*context)->device().facts().has(arch::Feature::shared_bank_modes);
  (*context)->shared_config = modes ? config : cudaSharedMemBankSizeDefault;
  return Unit{};
}

Status cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  auto context = working_context();
  if (!context) return context.error();
  const bool any = (*context)->device().facts().has(arch::Feature::stream_priorities);
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = any ? cuda::greatest_stream_priority : 0;
  return Unit{};
}

Status cudaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, const cudaChannelFormatDesc* fmtDesc,
                                            int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  if (fmtDesc == nullptr) return invalid_value("the format is NULL");
  if (auto texel = texel_of(*fmtDesc); !texel) return texel.error();
  *maxWidthInElements = (*found)->facts().arch.textures.d1_linear;
  return Unit{};
}

Status cudaCtxResetPersistingL2Cache() { return status_of(working_context()); }
Status cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                          cudaFlushGPUDirectRDMAWritesScope scope) {
  if (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice)
    return invalid_value("target " + std::to_string(target));
  if (scope != cudaFlushGPUDirectRDMAWritesToOwner && scope != cudaFlushGPUDirectRDMAWritesToAllDevices)
    return invalid_value("scope " + std::to_string(scope));
  return status_of(working_context());
}

// ---- peers
Status cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  auto one = find_device(device), other = find_device(peerDevice);
  if (!one) return one.error();
  if (!other) return other.error();
  *canAccessPeer = cuda::can_access_peer(**one, **other) ? 1 : 0;
  return Unit{};
}

Status cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  auto one = find_device(srcDevice), other = find_device(dstDevice);
  if (!one) return one.error();
  if (!other) return other.error();
  if (srcDevice == dstDevice) return failure(Code::invalid_device, "a device is no peer of itself");
  const bool peers = cuda::can_access_peer(**one, **other);
  switch (attr) {
    case cudaDevP2PAttrPerformanceRank: *value = 0; return Unit{};
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported: *value = peers ? 1 : 0; return Unit{};
    default: return invalid_value("attribute " + std::to_string(attr) + " of two devices");
  }
}

namespace {

Answer<ContextRef> peer_context(int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  return (*found)->primary();
}

}  // namespace

Status cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  auto context = working_context();
  if (!context) return context.error();
  auto peer = peer_context(peerDevice);
  if (!peer) return peer.error();
  if (&(*peer)->device() == &(*context)->device())
    return failure(Code::invalid_device, "a device is no peer of itself");
  if (!cuda::can_access_peer((*context)->device(), (*peer)->device()))
    return failure(Code::peer_access_unsupported, "the devices cannot use each other's memory");
  return (*context)->enable_peer(**peer);
}

Status cudaDeviceDisablePeerAccess(int peerDevice) {
  auto context = working_context();
  if (!context) return context.error();
  auto peer = peer_context(peerDevice);
  if (!peer) return peer.error();
  return (*context)->disable_peer(**peer);
}

// ---- the older names
Status cudaThreadSynchronize() { return cudart::cudaDeviceSynchronize(); }
Status cudaThreadExit() { return cudart::cudaDeviceReset(); }
Status cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudart::cudaDeviceSetLimit(limit, value); }
Status cudaThreadGetLimit(size_t* pValue, cudaLimit limit) {
  return cudart::cudaDeviceGetLimit(pValue, limit);
}
Status cudaThreadGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return cudart::cudaDeviceGetCacheConfig(pCacheConfig);
}
Status cudaThreadSetCacheConfig(cudaFuncCache cacheConfig) {
  return cudart::cudaDeviceSetCacheConfig(cacheConfig);
}

}  // namespace heddle::cudart
