// What reads, writes, copies, fills and maps of buffers and images have in common.
#pragma once

#include "api/opencl/memory.h"
#include "api/opencl/queue.h"

namespace heddle::opencl {

// What the host may do with a memory object (CL_MEM_HOST_*).
enum class HostAccess : uint8_t { read, write };
Status check_host_access(const Memory& memory, HostAccess access);

// A buffer of the queue's context, which begins where the queue's device can reach it.
Status check_buffer(const Queue& queue, const Memory& buffer);
Status check_range(const Memory& buffer, size_t offset, size_t size);

// A box of bytes: rows and slices of linear memory. Pitches of 0 mean that nothing lies between.
struct Box {
  uint64_t address = 0;  // of the first byte
  size_t offset = 0;     // of it, from the memory's beginning
  size_t bytes = 0;      // from the first to behind the last
  size_t row_pitch = 0, slice_pitch = 0;
};
Answer<Box> box_of(uint64_t base, const size_t* origin, const size_t* region, size_t row_pitch,
                   size_t slice_pitch);

// Enqueues the copy of a box, `region[0]` bytes a row.
Status enqueue_copy(Queue& queue, cl_command_type type, const runtime::CopyRequest& request,
                    const WaitList& waits, cl_event* event, bool blocking);
// A call on the host when the queue gets there.
Status enqueue_call(Queue& queue, cl_command_type type, std::function<void()> function, const WaitList& waits,
                    cl_event* event, bool blocking);

Status check_map_flags(cl_map_flags flags);

}  // namespace heddle::opencl
