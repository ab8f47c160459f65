// Mapping of buffers, and the end of every mapping.
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "api/opencl/image.h"
#include "api/opencl/transfer.h"

namespace heddle::opencl {

namespace {

bool writes(cl_map_flags flags) { return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0; }

}  // namespace

Answer<void*> clEnqueueMapBuffer(const QueueRef& command_queue, const MemoryRef& buffer, cl_bool blocking_map,
                                 cl_map_flags map_flags, size_t offset, size_t size, const WaitList& waits,
                                 cl_event* event) {
  if (Status good = check_buffer(*command_queue, *buffer); !good) return good.error();
  if (Status good = check_map_flags(map_flags); !good) return good.error();
  if (size == 0) return invalid_value("a mapping of 0 bytes");
  if (Status good = check_range(*buffer, offset, size); !good) return good.error();
  if ((map_flags & CL_MAP_READ) != 0)
    if (Status good = check_host_access(*buffer, HostAccess::read); !good) return good.error();
  if (writes(map_flags))
    if (Status good = check_host_access(*buffer, HostAccess::write); !good) return good.error();
  std::byte* data = buffer->data() + offset;
  const Mapping mapping{
      buffer->shadows_host() ? static_cast<std::byte*>(buffer->host_pointer()) + offset : data,
      map_flags,
      {offset, 0, 0},
      {size, 1, 1}};
  const bool fetches = buffer->shadows_host() && (map_flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  const bool blocking = blocking_map != CL_FALSE;
  const Status done = fetches
                          ? enqueue_call(
                                *command_queue, CL_COMMAND_MAP_BUFFER,
                                [data, mapping] { std::memcpy(mapping.pointer, data, mapping.region[0]); },
                                waits, event, blocking)
                          : command_queue->enqueue(CL_COMMAND_MAP_BUFFER, nullptr, waits, event, blocking);
  if (!done) return done.error();
  buffer->add_mapping(mapping);
  return mapping.pointer;
}

Status clEnqueueUnmapMemObject(const QueueRef& command_queue, const MemoryRef& memobj, void* mapped_ptr,
                               const WaitList& waits, cl_event* event) {
  if (Status good = check_same_context(*command_queue->context(), *memobj); !good) return good;
  const auto mapping = memobj->take_mapping(mapped_ptr);
  if (!mapping) return invalid_value("mapped_ptr is no mapping of the memory object");
  if (!memobj->is_image() && writes(mapping->flags))
    memobj->written_by_host(mapping->origin[0], mapping->region[0]);
  if (!memobj->shadows_host() || !writes(mapping->flags))
    return command_queue->enqueue(CL_COMMAND_UNMAP_MEM_OBJECT, nullptr, waits, event);
  if (memobj->is_image())
    return enqueue_call(
        *command_queue, CL_COMMAND_UNMAP_MEM_OBJECT,
        [memobj, mapping = *mapping] { memobj->image().copy_back(mapping); }, waits, event, false);
  std::byte* data = memobj->data() + mapping->origin[0];
  return enqueue_call(
      *command_queue, CL_COMMAND_UNMAP_MEM_OBJECT,
      [data, mapping = *mapping] { std::memcpy(data, mapping.pointer, mapping.region[0]); }, waits, event,
      false);
}

}  // namespace heddle::opencl
