// What both APIs do with memory pools alike: which devices may use them, and pools of one process in another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "api/cuda_state/handles.h"
#include "api/cuda_state/ipc.h"
#include "api/cuda_state/memory_pool.h"

namespace heddle::cuda {

using PoolRef = std::shared_ptr<MemoryPool>;
Answer<PoolRef> find_pool(PoolHandle handle);

// `handle_types`: for which other processes, as cudaMemAllocationHandleType.
Status make_pool(Device& device, uint64_t max_bytes, int handle_types, PoolHandle* pool);

// ---- which devices may use it. The numbers are those of both APIs.
struct PoolRight {
  int place_type = 0, place = 0, access = 0;
};
Status set_pool_access(PoolHandle pool, std::span<const PoolRight> rights);
Answer<int> pool_access(PoolHandle pool, int place_type, int place);
template <class Right>
Status pool_set_access(PoolHandle pool, const Right* rights, std::size_t count) {
  if (count != 0 && rights == nullptr) return invalid_value("the list is NULL");
  std::vector<PoolRight> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({static_cast<int>(rights[i].location.type), rights[i].location.id,
                   static_cast<int>(rights[i].flags)});
  return set_pool_access(pool, all);
}
template <class Access, class Location>
Status pool_get_access(PoolHandle pool, const Location* location, Access* access) {
  auto found = pool_access(pool, static_cast<int>(location->type), location->id);
  if (!found) return found.error();
  *access = static_cast<Access>(*found);
  return Unit{};
}

// A stream's allocation; while the stream captures, a graph's own, which comes from no pool.
Answer<uint64_t> allocate_in_order(Stream& stream, const PoolRef& pool, uint64_t bytes);

// ---- the pool that a place's allocations of a type come from
Answer<PoolRef> pool_of(int place_type, int place, int allocation_type, bool by_default);
Status set_pool_of(int place_type, int place, int allocation_type, PoolHandle pool);
template <class Location, class Type>
Status get_pool_of(const Location* location, Type type, bool by_default, PoolHandle* pool) {
  auto found = pool_of(static_cast<int>(location->type), location->id, static_cast<int>(type), by_default);
  if (!found) return found.error();
  *pool = as_handle<PoolHandle>((*found)->handle());
  return Unit{};
}
template <class Location, class Type>
Status set_pool_of(const Location* location, Type type, PoolHandle pool) {
  return set_pool_of(static_cast<int>(location->type), location->id, static_cast<int>(type), pool);
}

// ---- other processes. A descriptor is written as an int, and read as if it were the pointer.
Status export_pool(void* descriptor, PoolHandle pool, int type, uint64_t flags);
Answer<uint64_t> import_pool(uint64_t descriptor, int type, uint64_t flags);
// The bytes of cudaMemPoolPtrExportData.
Status export_pool_pointer(void* data, uint64_t address);
Answer<uint64_t> import_pool_pointer(const Answer<ContextRef>& context, PoolHandle pool, const void* data);

inline Status export_pool_pointer(void* data, const void* address) {
  return export_pool_pointer(data, number_of(address));
}
inline Status pool_import(PoolHandle* pool, const void* descriptor, int type, uint64_t flags) {
  return tell_number(pool, import_pool(number_of(descriptor), type, flags));
}
template <class Address>
Status pool_import_pointer(const Answer<ContextRef>& context, PoolHandle pool, const void* data,
                           Address* address) {
  return tell_number(address, import_pool_pointer(context, pool, data));
}

}  // namespace heddle::cuda
