// Memory in a stream's order, and the pools it comes from.
#include <cstring>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/pool_calls.h"

namespace heddle::cu {
namespace {

using cuda::PoolRef, cuda::find_pool;

Status allocate(CUdeviceptr* out, size_t bytes, const PoolRef& pool, cuda::Stream& stream) {
  if (bytes == 0) return invalid_value("an allocation of 0 bytes");
  auto address = cuda::allocate_in_order(stream, pool, bytes);
  if (!address) return address.error();
  *out = *address;
  return Unit{};
}

}  // namespace

Status cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return allocate(dptr, bytesize, (*stream)->context().device().pool(), **stream);
}

Status cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  auto found = find_pool(pool);
  if (!found) return found.error();
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return allocate(dptr, bytesize, *found, **stream);
}

Status cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  if (dptr == 0) return invalid_value("dptr is 0");
  return cuda::free_in_order(**stream, dptr);
}

Status cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  if (poolProps == nullptr) return missing("poolProps");
  if (poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return invalid_value("pools have memory of the type 'pinned'");
  if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return failure(Code::not_supported, "pools are of devices");
  auto device = find_device(poolProps->location.id);
  if (!device) return device.error();
  return cuda::make_pool(**device, poolProps->maxSize, poolProps->handleTypes, pool);
}

Status cuMemPoolDestroy(CUmemoryPool pool) {
  auto found = find_pool(pool);
  if (!found) return found.error();
  if ((*found)->device().default_pool() == *found)
    return invalid_value("a device's default pool cannot be destroyed");
  return (*found)->destroy();
}

Status cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  auto found = find_pool(pool);
  if (!found) return found.error();
  return Unit{};
}

Status cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  if (value == nullptr) return missing("value");
  auto found = find_pool(pool);
  if (!found) return found.error();
  const auto settings = (*found)->settings();
  const auto usage = (*found)->usage();
  const auto flag = [&](int number) { std::memcpy(value, &number, sizeof number); };
  const auto bytes = [&](cuuint64_t number) { std::memcpy(value, &number, sizeof number); };
  switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: flag(settings.reuse_follow_event); break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: flag(settings.reuse_opportunistic); break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: flag(settings.reuse_internal); break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: bytes(settings.release_threshold); break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: bytes(usage.reserved); break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: bytes(usage.reserved_high); break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: bytes(usage.used); break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: bytes(usage.used_high); break;
    default: return invalid_value("no attribute of pools has the number " + std::to_string(attr));
  }
  return Unit{};
}

Status cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  if (value == nullptr) return missing("value");
  auto found = find_pool(pool);
  if (!found) return found.error();
  auto settings = (*found)->settings();
  int flag = 0;
  cuuint64_t bytes = 0;
  switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      std::memcpy(&flag, value, sizeof flag);
      if (flag != 0 && flag != 1)
        return invalid_value("the attribute is 0 or 1, not " + std::to_string(flag));
      break;
    default: std::memcpy(&bytes, value, sizeof bytes);
  }
  switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: settings.reuse_follow_event = flag; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: settings.reuse_opportunistic = flag; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: settings.reuse_internal = flag; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: settings.release_threshold = bytes; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (bytes != 0) return invalid_value("a high mark can only be set back to 0");
      (*found)->reset_high(attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH);
      return Unit{};
    default: return invalid_value("attribute " + std::to_string(attr) + " of a pool cannot be set");
  }
  (*found)->set(settings);
  return Unit{};
}

}  // namespace heddle::cu
