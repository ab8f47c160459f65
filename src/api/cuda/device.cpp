// Devices and what is known of them.
#include "api/cuda_state/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/pool_calls.h"

namespace heddle::cu {

Status cuDeviceGetCount(int* count) {
  *count = static_cast<int>(Process::get().devices().size());
  return Unit{};
}

Status cuDeviceGet(CUdevice* device, int ordinal) {
  auto found = find_device(ordinal);
  if (!found) return found.error();
  *device = ordinal;
  return Unit{};
}

Status cuDeviceGetName(char* name, int len, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  if (len <= 0) return invalid_value("room for " + std::to_string(len) + " characters");
  const std::string_view text = (*device)->facts().name;
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(len) - 1);
  std::memcpy(name, text.data(), length);
  name[length] = '\0';
  return Unit{};
}

Status cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  const auto bytes = cuda::device_uuid(**device);
  std::memcpy(uuid->bytes, bytes.data(), bytes.size());
  return Unit{};
}

Status cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  *bytes = (*device)->runtime().budget.total();
  return Unit{};
}
Status cuDeviceTotalMem(unsigned int* bytes, CUdevice dev) {
  size_t all = 0;
  if (Status done = cu::cuDeviceTotalMem_v2(&all, dev); !done) return done;
  *bytes = static_cast<unsigned int>(std::min<size_t>(all, ~0U));
  return Unit{};
}

Status cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  auto value = cuda::device_attribute(**device, attrib);
  if (!value) return value.error();
  *pi = *value;
  return Unit{};
}

Status cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  *major = static_cast<int>((*device)->facts().capability().major);
  *minor = static_cast<int>((*device)->facts().capability().minor);
  return Unit{};
}

Status cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  const auto value = [&](CUdevice_attribute attribute) {
    auto found = cuda::device_attribute(**device, attribute);
    return found ? *found : 0;
  };
  *prop = {};
  prop->maxThreadsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    prop->maxThreadsDim[i] = value(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
    prop->maxGridSize[i] = value(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
  }
  prop->sharedMemPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  prop->totalConstantMemory = value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  prop->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  prop->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  prop->regsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  prop->clockRate = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  prop->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return Unit{};
}

Status cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  const std::string text = cuda::pci_bus_id(**device);
  if (len <= 0) return invalid_value("room for " + std::to_string(len) + " characters");
  std::snprintf(pciBusId, static_cast<std::size_t>(len), "%s", text.c_str());
  return Unit{};
}

Status cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  auto device = cuda::find_device_by_pci(Process::get(), pciBusId);
  if (!device) return device.error();
  *dev = (*device)->ordinal();
  return Unit{};
}

Status cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  auto peer = find_device(peerDev);
  if (!peer) return peer.error();
  *canAccessPeer = cuda::can_access_peer(**device, **peer) ? 1 : 0;
  return Unit{};
}

Status cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                               CUdevice dstDevice) {
  auto from = find_device(srcDevice);
  if (!from) return from.error();
  auto to = find_device(dstDevice);
  if (!to) return to.error();
  if (*from == *to) return failure(Code::invalid_device, "a device is no peer of itself");
  const bool access = cuda::can_access_peer(**from, **to);
  switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: *value = 0; break;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: *value = access ? 1 : 0; break;
    default: return invalid_value("no such attribute of two devices: " + std::to_string(attrib));
  }
  return Unit{};
}

Status cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format,
                                          unsigned numChannels, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  if (numChannels != 1 && numChannels != 2 && numChannels != 4)
    return invalid_value(std::to_string(numChannels) + " channels; there may be 1, 2 or 4");
  auto width = cuda::device_attribute(**device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
  if (!width) return width.error();
  (void)format;  // the limit counts elements of any size
  *maxWidthInElements = static_cast<size_t>(*width);
  return Unit{};
}

Status cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return invalid_value("no such kind of affinity: " + std::to_string(type));
  *pi = 0;
  return Unit{};
}

// What other devices write to memory is there at once: it is the host's.
Status cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                  CUflushGPUDirectRDMAWritesScope scope) {
  if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX)
    return invalid_value("target " + std::to_string(target));
  if (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
      scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES)
    return invalid_value("scope " + std::to_string(scope));
  return status_of(working_context());
}

// ---- memory pools
Status cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  *pool_out = as_handle<CUmemoryPool>((*device)->default_pool()->handle());
  return Unit{};
}

Status cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  *pool = as_handle<CUmemoryPool>((*device)->pool()->handle());
  return Unit{};
}

Status cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  auto device = find_device(dev);
  if (!device) return device.error();
  auto found = cuda::find_pool(pool);
  if (!found) return found.error();
  return (*device)->set_pool(std::move(*found));
}

}  // namespace heddle::cu
