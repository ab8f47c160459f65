#include "api/cuda_state/pool_calls.h"

#include <cstring>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/physical_memory.h"

namespace heddle::cuda {
namespace {

// As both APIs number them.
constexpr int place_device = 1, type_pinned = 1, type_managed = 2;
constexpr int access_none = 0, access_read = 1, access_read_write = 3;
constexpr int handle_descriptor = 1, handle_others = 2 | 4 | 8;  // Win32, Win32KMT, fabric

Answer<Device*> device_at(int place_type, int place) {
  if (place_type != place_device)
    return failure(Code::not_supported,
                   "a place of the type " + std::to_string(place_type) + ": pools are of devices");
  return Process::get().device(place);
}

Status only_descriptors(int type, uint64_t flags) {
  if (flags != 0) return invalid_value("the flags must be 0, are " + std::to_string(flags));
  if (type == handle_descriptor) return Unit{};
  return invalid_value("a handle of the type " + std::to_string(type) + "; file descriptors are possible");
}

}  // namespace

Answer<uint64_t> allocate_in_order(Stream& stream, const PoolRef& pool, uint64_t bytes) {
  const auto capture = stream.capture();
  if (capture == nullptr) return pool->allocate(stream, bytes);
  auto memory = GraphMemory::create(stream.context(), bytes);
  if (!memory) return memory.error();
  const uint64_t address = (*memory)->address();
  Status added = capture->add(stream, AllocateWork{*memory, bytes, stream.context().device().ordinal()});
  if (!added) return added.error();
  return address;
}

Answer<PoolRef> find_pool(PoolHandle handle) {
  PoolRef pool = Process::get().handles().pools.find(handle);
  if (pool == nullptr) return invalid_value("no such memory pool");
  return pool;
}

Status make_pool(Device& device, uint64_t max_bytes, int handle_types, PoolHandle* pool) {
  if ((handle_types & ~(handle_descriptor | handle_others)) != 0)
    return invalid_value("no handle has the type " + std::to_string(handle_types));
  if ((handle_types & handle_others) != 0)
    return failure(Code::not_supported, "a handle of the type " + std::to_string(handle_types) +
                                            "; file descriptors are possible");
  if (handle_types == 0) {
    *pool = as_handle<PoolHandle>(MemoryPool::create(device, max_bytes)->handle());
    return Unit{};
  }
  auto made = MemoryPool::create_for_others(device, max_bytes);
  if (!made) return made.error();
  *pool = as_handle<PoolHandle>((*made)->handle());
  return Unit{};
}

// Access is by peers: memory of a pool is seen by the devices that enabled access to its device.
Status set_pool_access(PoolHandle handle, std::span<const PoolRight> rights) {
  auto pool = find_pool(handle);
  if (!pool) return pool.error();
  for (const PoolRight& right : rights) {
    if (right.place_type != place_device)
      return invalid_value("a place of the type " + std::to_string(right.place_type) +
                           ": rights are of devices");
    auto device = Process::get().device(right.place);
    if (!device) return device.error();
    if (right.access != access_none && right.access != access_read && right.access != access_read_write)
      return invalid_value("no right has the number " + std::to_string(right.access));
    if (*device == &(*pool)->device() || right.access == access_none) continue;
    auto context = (*device)->primary(), owner = (*pool)->device().primary();
    if (!context) return context.error();
    if (!owner) return owner.error();
    if (Status enabled = (*context)->enable_peer(**owner);
        !enabled && enabled.error().code != Code::peer_access_already_enabled)
      return enabled;
  }
  return Unit{};
}

Answer<int> pool_access(PoolHandle handle, int place_type, int place) {
  auto pool = find_pool(handle);
  if (!pool) return pool.error();
  if (place_type != place_device)
    return invalid_value("a place of the type " + std::to_string(place_type) + ": rights are of devices");
  auto device = Process::get().device(place);
  if (!device) return device.error();
  if (*device == &(*pool)->device()) return access_read_write;
  const ContextRef context = (*device)->primary_if_active(), owner = (*pool)->device().primary_if_active();
  if (context == nullptr || owner == nullptr) return access_none;
  const auto seen = Process::get().system().ranges().who_sees(owner->runtime().get(), false);
  return seen.contains(context->runtime().get()) ? access_read_write : access_none;
}

// Managed pools are CUDA 13's and are not here; what is no type at all is an invalid value
// (tests/hw/h200/answers).
static Status check_type(int allocation_type) {
  if (allocation_type == type_pinned) return Unit{};
  if (allocation_type == type_managed)
    return failure(Code::not_supported, "pools have memory of the type 'pinned'");
  return invalid_value("pools have memory of the type 'pinned', not " + std::to_string(allocation_type));
}

Answer<PoolRef> pool_of(int place_type, int place, int allocation_type, bool by_default) {
  if (Status type = check_type(allocation_type); !type) return type.error();
  auto device = device_at(place_type, place);
  if (!device) return device.error();
  return by_default ? (*device)->default_pool() : (*device)->pool();
}

Status set_pool_of(int place_type, int place, int allocation_type, PoolHandle handle) {
  auto pool = find_pool(handle);
  if (!pool) return pool.error();
  if (Status type = check_type(allocation_type); !type) return type;
  auto device = device_at(place_type, place);
  if (!device) return device.error();
  return (*device)->set_pool(std::move(*pool));
}

Status export_pool(void* descriptor, PoolHandle handle, int type, uint64_t flags) {
  if (descriptor == nullptr) return invalid_value("the place for the handle is NULL");
  if (Status good = only_descriptors(type, flags); !good) return good;
  auto pool = find_pool(handle);
  if (!pool) return pool.error();
  if ((*pool)->token() == nullptr) return invalid_value("the pool was not made for file descriptors");
  if ((*pool)->is_imported()) return invalid_value("the pool is of another process, which can export it");
  auto made = (*pool)->token()->duplicate();
  if (!made) return failure_of(made.error());
  const int number = *made;
  std::memcpy(descriptor, &number, sizeof number);
  return Unit{};
}

Answer<uint64_t> import_pool(uint64_t descriptor, int type, uint64_t flags) {
  if (Status good = only_descriptors(type, flags); !good) return good.error();
  auto opened = runtime::PhysicalMemory::open(static_cast<int>(descriptor));
  if (!opened) return failure_of(opened.error());
  if (!is(**opened, SharedKind::pool))
    return invalid_value("the descriptor is of something else than a pool");
  auto device = device_of(Process::get(), (*opened)->label());
  if (!device) return device.error();
  return MemoryPool::import(**device, std::move(*opened))->handle();
}

Status export_pool_pointer(void* data, uint64_t address) {
  const PoolRef pool = MemoryPool::of(address);
  const auto memory = Process::get().system().memory().find_at(address);
  if (pool == nullptr || memory == nullptr)
    return invalid_value("no memory of a pool: " + Process::get().system().memory().describe(address));
  if (pool->token() == nullptr) return invalid_value("the pool was not made for handles");
  return pool_memory_handle(memory, pool->token()->identity(), data);
}

Answer<uint64_t> import_pool_pointer(const Answer<ContextRef>& context, PoolHandle handle, const void* data) {
  auto pool = find_pool(handle);
  if (!pool) return pool.error();
  if (!(*pool)->is_imported()) return invalid_value("the pool was not imported");
  // The memory is the device's that the pool is of, whether or not a context of it is current.
  Device& device = (*pool)->device();
  const bool is_there = context && &(*context)->device() == &device;
  return open_pool_memory(is_there ? context : device.primary(), data, (*pool)->token()->identity());
}

}  // namespace heddle::cuda
