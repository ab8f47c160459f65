// Texture, sampler and surface objects: handles that kernels use, made from arrays or linear memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/array.h"

namespace heddle::runtime {

// What a texture reads. One of: an array, whole or from a level on; linear memory, read by index; rows of
// linear memory.
struct TextureSource {
  std::shared_ptr<Array> array;
  uint32_t first_level = 0, levels = 0;  // 0: the rest
  uint64_t first_layer = 0, layers = 0;  // of layered arrays; 0: the rest
  std::optional<exec::Texel> view;       // read the elements as this format, of the same bytes
  exec::ReadMode read = exec::ReadMode::element;
  bool srgb = false;
  bool filters_integers = false;  // that are read as such: the driver API's do
  // Without an array:
  uint64_t address = 0;
  exec::Texel texel;
  uint64_t width = 0, height = 0;  // in elements; height 0: read by index
  uint64_t row_pitch = 0;          // bytes
};

Outcome<uint64_t> create_texture(Context& context, const TextureSource& source, const exec::Sampler& sampler);
Outcome<uint64_t> create_sampler(Context& context, const exec::Sampler& sampler);
Outcome<uint64_t> create_surface(Context& context, const TextureSource& source);
// Texels wherever they lie in `memory`, with OpenCL's meaning (exec::PixelFormat, which has to be given): tex
// and sust.p take the same handle. Wrapping coordinates work with every image; the sampler comes with the
// read.
// Without `memory` it is the caller's to keep the texels.
Outcome<uint64_t> create_image(Context& context, const exec::TexelArray& image, AllocationRef memory);
Done destroy_image(Context& context, uint64_t handle);
Done destroy_texture(Context& context, uint64_t handle);
Done destroy_sampler(Context& context, uint64_t handle);
Done destroy_surface(Context& context, uint64_t handle);

}  // namespace heddle::runtime
