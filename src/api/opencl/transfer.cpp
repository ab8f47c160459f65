#include "api/opencl/transfer.h"

#include <algorithm>
#include <bit>

#include "api/opencl/functions.gen.h"

namespace heddle::opencl {

namespace {

class HostCall final : public runtime::Operation {
 public:
  explicit HostCall(std::function<void()> function) : function_(std::move(function)) {}
  runtime::Done run(runtime::Context&, runtime::Task&) const override {
    function_();
    return Unit{};
  }

 private:
  const std::function<void()> function_;
};

bool product_exceeds(size_t a, size_t b, size_t limit) { return b != 0 && a > limit / b; }

runtime::CopyPlace place(const Box& box) {
  runtime::CopyPlace result;
  result.address = box.address;
  result.row_pitch = box.row_pitch;
  result.slice_pitch = box.slice_pitch;
  return result;
}

std::string span_text(size_t offset, size_t size) {
  return std::to_string(size) + " bytes from " + std::to_string(offset);
}

// Between a buffer and the host, in either direction.
Status rect_transfer(const QueueRef& queue, const MemoryRef& buffer, bool reads, cl_bool blocking,
                     const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                     const std::array<size_t, 4>& pitches, const void* ptr, const WaitList& waits,
                     cl_event* event) {
  if (Status good = check_buffer(*queue, *buffer); !good) return good;
  if (Status good = check_host_access(*buffer, reads ? HostAccess::read : HostAccess::write); !good)
    return good;
  if (ptr == nullptr) return invalid_value("ptr is NULL");
  const auto device = box_of(buffer->address(), buffer_origin, region, pitches[0], pitches[1]);
  if (!device) return device.error();
  if (Status good = check_range(*buffer, device->offset, device->bytes); !good) return good;
  const auto host = box_of(reinterpret_cast<uint64_t>(ptr), host_origin, region, pitches[2], pitches[3]);
  if (!host) return host.error();
  runtime::CopyRequest request;
  request.to = place(reads ? *host : *device);
  request.from = place(reads ? *device : *host);
  request.extent = {region[0], region[1], region[2]};
  return enqueue_copy(*queue, reads ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT, request,
                      waits, event, blocking != CL_FALSE);
}

Status transfer(const QueueRef& queue, const MemoryRef& buffer, bool reads, cl_bool blocking, size_t offset,
                size_t size, const void* ptr, const WaitList& waits, cl_event* event) {
  if (Status good = check_buffer(*queue, *buffer); !good) return good;
  if (Status good = check_host_access(*buffer, reads ? HostAccess::read : HostAccess::write); !good)
    return good;
  if (ptr == nullptr) return invalid_value("ptr is NULL");
  if (Status good = check_range(*buffer, offset, size); !good) return good;
  const auto host = reinterpret_cast<uint64_t>(ptr);
  runtime::CopyRequest request;
  request.to.address = reads ? host : buffer->address() + offset;
  request.from.address = reads ? buffer->address() + offset : host;
  request.extent.bytes = size;
  return enqueue_copy(*queue, reads ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, request, waits, event,
                      blocking != CL_FALSE);
}

// Two boxes of one memory with the same pitches (OpenCL 3.0, appendix E).
bool overlap(const Box& a, const Box& b, const size_t* region) {
  if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) return false;
  if (a.row_pitch == 0 || a.slice_pitch == 0) return true;
  const auto corner = [&](const Box& box) {
    return std::array<size_t, 3>{box.offset % a.slice_pitch % a.row_pitch,
                                 box.offset % a.slice_pitch / a.row_pitch, box.offset / a.slice_pitch};
  };
  const auto p = corner(a), q = corner(b);
  // Rows that run into the next one, or rows into the next slice, are told by their span alone.
  if (p[0] + region[0] > a.row_pitch || q[0] + region[0] > a.row_pitch) return true;
  const size_t rows = a.slice_pitch / a.row_pitch;
  if (p[1] + region[1] > rows || q[1] + region[1] > rows) return true;
  for (size_t i = 0; i < 3; ++i)
    if (p[i] + region[i] <= q[i] || q[i] + region[i] <= p[i]) return false;
  return true;
}

}  // namespace

