// Memory for textures and surfaces: texels in one to three dimensions, with layers, faces and mip levels.
// Kernels reach it through texture and surface objects only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "exec/texture.h"
#include "runtime/context.h"

namespace heddle::runtime {

enum class ArrayShape : uint8_t { d1, d2, d3, d1_layered, d2_layered, cubemap, cubemap_layered };

struct ArrayRequest {
  ArrayShape shape = ArrayShape::d2;
  exec::Texel texel = {};
  // In elements. `depth` counts the layers of layered shapes; of a cubemap it is 1, of a layered one the
  // number of cubemaps. What the shape does not have is 1.
  uint64_t width = 1, height = 1, depth = 1;
  uint32_t levels = 1;
  bool surface = false;  // kernels may write it
  bool gather = false;   // textures of it may be gathered from
  uint32_t flags = 0;    // of the API that asked
};

class Array {
 public:
  static Outcome<std::shared_ptr<Array>> create(Context& context, const ArrayRequest& request);
  // Waits for the work that could use it. References that are left keep the memory, nothing else.
  Done destroy();

  Context& context() const { return *context_; }
  const ArrayRequest& request() const { return request_; }
  const exec::TexelArray& image() const { return image_; }
  const AllocationRef& memory() const { return memory_; }
  uint32_t texel_bytes() const { return image_.texel.bytes(); }
  const exec::MipLevel& level(uint32_t index) const { return image_.mip[index]; }

 private:
  Array(Context& context, const ArrayRequest& request)
      : context_(context.shared_from_this()), request_(request) {}
  const std::shared_ptr<Context> context_;
  const ArrayRequest request_;
  exec::TexelArray image_;
  AllocationRef memory_;
};

uint32_t full_mip_levels(const ArrayRequest& request);  // down to one texel

}  // namespace heddle::runtime
