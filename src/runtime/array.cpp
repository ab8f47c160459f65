#include "runtime/array.h"

#include <algorithm>
#include <bit>
#include <string>

namespace heddle::runtime {

namespace {

constexpr std::string_view axis_names[] = {"width", "height", "depth"};

struct ShapeFacts {
  std::string_view name;
  exec::TextureShape texture;
  bool has_height, has_depth;  // as sizes of their own
  bool layered, cube;
};

const ShapeFacts& facts_of(ArrayShape shape) {
  static constexpr std::array facts{
      ShapeFacts{"1D array", exec::TextureShape::d1, false, false, false, false},
      ShapeFacts{"2D array", exec::TextureShape::d2, true, false, false, false},
      ShapeFacts{"3D array", exec::TextureShape::d3, true, true, false, false},
      ShapeFacts{"layered 1D array", exec::TextureShape::d1_layered, false, false, true, false},
      ShapeFacts{"layered 2D array", exec::TextureShape::d2_layered, true, false, true, false},
      ShapeFacts{"cubemap", exec::TextureShape::cubemap, true, false, false, true},
      ShapeFacts{"layered cubemap", exec::TextureShape::cubemap_layered, true, false, true, true},
  };
  return facts[static_cast<std::size_t>(shape)];
}

using Extent = std::array<uint64_t, 3>;

// What the device allows in width, height and depth (or layers); 0: has no such thing.
Extent allowed_extent(const arch::Architecture& arch, const ArrayRequest& request, bool surface) {
  const auto& t = arch.textures;
  const auto& s = arch.surfaces;
  const bool mipmapped = request.levels > 1;
  switch (request.shape) {
    case ArrayShape::d1: return {surface ? s.d1 : mipmapped ? t.d1_mipmapped : t.d1, 1, 1};
    case ArrayShape::d2: {
      const auto& d2 = surface ? s.d2 : mipmapped ? t.d2_mipmapped : request.gather ? t.d2_gather : t.d2;
      return {d2[0], d2[1], 1};
    }
    case ArrayShape::d3: {
      const auto& d3 = surface ? s.d3 : request.depth > t.d3[2] ? t.d3_alternate : t.d3;
      return {d3[0], d3[1], d3[2]};
    }
    case ArrayShape::d1_layered: {
      const auto& layered = surface ? s.d1_layered : t.d1_layered;
      return {layered[0], 1, layered[1]};
    }
    case ArrayShape::d2_layered: {
      const auto& layered = surface ? s.d2_layered : t.d2_layered;
      return {layered[0], layered[1], layered[2]};
    }
    case ArrayShape::cubemap: {
      const uint64_t width = surface ? s.cubemap : t.cubemap;
      return {width, width, 1};
    }
    case ArrayShape::cubemap_layered: {
      const auto& layered = surface ? s.cubemap_layered : t.cubemap_layered;
      return {layered[0], layered[0], layered[1] / 6};  // the limit counts faces
    }
  }
  return {};
}

bool is_format(const exec::Texel& texel) {
  const uint8_t channels = texel.channels();
  if (channels != 1 && channels != 2 && channels != 4) return false;
  for (uint8_t i = 0; i < 4; ++i)
    if (texel.bits[i] != (i < channels ? texel.bits[0] : 0)) return false;
  const uint8_t bits = texel.bits[0];
  return texel.kind == exec::ChannelKind::floating ? bits == 16 || bits == 32
                                                   : bits == 8 || bits == 16 || bits == 32;
}

Done check(const arch::Device& device, const ArrayRequest& request) {
  const ShapeFacts& shape = facts_of(request.shape);
  if (!is_format(request.texel))
    return invalid("the elements of an array are 1, 2 or 4 channels of 8, 16 or 32 bits, floats of 16 or 32");
  const Extent extent{request.width, request.height, request.depth};
  for (std::size_t i = 0; i < 3; ++i)
    if (extent[i] == 0)
      return invalid("a " + std::string(shape.name) + " of " + std::string(axis_names[i]) + " 0");
  if ((!shape.has_height && request.height != 1) ||
      (!shape.has_depth && !shape.layered && request.depth != 1))
    return invalid("a " + std::string(shape.name) + " has no " + (request.depth != 1 ? "depth" : "height"));
  if (shape.cube && request.width != request.height)
    return invalid("the faces of a " + std::string(shape.name) + " are " + std::to_string(request.width) +
                   " by " + std::to_string(request.height) + ", not square");
  if (request.levels == 0 || request.levels > full_mip_levels(request))
    return invalid(std::to_string(request.levels) + " mip levels, a " + std::string(shape.name) +
                   " of this size has 1 to " + std::to_string(full_mip_levels(request)));
  for (const bool surface : {false, true}) {
    if (surface && !request.surface) continue;
    const Extent allowed = allowed_extent(device.arch, request, surface);
    for (std::size_t i = 0; i < 3; ++i)
      if (extent[i] > allowed[i])
        return invalid(std::string(i == 2 && shape.layered ? "layers" : axis_names[i]) + " of a " +
                       std::string(shape.name) + (surface ? " for surfaces" : "") + " is " +
                       std::to_string(extent[i]) + ", " + arch::describe(device) + " allows " +
                       std::to_string(allowed[i]));
  }
  return Unit{};
}

constexpr uint64_t level_alignment = 512;

}  // namespace

uint32_t full_mip_levels(const ArrayRequest& request) {
  uint64_t largest = std::max(request.width, request.height);
  if (request.shape == ArrayShape::d3) largest = std::max(largest, request.depth);
  return static_cast<uint32_t>(std::bit_width(largest));
}

Outcome<std::shared_ptr<Array>> Array::create(Context& context, const ArrayRequest& request) {
  if (Done fits = check(context.device().facts, request); !fits) return fits.error();
  const ShapeFacts& shape = facts_of(request.shape);
  std::shared_ptr<Array> array(new Array(context, request));
  exec::TexelArray& image = array->image_;
  image.shape = shape.texture;
  image.texel = request.texel;
  image.levels = request.levels;
  uint64_t total = 0;
  for (uint32_t i = 0; i < request.levels; ++i) {
    exec::MipLevel& level = image.mip[i];
    level.width = std::max<uint64_t>(request.width >> i, 1);
    level.height = std::max<uint64_t>(request.height >> i, 1);
    const bool shrinks = shape.has_depth;
    level.depth = shrinks ? std::max<uint64_t>(request.depth >> i, 1) : request.depth * (shape.cube ? 6 : 1);
    level.row_pitch = level.width * image.texel.bytes();
    level.slice_pitch = level.row_pitch * level.height;
    level.data = reinterpret_cast<std::byte*>(total);  // its offset, until there is memory
    total += (level.slice_pitch * level.depth + level_alignment - 1) / level_alignment * level_alignment;
  }
  MemoryRequest memory;
  memory.kind = MemoryKind::array;
  memory.bytes = total;
  memory.alignment = level_alignment;
  memory.guest_visible = false;
  memory.flags = request.flags;
  auto made = context.allocate(memory);
  if (!made) return made.error();
  array->memory_ = *made;
  for (uint32_t i = 0; i < request.levels; ++i)
    image.mip[i].data =
        reinterpret_cast<std::byte*>((*made)->address + reinterpret_cast<uint64_t>(image.mip[i].data));
  return array;
}

Done Array::destroy() { return context_->free(memory_); }

}  // namespace heddle::runtime
