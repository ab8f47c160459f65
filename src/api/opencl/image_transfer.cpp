// Reads, writes, copies, fills and maps of images.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "api/opencl/image.h"
#include "api/opencl/texel.h"
#include "api/opencl/transfer.h"

namespace heddle::opencl {

namespace {

using Three = std::array<size_t, 3>;

struct Region {
  Three origin, size;
};

Answer<Region> region_of(const Queue& queue, const Memory& memory, const size_t* origin,
                         const size_t* region) {
  if (!memory.is_image()) return failure(CL_INVALID_MEM_OBJECT, "the memory object is no image");
  if (Status good = check_same_context(*queue.context(), memory); !good) return good.error();
  if (origin == nullptr || region == nullptr) return invalid_value("an origin or the region is NULL");
  const Three extent = memory.image().extent();
  Region result;
  for (size_t i = 0; i < 3; ++i) {
    if (region[i] == 0) return invalid_value("the region is empty");
    if (origin[i] > extent[i] || region[i] > extent[i] - origin[i])
      return invalid_value("the region, " + std::to_string(region[i]) + " texels from " +
                           std::to_string(origin[i]) + ", runs past the image, " + std::to_string(extent[i]));
    result.origin[i] = origin[i];
    result.size[i] = region[i];
  }
  return result;
}

runtime::CopyPlace place(const Image& image, const Three& origin) {
  runtime::CopyPlace result;
  result.address = reinterpret_cast<uint64_t>(image.at(origin));
  result.row_pitch = image.y_pitch();
  result.slice_pitch = image.slice_pitch;
  return result;
}

runtime::CopyExtent extent(const Image& image, const Region& region) {
  return {region.size[0] * image.element_bytes, region.size[1], region.size[2]};
}

Status transfer(const QueueRef& queue, const MemoryRef& memory, bool reads, cl_bool blocking,
                const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                const void* ptr, const WaitList& waits, cl_event* event) {
  const auto where = region_of(*queue, *memory, origin, region);
  if (!where) return where.error();
  if (Status good = check_host_access(*memory, reads ? HostAccess::read : HostAccess::write); !good)
    return good;
  if (ptr == nullptr) return invalid_value("ptr is NULL");
  const Image& image = memory->image();
  const size_t row = where->size[0] * image.element_bytes;
  const bool lines = image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const bool slices = image.is_array() || image.type == CL_MEM_OBJECT_IMAGE3D;
  if (slice_pitch != 0 && !slices) return invalid_value("an image without slices has no slice pitch");
  if (row_pitch == 0) row_pitch = row;
  const size_t slice = row_pitch * (lines ? 1 : where->size[1]);
  if (slice_pitch == 0) slice_pitch = slice;
  if (row_pitch < row || slice_pitch < slice)
    return invalid_value("the pitches are less than a row of " + std::to_string(row) +
                         " bytes and a slice of " + std::to_string(slice));
  runtime::CopyPlace host;
  host.address = reinterpret_cast<uint64_t>(ptr);
  host.row_pitch = lines ? slice_pitch : row_pitch;
  host.slice_pitch = lines ? slice_pitch * where->size[1] : slice_pitch;
  const runtime::CopyPlace texels = place(image, where->origin);
  runtime::CopyRequest request;
  request.to = reads ? host : texels;
  request.from = reads ? texels : host;
  request.extent = extent(image, *where);
  return enqueue_copy(*queue, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, request, waits, event,
                      blocking != CL_FALSE);
}

// Between an image and a buffer, whose texels lie close together.
Status with_buffer(const QueueRef& queue, const MemoryRef& memory, const MemoryRef& buffer, bool to_buffer,
                   const size_t* origin, const size_t* region, size_t offset, const WaitList& waits,
                   cl_event* event) {
  if (Status good = check_buffer(*queue, *buffer); !good) return good;
  const auto where = region_of(*queue, *memory, origin, region);
  if (!where) return where.error();
  const Image& image = memory->image();
  const runtime::CopyExtent size = extent(image, *where);
  if (Status good = check_range(*buffer, offset, size.bytes * size.rows * size.slices); !good) return good;
  runtime::CopyPlace linear;
  linear.address = buffer->address() + offset;
  linear.row_pitch = size.bytes;
  linear.slice_pitch = size.bytes * size.rows;
  const runtime::CopyPlace texels = place(image, where->origin);
  runtime::CopyRequest request;
  request.to = to_buffer ? linear : texels;
  request.from = to_buffer ? texels : linear;
  request.extent = size;
  return enqueue_copy(*queue, to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                      request, waits, event, false);
}

bool apart(const Region& a, const Region& b) {
  for (size_t i = 0; i < 3; ++i)
    if (a.origin[i] + a.size[i] <= b.origin[i] || b.origin[i] + b.size[i] <= a.origin[i]) return true;
  return false;
}

}  // namespace

Status clEnqueueReadImage(const QueueRef& command_queue, const MemoryRef& image, cl_bool blocking_read,
                          const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                          void* ptr, const WaitList& waits, cl_event* event) {
  return transfer(command_queue, image, true, blocking_read, origin, region, row_pitch, slice_pitch, ptr,
                  waits, event);
}
Status clEnqueueWriteImage(const QueueRef& command_queue, const MemoryRef& image, cl_bool blocking_write,
                           const size_t* origin, const size_t* region, size_t input_row_pitch,
                           size_t input_slice_pitch, const void* ptr, const WaitList& waits,
                           cl_event* event) {
  return transfer(command_queue, image, false, blocking_write, origin, region, input_row_pitch,
                  input_slice_pitch, ptr, waits, event);
}

Status clEnqueueCopyImage(const QueueRef& command_queue, const MemoryRef& src_image,
                          const MemoryRef& dst_image, const size_t* src_origin, const size_t* dst_origin,
                          const size_t* region, const WaitList& waits, cl_event* event) {
  const auto from = region_of(*command_queue, *src_image, src_origin, region);
  if (!from) return from.error();
  const auto to = region_of(*command_queue, *dst_image, dst_origin, region);
  if (!to) return to.error();
  const cl_image_format &a = src_image->image().format, &b = dst_image->image().format;
  if (a.image_channel_order != b.image_channel_order ||
      a.image_channel_data_type != b.image_channel_data_type)
    return failure(CL_IMAGE_FORMAT_MISMATCH, "the images have different formats");
  if (src_image == dst_image && !apart(*from, *to))
    return failure(CL_MEM_COPY_OVERLAP, "what is copied and where it goes overlap");
  runtime::CopyRequest request;
  request.to = place(dst_image->image(), to->origin);
  request.from = place(src_image->image(), from->origin);
  request.extent = extent(src_image->image(), *from);
  return enqueue_copy(*command_queue, CL_COMMAND_COPY_IMAGE, request, waits, event, false);
}

Status clEnqueueCopyImageToBuffer(const QueueRef& command_queue, const MemoryRef& src_image,
                                  const MemoryRef& dst_buffer, const size_t* src_origin, const size_t* region,
                                  size_t dst_offset, const WaitList& waits, cl_event* event) {
  return with_buffer(command_queue, src_image, dst_buffer, true, src_origin, region, dst_offset, waits,
                     event);
}
Status clEnqueueCopyBufferToImage(const QueueRef& command_queue, const MemoryRef& src_buffer,
                                  const MemoryRef& dst_image, size_t src_offset, const size_t* dst_origin,
                                  const size_t* region, const WaitList& waits, cl_event* event) {
  return with_buffer(command_queue, dst_image, src_buffer, false, dst_origin, region, src_offset, waits,
                     event);
}

Answer<void*> clEnqueueMapImage(const QueueRef& command_queue, const MemoryRef& image, cl_bool blocking_map,
                                cl_map_flags map_flags, const size_t* origin, const size_t* region,
                                size_t* image_row_pitch, size_t* image_slice_pitch, const WaitList& waits,
                                cl_event* event) {
  const auto where = region_of(*command_queue, *image, origin, region);
  if (!where) return where.error();
  if (Status good = check_map_flags(map_flags); !good) return good.error();
  const Image& texels = image->image();
  const bool slices = texels.is_array() || texels.type == CL_MEM_OBJECT_IMAGE3D;
  if (image_row_pitch == nullptr) return invalid_value("image_row_pitch is NULL");
  if (slices && image_slice_pitch == nullptr) return invalid_value("image_slice_pitch is NULL");
  if ((map_flags & CL_MAP_READ) != 0)
    if (Status good = check_host_access(*image, HostAccess::read); !good) return good.error();
  if ((map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0)
    if (Status good = check_host_access(*image, HostAccess::write); !good) return good.error();
  const bool shadows = image->shadows_host();
  const bool lines = texels.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  Mapping mapping{texels.at(where->origin), map_flags, where->origin, where->size};
  size_t row_pitch = texels.row_pitch, slice_pitch = texels.slice_pitch;
  if (shadows) {
    row_pitch = texels.host_row_pitch;
    slice_pitch = texels.host_slice_pitch;
    mapping.pointer = texels.host_data + where->origin[2] * slice_pitch +
                      where->origin[1] * (lines ? slice_pitch : row_pitch) +
                      where->origin[0] * texels.element_bytes;
  }
  const bool blocking = blocking_map != CL_FALSE;
  const bool fetches = shadows && (map_flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  const Status done =
      fetches ? enqueue_call(
                    *command_queue, CL_COMMAND_MAP_IMAGE,
                    [image, mapping] { image->image().copy_out(mapping); }, waits, event, blocking)
              : command_queue->enqueue(CL_COMMAND_MAP_IMAGE, nullptr, waits, event, blocking);
  if (!done) return done.error();
  image->add_mapping(mapping);
  *image_row_pitch = row_pitch;
  if (image_slice_pitch != nullptr) *image_slice_pitch = slices ? slice_pitch : 0;
  return mapping.pointer;
}

Status clEnqueueFillImage(const QueueRef& command_queue, const MemoryRef& image, const void* fill_color,
                          const size_t* origin, const size_t* region, const WaitList& waits,
                          cl_event* event) {
  const auto where = region_of(*command_queue, *image, origin, region);
  if (!where) return where.error();
  if (fill_color == nullptr) return invalid_value("fill_color is NULL");
  if (const auto good = command_queue->state().begin(runtime::Site::copy); !good)
    return command_queue->context()->failed(good.error());
  const Image& texels = image->image();
  const TexelBytes texel = texel_of(texels.format, fill_color);
  auto operation = runtime::make_fill(command_queue->state(), place(texels, where->origin),
                                      extent(texels, *where), {texel.bytes.data(), texels.element_bytes});
  if (!operation) return command_queue->context()->failed(operation.error());
  return command_queue->enqueue(CL_COMMAND_FILL_IMAGE, std::move(*operation), waits, event);
}

}  // namespace heddle::opencl
