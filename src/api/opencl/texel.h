// One texel of a format from a colour, as clEnqueueFillImage is given it (OpenCL 3.0, 5.3.4 and the rules of
// conversion in OpenCL C 8.3).
#pragma once

#include <array>
#include <cstddef>

#include "api/opencl/headers.h"

namespace heddle::opencl {

struct TexelBytes {
  std::array<std::byte, 16> bytes{};
};

// `color`: four floats, or for integer formats four cl_int or cl_uint. The format is a known one.
TexelBytes texel_of(const cl_image_format& format, const void* color);

}  // namespace heddle::opencl
