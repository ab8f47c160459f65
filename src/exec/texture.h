// Textures, samplers and surfaces as executors see them: plain values behind the 64-bit handles that programs
// pass around.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::exec {

enum class AddressMode : uint8_t { wrap, mirror, clamp_to_edge, clamp_to_border };
enum class FilterMode : uint8_t { nearest, linear };
enum class Relation : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
enum class ChannelKind : uint8_t { unsigned_, signed_, floating };
// How an element is handed out: as it is, or as a float in [0,1] / [-1,1].
enum class ReadMode : uint8_t { element, normalized_float };
enum class TextureShape : uint8_t {
  linear_buffer,
  d1,
  d2,
  d3,
  d1_layered,
  d2_layered,
  cubemap,
  cubemap_layered,
  d2_pitched
};

struct Texel {  // format of one element
  ChannelKind kind = ChannelKind::floating;
  uint8_t bits[4] = {32, 0, 0, 0};  // of x y z w; 0: channel absent
  uint8_t bytes() const { return static_cast<uint8_t>((bits[0] + bits[1] + bits[2] + bits[3]) / 8); }
  uint8_t channels() const {
    return static_cast<uint8_t>((bits[0] != 0) + (bits[1] != 0) + (bits[2] != 0) + (bits[3] != 0));
  }
};

struct MipLevel {
  std::byte* data = nullptr;
  // In elements; 1 or 0 for an axis that the shape does not have. Depth counts layers of layered shapes,
  // faces of cube maps (+x -x +y -y +z -z, layer by layer), and of multi-sample images each layer's samples.
  uint64_t width = 0, height = 0, depth = 0;
  uint64_t row_pitch = 0, slice_pitch = 0;  // bytes
};

inline constexpr int max_mip_levels = 17;

// What an element's bytes mean to OpenCL: cl_channel_order and cl_channel_type, which PTX's queries return
// (PTX ISA 9.7.10.6). Zeros: the element is what Texel says, as CUDA has it.
struct PixelFormat {
  uint16_t order = 0, type = 0;
  bool given() const { return type != 0; }
  bool operator==(const PixelFormat&) const = default;
};

struct TexelArray {  // an array or a piece of linear memory
  TextureShape shape = TextureShape::d2;
  Texel texel;  // with a pixel format its size alone counts
  PixelFormat pixel;
  uint32_t levels = 1;
  uint32_t samples = 1;
  MipLevel mip[max_mip_levels];
};

struct Sampler {
  AddressMode address[3] = {AddressMode::clamp_to_edge, AddressMode::clamp_to_edge,
                            AddressMode::clamp_to_edge};
  FilterMode filter = FilterMode::nearest, mip_filter = FilterMode::nearest;
  bool normalized_coordinates = false;
  bool seamless_cubemap = false;
  // A comparison value that an instruction brings is compared with each texel: value <relation> texel.
  Relation compare = Relation::less_equal;
  float lod_bias = 0, min_lod = 0, max_lod = max_mip_levels;
  uint32_t max_anisotropy = 0;
  float border[4] = {0, 0, 0, 0};
};

// How texels are read belongs to the texture: a sampler that an instruction names in the independent mode
// says nothing about it.
struct TextureObject {
  TexelArray image;
  ReadMode read = ReadMode::element;  // normalized_float: 8- and 16-bit integers
  bool srgb = false;                  // x y z of normalised 8-bit texels are sRGB
  Sampler sampler;                    // of the unified mode
};
struct SurfaceObject {
  TexelArray image;
};

}  // namespace heddle::exec
