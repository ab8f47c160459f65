// Images: texels in one to three dimensions, in memory of their own or in a buffer's. Rows lie close together
// unless the buffer's pitch says otherwise; what kernels hold is a handle, which each device's state has its
// own of.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "api/opencl/memory.h"
#include "exec/texture.h"

namespace heddle::opencl {

struct ImageFormat {
  cl_image_format format;
  exec::Texel texel;
  bool written;  // kernels may write it
};
std::span<const ImageFormat> all_image_formats();
const ImageFormat* find_format(const cl_image_format& format);

struct Image {
  Image() = default;
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  ContextRef context;
  cl_image_format format{};
  cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D;
  // What the type does not have is 1; `layers` of arrays only.
  size_t width = 1, height = 1, depth = 1, layers = 1;
  size_t element_bytes = 0;
  size_t row_pitch = 0, slice_pitch = 0;  // of the memory; slices are layers of arrays
  std::byte* data = nullptr;
  MemoryRef buffer;  // whose memory it is; nullptr: its own
  // CL_MEM_USE_HOST_PTR: where mappings point to.
  std::byte* host_data = nullptr;
  size_t host_row_pitch = 0, host_slice_pitch = 0;
  std::vector<uint64_t> handles;  // as Context::states()

  bool is_array() const { return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY; }
  // As functions count origins and regions: of a 1D array the layer is y, of a 2D array z.
  std::array<size_t, 3> extent() const;
  std::byte* at(const std::array<size_t, 3>& origin) const;
  // The distance from one y to the next, and from one z.
  size_t y_pitch() const { return type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice_pitch : row_pitch; }
  bool fits(std::string_view type_name) const;  // "image2d_array_t"
  uint64_t handle(const Device& device) const;
  void copy_out(const Mapping& mapping) const;   // to the host's memory, for a mapping
  void copy_back(const Mapping& mapping) const;  // and back

  // ---- as clGetImageInfo has them: 0 for what the type does not have
  size_t shown_width() const { return width; }
  size_t shown_height() const;
  size_t shown_depth() const { return type == CL_MEM_OBJECT_IMAGE3D ? depth : 0; }
  size_t shown_layers() const { return is_array() ? layers : 0; }
  size_t shown_slice_pitch() const;
};

}  // namespace heddle::opencl
