// What processes of one host give each other as 64 bytes: memory of cudaMalloc, and events.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "api/cuda_state/context.h"
#include "api/cuda_state/event.h"
#include "api/cuda_state/handles.h"

namespace heddle::cuda {

// The bytes of both APIs' structures (cudaIpcMemHandle_t, CUipcEventHandle, cudaMemPoolPtrExportData, ...):
// where the other process finds the file, as /proc/<process>/fd/<descriptor>, and how it knows that it is the
// right one.
struct IpcHandle {
  static constexpr uint64_t magic_number = 0x3130435049444448;  // "HDDIPC01"
  uint64_t magic = 0;
  int32_t process = 0, descriptor = -1;
  uint64_t identity = 0;
  uint64_t offset = 0, bytes = 0;  // of the allocation in the file
  uint64_t pool = 0;               // which it is of, for memory of pools
  std::array<uint64_t, 2> unused{};
};
static_assert(sizeof(IpcHandle) == 64);

Status ipc_memory_handle(const Answer<ContextRef>& context, uint64_t address, void* handle);
// The same memory opened again is at the same place, and is closed as often.
Answer<uint64_t> open_ipc_memory(const Answer<ContextRef>& context, const void* handle, unsigned flags);
Status ipc_close_memory(const Answer<ContextRef>& context, uint64_t address);

// Memory of a pool, whose number is part of the handle.
Status pool_memory_handle(const runtime::AllocationRef& memory, uint64_t pool, void* handle);
Answer<uint64_t> open_pool_memory(const Answer<ContextRef>& context, const void* handle, uint64_t pool);
// What is to be freed, when this was the last free of what open_pool_memory gave; nothing when it was not.
// False: the address is nothing of the kind.
bool close_pool_memory(uint64_t address, runtime::AllocationRef& last);

Status ipc_event_handle(const Answer<EventRef>& event, void* handle);
Answer<uint64_t> open_ipc_event(const Answer<ContextRef>& context, const void* handle);

// As the APIs type addresses and handles.
template <class To>
Status tell_number(To* to, const Answer<uint64_t>& number) {
  if (!number) return number.error();
  if constexpr (std::is_pointer_v<To>)
    *to = as_handle<To>(*number);
  else
    *to = *number;
  return Unit{};
}
inline Status ipc_memory_handle(const Answer<ContextRef>& context, const void* address, void* handle) {
  return ipc_memory_handle(context, number_of(address), handle);
}
template <class Address>
Status ipc_open_memory(const Answer<ContextRef>& context, const void* handle, unsigned flags,
                       Address* address) {
  return tell_number(address, open_ipc_memory(context, handle, flags));
}
inline Status ipc_close_memory(const Answer<ContextRef>& context, const void* address) {
  return ipc_close_memory(context, number_of(address));
}
template <class EventHandle>
Status ipc_open_event(const Answer<ContextRef>& context, const void* handle, EventHandle* event) {
  return tell_number(event, open_ipc_event(context, handle));
}

}  // namespace heddle::cuda
