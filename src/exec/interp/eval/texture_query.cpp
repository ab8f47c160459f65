// What textures, samplers and surfaces are (PTX ISA 9.7.10.5, 9.7.10.6 and 9.7.11.4). An attribute that an
// object does not have is 0.
#include <algorithm>

#include "exec/interp/step.h"
#include "exec/interp/texture/reference.h"
#include "exec/interp/texture/texel.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

// The numbers of OpenCL's cl_channel_type, as PTX ISA 5.3.2 has them.
uint32_t channel_data_type(const TexelArray& image, bool normalized) {
  if (image.pixel.given()) return image.pixel.type;
  const Texel& texel = image.texel;
  const bool narrow = texel.bits[0] == 8, middle = texel.bits[0] == 16;
  switch (texel.kind) {
    case ChannelKind::floating: return middle ? 0x10dd : 0x10de;
    case ChannelKind::signed_:
      if (normalized) return narrow ? 0x10d0 : 0x10d1;
      return narrow ? 0x10d7 : middle ? 0x10d8 : 0x10d9;
    case ChannelKind::unsigned_:
      if (normalized) return narrow ? 0x10d2 : 0x10d3;
      return narrow ? 0x10da : middle ? 0x10db : 0x10dc;
  }
  return 0;
}

// cl_channel_order: R, RG, RGB, RGBA.
uint32_t channel_order(const TexelArray& image) {
  if (image.pixel.given()) return image.pixel.order;
  switch (image.texel.channels()) {
    case 2: return 0x10b2;
    case 3: return 0x10b4;
    case 4: return 0x10b5;
    default: return 0x10b0;
  }
}

uint64_t array_size(const TexelArray& image) {
  const uint64_t slices = image.mip[0].depth / std::max<uint32_t>(1, image.samples);
  switch (image.shape) {
    case TextureShape::d1_layered:
    case TextureShape::d2_layered: return slices;
    case TextureShape::cubemap_layered: return slices / 6;
    default: return 0;
  }
}

uint32_t image_attribute(const TexelArray& image, bool normalized, uint32_t level, Word query) {
  if (level >= image.levels || level >= max_mip_levels) return 0;
  const MipLevel& mip = image.mip[level];
  switch (query) {
    case Word::width: return static_cast<uint32_t>(mip.width);
    case Word::height: return static_cast<uint32_t>(mip.height);
    case Word::depth: return image.shape == TextureShape::d3 ? static_cast<uint32_t>(mip.depth) : 0;
    case Word::channel_data_type: return channel_data_type(image, normalized);
    case Word::channel_order: return channel_order(image);
    case Word::array_size: return static_cast<uint32_t>(array_size(image));
    case Word::num_mipmap_levels: return image.levels;
    case Word::num_samples: return image.samples;
    case Word::memory_layout:  // 1: linear
      return image.shape == TextureShape::linear_buffer || image.shape == TextureShape::d2_pitched;
    default: return 0;
  }
}

void query_texture(Step& s, int level) {
  const Word query = s.word(Slot::query);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const TextureObject* texture = texture_of(s, s.operand(1), lane);
    if (texture == nullptr) return;
    const uint32_t value = query == Word::normalized_coords
                               ? texture->sampler.normalized_coordinates
                               : image_attribute(texture->image, reading_of(*texture).normalized,
                                                 level < 0 ? 0 : s.get<uint32_t>(level, lane), query);
    s.set<uint32_t>(0, lane, value);
  });
}

// In the order of PTX ISA 5.3: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border.
uint32_t address_number(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap: return 0;
    case AddressMode::mirror: return 1;
    case AddressMode::clamp_to_edge: return 3;
    case AddressMode::clamp_to_border: return 4;
  }
  return 0;
}

uint32_t sampler_attribute(const Sampler& sampler, Word query) {
  switch (query) {
    case Word::filter_mode: return sampler.filter == FilterMode::linear;
    case Word::addr_mode_0: return address_number(sampler.address[0]);
    case Word::addr_mode_1: return address_number(sampler.address[1]);
    case Word::addr_mode_2: return address_number(sampler.address[2]);
    case Word::force_unnormalized_coords: return !sampler.normalized_coordinates;
    default: return 0;
  }
}

bool refers_to(Step& s, const module::Operand& o, int lane, isa::Type type) {
  Services* services = s.launch().services;
  const uint64_t handle = s.handle(o, lane);
  if (services == nullptr || s.faulted()) return false;
  switch (type) {
    case isa::Type::texref: return services->texture(handle) != nullptr;
    case isa::Type::samplerref: return services->sampler(handle) != nullptr;
    default: return services->surface(handle) != nullptr;
  }
}

}  // namespace

void eval_txq(Step& s) { query_texture(s, -1); }
void eval_txq_level(Step& s) { query_texture(s, 2); }

// In the unified mode a texture's own sampler answers.
void eval_txq_sampler(Step& s) {
  const bool unified = s.image().unified_textures;
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Sampler* sampler = nullptr;
    if (unified) {
      if (const TextureObject* texture = texture_of(s, s.operand(1), lane)) sampler = &texture->sampler;
    } else {
      sampler = sampler_of(s, s.operand(1), lane);
    }
    if (sampler != nullptr) s.set<uint32_t>(0, lane, sampler_attribute(*sampler, s.word(Slot::query)));
  });
}

void eval_suq(Step& s) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    const SurfaceObject* surface = surface_of(s, s.operand(1), lane);
    if (surface == nullptr) return;
    s.set<uint32_t>(0, lane, image_attribute(surface->image, false, 0, s.word(Slot::query)));
  });
}

void eval_istypep(Step& s) {
  s.each([&](int lane) { s.set_predicate(0, lane, refers_to(s, s.operand(1), lane, s.type())); });
}

}  // namespace heddle::exec::interp
