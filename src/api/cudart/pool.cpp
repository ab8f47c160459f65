// Memory in the order of streams, and the pools that it comes from.
#include "api/cuda_state/pool_calls.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

using cuda::find_pool;

Status allocate(void** pointer, size_t size, const std::shared_ptr<cuda::MemoryPool>& pool,
                cuda::Stream& stream) {
  *pointer = nullptr;
  if (size == 0) return Unit{};
  auto address = cuda::allocate_in_order(stream, pool, size);
  if (!address) return address.error();
  *pointer = as_handle<void*>(*address);
  return Unit{};
}

}  // namespace

Status cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return allocate(devPtr, size, (*stream)->context().device().pool(), **stream);
}

Status cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  auto on = find_stream(stream);
  if (!on) return on.error();
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  return allocate(ptr, size, *pool, **on);
}

Status cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  if (devPtr == nullptr) return Unit{};
  return cuda::free_in_order(**stream, number_of(devPtr));
}

Status cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  *memPool = as_handle<cudaMemPool_t>((*found)->default_pool()->handle());
  return Unit{};
}
Status cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  auto found = find_device(device);
  if (!found) return found.error();
  *memPool = as_handle<cudaMemPool_t>((*found)->pool()->handle());
  return Unit{};
}
Status cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  auto found = find_device(device);
  if (!found) return found.error();
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  return (*found)->set_pool(std::move(*pool));
}

Status cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  if (poolProps == nullptr) return invalid_value("the properties are NULL");
  if (poolProps->allocType != cudaMemAllocationTypePinned)
    return invalid_value("allocation type " + std::to_string(poolProps->allocType));
  if (poolProps->location.type != cudaMemLocationTypeDevice)
    return failure(Code::not_supported, "a pool that is not of a device");
  auto device = find_device(poolProps->location.id);
  if (!device) return invalid_value(device.error().message);
  return cuda::make_pool(**device, poolProps->maxSize, poolProps->handleTypes, memPool);
}

Status cudaMemPoolDestroy(cudaMemPool_t memPool) {
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  if (*pool == (*pool)->device().default_pool()) return invalid_value("the default pool cannot be destroyed");
  return (*pool)->destroy();
}

Status cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t) {
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  return Unit{};
}

Status cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  cuda::MemoryPool::Settings settings = (*pool)->settings();
  const auto zero = [&] { return *static_cast<uint64_t*>(value) == 0; };
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
      settings.reuse_follow_event = *static_cast<int*>(value);
      break;
    case cudaMemPoolReuseAllowOpportunistic: settings.reuse_opportunistic = *static_cast<int*>(value); break;
    case cudaMemPoolReuseAllowInternalDependencies:
      settings.reuse_internal = *static_cast<int*>(value);
      break;
    case cudaMemPoolAttrReleaseThreshold: settings.release_threshold = *static_cast<uint64_t*>(value); break;
    // "Can be set to 0 only": the highest value from now on.
    case cudaMemPoolAttrReservedMemHigh:
      if (!zero()) return invalid_value("a high-water mark is set to 0");
      (*pool)->reset_high(true, false);
      return Unit{};
    case cudaMemPoolAttrUsedMemHigh:
      if (!zero()) return invalid_value("a high-water mark is set to 0");
      (*pool)->reset_high(false, true);
      return Unit{};
    default: return invalid_value("attribute " + std::to_string(attr) + " of a pool cannot be set");
  }
  (*pool)->set(settings);
  return Unit{};
}

Status cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  auto pool = find_pool(memPool);
  if (!pool) return pool.error();
  const cuda::MemoryPool::Settings settings = (*pool)->settings();
  const cuda::MemoryPool::Usage usage = (*pool)->usage();
  const auto number = [&](int answer) {
    *static_cast<int*>(value) = answer;
    return Unit{};
  };
  const auto bytes = [&](uint64_t answer) {
    *static_cast<uint64_t*>(value) = answer;
    return Unit{};
  };
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies: return number(settings.reuse_follow_event);
    case cudaMemPoolReuseAllowOpportunistic: return number(settings.reuse_opportunistic);
    case cudaMemPoolReuseAllowInternalDependencies: return number(settings.reuse_internal);
    case cudaMemPoolAttrReleaseThreshold: return bytes(settings.release_threshold);
    case cudaMemPoolAttrReservedMemCurrent: return bytes(usage.reserved);
    case cudaMemPoolAttrReservedMemHigh: return bytes(usage.reserved_high);
    case cudaMemPoolAttrUsedMemCurrent: return bytes(usage.used);
    case cudaMemPoolAttrUsedMemHigh: return bytes(usage.used_high);
    default: return invalid_value("attribute " + std::to_string(attr) + " of a pool");
  }
}

}  // namespace heddle::cudart
