#include "api/opencl/texel.h"

#include <cstdint>
#include <cstring>

#include "exec/interp/texture/pixel.h"

namespace heddle::opencl {

TexelBytes texel_of(const cl_image_format& format, const void* color) {
  exec::interp::Words words;
  std::memcpy(words.data(), color, sizeof words);
  TexelBytes texel;
  exec::interp::store_pixel({static_cast<uint16_t>(format.image_channel_order),
                             static_cast<uint16_t>(format.image_channel_data_type)},
                            texel.bytes.data(), words);
  return texel;
}

}  // namespace heddle::opencl