Status check_host_access(const Memory& memory, HostAccess access) {
  const cl_mem_flags forbidden =
      CL_MEM_HOST_NO_ACCESS | (access == HostAccess::read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
  if ((memory.flags() & forbidden) != 0)
    return failure(CL_INVALID_OPERATION, std::string("the host may not ") +
                                             (access == HostAccess::read ? "read" : "write") +
                                             " the memory object (its flags CL_MEM_HOST_*)");
  return Unit{};
}

Status check_buffer(const Queue& queue, const Memory& buffer) {
  if (!buffer.is_buffer()) return failure(CL_INVALID_MEM_OBJECT, "the memory object is no buffer");
  if (Status good = check_same_context(*queue.context(), buffer); !good) return good;
  if (buffer.parent() != nullptr && buffer.offset() % queue.device()->base_alignment() != 0)
    return failure(CL_MISALIGNED_SUB_BUFFER_OFFSET, "the part begins at " + std::to_string(buffer.offset()) +
                                                        ", no multiple of the device's alignment");
  return Unit{};
}

Status check_range(const Memory& buffer, size_t offset, size_t size) {
  if (offset > buffer.size() || size > buffer.size() - offset)
    return invalid_value(span_text(offset, size) + " of a buffer of " + std::to_string(buffer.size()));
  return Unit{};
}

Answer<Box> box_of(uint64_t base, const size_t* origin, const size_t* region, size_t row_pitch,
                   size_t slice_pitch) {
  constexpr size_t most = size_t{1} << 47;
  if (origin == nullptr || region == nullptr) return invalid_value("an origin or the region is NULL");
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return invalid_value("the region is empty");
  if (row_pitch == 0) row_pitch = region[0];
  if (row_pitch < region[0])
    return invalid_value("a row pitch of " + std::to_string(row_pitch) + " for rows of " +
                         std::to_string(region[0]) + " bytes");
  if (product_exceeds(row_pitch, region[1], most)) return invalid_value("the region is too large");
  if (slice_pitch == 0) slice_pitch = row_pitch * region[1];
  if (slice_pitch < row_pitch * region[1] || slice_pitch % row_pitch != 0)
    return invalid_value("a slice pitch of " + std::to_string(slice_pitch) + " for " +
                         std::to_string(region[1]) + " rows of " + std::to_string(row_pitch) + " bytes");
  if (product_exceeds(slice_pitch, region[2], most) || product_exceeds(slice_pitch, origin[2], most) ||
      product_exceeds(row_pitch, origin[1], most) || origin[0] > most)
    return invalid_value("the region is too large");
  Box box;
  box.offset = origin[2] * slice_pitch + origin[1] * row_pitch + origin[0];
  box.address = base + box.offset;
  box.bytes = (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0];
  box.row_pitch = row_pitch;
  box.slice_pitch = slice_pitch;
  return box;
}

Status enqueue_copy(Queue& queue, cl_command_type type, const runtime::CopyRequest& request,
                    const WaitList& waits, cl_event* event, bool blocking) {
  if (const auto good = queue.state().begin(runtime::Site::copy); !good)
    return queue.context()->failed(good.error());
  if (request.extent.bytes == 0) return queue.enqueue(type, nullptr, waits, event, blocking);
  auto operation = runtime::make_copy(queue.state(), request);
  if (!operation) return queue.context()->failed(operation.error());
  return queue.enqueue(type, std::move(*operation), waits, event, blocking);
}

Status enqueue_call(Queue& queue, cl_command_type type, std::function<void()> function, const WaitList& waits,
                    cl_event* event, bool blocking) {
  return queue.enqueue(type, std::make_shared<HostCall>(std::move(function)), waits, event, blocking);
}

Status check_map_flags(cl_map_flags flags) {
  constexpr cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if ((flags & ~all) != 0) return invalid_value("there are no such map flags");
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0)
    return invalid_value("CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE");
  return Unit{};
}

Status clEnqueueReadBuffer(const QueueRef& command_queue, const MemoryRef& buffer, cl_bool blocking_read,
                           size_t offset, size_t size, void* ptr, const WaitList& waits, cl_event* event) {
  return transfer(command_queue, buffer, true, blocking_read, offset, size, ptr, waits, event);
}
Status clEnqueueWriteBuffer(const QueueRef& command_queue, const MemoryRef& buffer, cl_bool blocking_write,
                            size_t offset, size_t size, const void* ptr, const WaitList& waits,
                            cl_event* event) {
  return transfer(command_queue, buffer, false, blocking_write, offset, size, ptr, waits, event);
}

Status clEnqueueReadBufferRect(const QueueRef& command_queue, const MemoryRef& buffer, cl_bool blocking_read,
                               const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                               size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void* ptr, const WaitList& waits, cl_event* event) {
  return rect_transfer(command_queue, buffer, true, blocking_read, buffer_origin, host_origin, region,
                       {buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch}, ptr, waits,
                       event);
}
Status clEnqueueWriteBufferRect(const QueueRef& command_queue, const MemoryRef& buffer,
                                cl_bool blocking_write, const size_t* buffer_origin,
                                const size_t* host_origin, const size_t* region, size_t buffer_row_pitch,
                                size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                const void* ptr, const WaitList& waits, cl_event* event) {
  return rect_transfer(command_queue, buffer, false, blocking_write, buffer_origin, host_origin, region,
                       {buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch}, ptr, waits,
                       event);
}

