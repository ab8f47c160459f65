#include "api/cuda_state/ipc.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "api/cuda_state/physical_memory.h"
#include "api/cuda_state/shared_event.h"

namespace heddle::cuda {
namespace {

constexpr unsigned lazy_peer_access =
    1;  // cudaIpcMemLazyEnablePeerAccess: the only flag, and it must be there

// What this process has opened of others.
struct Opened {
  uint64_t identity = 0, offset = 0, context = 0, pool = 0;
  runtime::AllocationRef memory;
  unsigned times = 0;
};
struct AllOpened {
  std::mutex mutex;
  std::map<uint64_t, Opened> by_address;  // as programs were told it
};
AllOpened& all_opened() {
  static auto* const all = new AllOpened;  // for the process's whole life
  return *all;
}

IpcHandle handle_to(const runtime::PhysicalMemory& memory) {
  IpcHandle handle;
  handle.magic = IpcHandle::magic_number;
  handle.process = getpid();
  handle.descriptor = memory.descriptor();
  handle.identity = memory.identity();
  return handle;
}

Answer<IpcHandle> read_handle(const void* bytes) {
  IpcHandle handle;
  std::memcpy(&handle, bytes, sizeof handle);
  if (handle.magic != IpcHandle::magic_number) return invalid_value("the bytes are no handle of a process");
  return handle;
}

Answer<std::shared_ptr<runtime::PhysicalMemory>> open(const IpcHandle& handle) {
  // "Calling it in the process that created the handle" is an error (cudaIpcOpenMemHandle); memory of a pool
  // may come back to where it is from.
  if (handle.process == getpid() && handle.pool == 0)
    return failure(Code::invalid_context, "the handle was made by this process itself");
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return invalid_value("what the handle of process " + std::to_string(handle.process) +
                         " stands for cannot be opened: " + std::string(std::strerror(errno)));
  auto opened = runtime::PhysicalMemory::open(descriptor);
  close(descriptor);
  if (!opened || (*opened)->identity() != handle.identity)
    return invalid_value("what the handle of process " + std::to_string(handle.process) +
                         " stood for is not there any more");
  return std::shared_ptr<runtime::PhysicalMemory>(std::move(*opened));
}

Status write_handle(const runtime::AllocationRef& memory, uint64_t pool, void* handle) {
  auto shared = memory->owner->share(memory, new_label(SharedKind::pages));
  if (!shared) return failure_of(shared.error());
  IpcHandle made = handle_to(*shared->file);
  made.offset = shared->offset;
  made.bytes = memory->bytes;
  made.pool = pool;
  std::memcpy(handle, &made, sizeof made);
  return Unit{};
}

Answer<uint64_t> open_pages(Context& context, const void* bytes, uint64_t pool) {
  const auto handle = read_handle(bytes);
  if (!handle) return handle.error();
  if (handle->pool != pool)
    return invalid_value(pool == 0 ? "the handle is of a pool's memory"
                                   : "the memory is of another pool than this was imported from");
  AllOpened& opened = all_opened();
  const std::lock_guard lock(opened.mutex);
  for (auto& [place, one] : opened.by_address) {
    if (one.identity != handle->identity || one.offset != handle->offset || one.context != context.id() ||
        one.pool != pool)
      continue;
    ++one.times;
    return place;
  }
  auto file = open(*handle);
  if (!file) return file.error();
  if (!is(**file, SharedKind::pages) || handle->offset > (*file)->bytes() ||
      handle->bytes > (*file)->bytes() - handle->offset)
    return invalid_value("the handle is not of an allocation");
  runtime::MemoryRequest request;
  request.kind = runtime::MemoryKind::imported;
  request.bytes = (*file)->bytes();
  request.backing = *file;
  auto memory = context.runtime()->allocate(request);
  if (!memory) return failure_of(memory.error());
  const uint64_t address = (*memory)->address + handle->offset;
  opened.by_address[address] = {handle->identity, handle->offset, context.id(), pool, *memory, 1};
  return address;
}

// One opening less.
bool close_pages(uint64_t address, bool of_pool, runtime::AllocationRef& last) {
  AllOpened& opened = all_opened();
  const std::lock_guard lock(opened.mutex);
  const auto found = opened.by_address.find(address);
  if (found == opened.by_address.end() || (found->second.pool != 0) != of_pool) return false;
  if (--found->second.times == 0) {
    last = std::move(found->second.memory);
    opened.by_address.erase(found);
  }
  return true;
}

}  // namespace

Status ipc_memory_handle(const Answer<ContextRef>& context, uint64_t address, void* handle) {
  if (!context) return context.error();
  runtime::Memory& all = (*context)->process().system().memory();
  const auto memory = all.find(address);
  if (memory == nullptr || memory->kind != runtime::MemoryKind::device)
    return invalid_value("no memory of cudaMalloc: " + all.describe(address));
  return write_handle(memory, 0, handle);
}

Status pool_memory_handle(const runtime::AllocationRef& memory, uint64_t pool, void* handle) {
  return write_handle(memory, pool, handle);
}

Answer<uint64_t> open_ipc_memory(const Answer<ContextRef>& context, const void* bytes, unsigned flags) {
  if (!context) return context.error();
  if (flags != lazy_peer_access)
    return invalid_value("the flags are " + std::to_string(flags) +
                         ", must be cudaIpcMemLazyEnablePeerAccess");
  return open_pages(**context, bytes, 0);
}

Answer<uint64_t> open_pool_memory(const Answer<ContextRef>& context, const void* bytes, uint64_t pool) {
  if (!context) return context.error();
  return open_pages(**context, bytes, pool);
}

Status ipc_close_memory(const Answer<ContextRef>& context, uint64_t address) {
  if (!context) return context.error();
  runtime::AllocationRef last;
  if (!close_pages(address, false, last))
    return invalid_value("no memory of another process: " +
                         (*context)->process().system().memory().describe(address));
  return last == nullptr ? Status(Unit{}) : status_of((*context)->runtime()->free(last));
}

bool close_pool_memory(uint64_t address, runtime::AllocationRef& last) {
  return close_pages(address, true, last);
}

Status ipc_event_handle(const Answer<EventRef>& event, void* handle) {
  if (!event) return event.error();
  const auto& shared = (*event)->shared();
  if (shared == nullptr) return invalid_value("the event was not made for several processes (interprocess)");
  const IpcHandle made = handle_to(shared->memory());
  std::memcpy(handle, &made, sizeof made);
  return Unit{};
}

Answer<uint64_t> open_ipc_event(const Answer<ContextRef>& context, const void* bytes) {
  if (!context) return context.error();
  const auto handle = read_handle(bytes);
  if (!handle) return handle.error();
  auto file = open(*handle);
  if (!file) return file.error();
  auto shared = SharedEvent::open(std::move(*file));
  if (!shared) return shared.error();
  auto made =
      Event::create(*context, Event::interprocess_flag | Event::no_timing_flag, false, std::move(*shared));
  if (!made) return made.error();
  return (*made)->handle();
}

}  // namespace heddle::cuda