Status clEnqueueCopyBuffer(const QueueRef& command_queue, const MemoryRef& src_buffer,
                           const MemoryRef& dst_buffer, size_t src_offset, size_t dst_offset, size_t size,
                           const WaitList& waits, cl_event* event) {
  if (Status good = check_buffer(*command_queue, *src_buffer); !good) return good;
  if (Status good = check_buffer(*command_queue, *dst_buffer); !good) return good;
  if (size == 0) return invalid_value("a copy of 0 bytes");
  if (Status good = check_range(*src_buffer, src_offset, size); !good) return good;
  if (Status good = check_range(*dst_buffer, dst_offset, size); !good) return good;
  const uint64_t from = src_buffer->address() + src_offset, to = dst_buffer->address() + dst_offset;
  if (from < to + size && to < from + size)
    return failure(CL_MEM_COPY_OVERLAP, "what is copied and where it goes overlap");
  runtime::CopyRequest request;
  request.to.address = to;
  request.from.address = from;
  request.extent.bytes = size;
  return enqueue_copy(*command_queue, CL_COMMAND_COPY_BUFFER, request, waits, event, false);
}

Status clEnqueueCopyBufferRect(const QueueRef& command_queue, const MemoryRef& src_buffer,
                               const MemoryRef& dst_buffer, const size_t* src_origin,
                               const size_t* dst_origin, const size_t* region, size_t src_row_pitch,
                               size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch,
                               const WaitList& waits, cl_event* event) {
  if (Status good = check_buffer(*command_queue, *src_buffer); !good) return good;
  if (Status good = check_buffer(*command_queue, *dst_buffer); !good) return good;
  const auto from = box_of(src_buffer->address(), src_origin, region, src_row_pitch, src_slice_pitch);
  if (!from) return from.error();
  const auto to = box_of(dst_buffer->address(), dst_origin, region, dst_row_pitch, dst_slice_pitch);
  if (!to) return to.error();
  if (Status good = check_range(*src_buffer, from->offset, from->bytes); !good) return good;
  if (Status good = check_range(*dst_buffer, to->offset, to->bytes); !good) return good;
  if (src_buffer == dst_buffer) {
    if (from->row_pitch != to->row_pitch || from->slice_pitch != to->slice_pitch)
      return invalid_value("within one buffer both pitches are the same");
    if (overlap(*from, *to, region))
      return failure(CL_MEM_COPY_OVERLAP, "what is copied and where it goes overlap");
  }
  runtime::CopyRequest request;
  request.to = place(*to);
  request.from = place(*from);
  request.extent = {region[0], region[1], region[2]};
  return enqueue_copy(*command_queue, CL_COMMAND_COPY_BUFFER_RECT, request, waits, event, false);
}

Status clEnqueueFillBuffer(const QueueRef& command_queue, const MemoryRef& buffer, const void* pattern,
                           size_t pattern_size, size_t offset, size_t size, const WaitList& waits,
                           cl_event* event) {
  if (Status good = check_buffer(*command_queue, *buffer); !good) return good;
  if (pattern == nullptr) return invalid_value("pattern is NULL");
  if (!std::has_single_bit(pattern_size) || pattern_size > 128)
    return invalid_value("a pattern of " + std::to_string(pattern_size) + " bytes, not 1, 2, 4, ... 128");
  if (offset % pattern_size != 0 || size % pattern_size != 0)
    return invalid_value(span_text(offset, size) + " are no whole patterns of " +
                         std::to_string(pattern_size));
  if (Status good = check_range(*buffer, offset, size); !good) return good;
  if (const auto good = command_queue->state().begin(runtime::Site::copy); !good)
    return command_queue->context()->failed(good.error());
  if (size == 0) return command_queue->enqueue(CL_COMMAND_FILL_BUFFER, nullptr, waits, event);
  runtime::CopyPlace to;
  to.address = buffer->address() + offset;
  runtime::CopyExtent extent;
  extent.bytes = size;
  auto operation = runtime::make_fill(command_queue->state(), to, extent,
                                      {static_cast<const std::byte*>(pattern), pattern_size});
  if (!operation) return command_queue->context()->failed(operation.error());
  return command_queue->enqueue(CL_COMMAND_FILL_BUFFER, std::move(*operation), waits, event);
}

}  // namespace heddle::opencl
