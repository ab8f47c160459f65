#include "exec/jit/texture/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace heddle::exec::jit::texture {

namespace {

constexpr uint64_t longest = (uint64_t{1} << 31) - 1;  // what loops multiply has 31 bits

// What a texel's bytes are, and what becomes of them.
struct Format {
  Coding coding = Coding::bits32;
  unsigned channels = 1;
  bool real = false;   // read as floats: may be filtered
  double largest = 1;  // what normalised integers are divided by
  std::array<int8_t, 4> source{none_zero, none_zero, none_zero, none_one};
  std::array<double, 4> border{};  // of the result's components
};

std::optional<Coding> coding_of(const Texel& texel, bool normalized) {
  const bool is_signed = texel.kind == ChannelKind::signed_;
  switch (texel.bits[0]) {
    case 8:
      if (texel.kind == ChannelKind::floating) return std::nullopt;
      if (normalized) return is_signed ? Coding::snorm8 : Coding::unorm8;
      return is_signed ? Coding::s8 : Coding::u8;
    case 16:
      if (texel.kind == ChannelKind::floating) return Coding::f16;
      if (normalized) return is_signed ? Coding::snorm16 : Coding::unorm16;
      return is_signed ? Coding::s16 : Coding::u16;
    case 32: return Coding::bits32;
    default: return std::nullopt;
  }
}

std::optional<Format> format_of(const TextureObject& texture, const Sampler& sampler) {
  const Texel& texel = texture.image.texel;
  if (texture.image.pixel.given()) return std::nullopt;
  Format format;
  format.channels = texel.channels();
  if (format.channels != 1 && format.channels != 2 && format.channels != 4) return std::nullopt;
  for (unsigned c = 0; c < format.channels; ++c)
    if (texel.bits[c] != texel.bits[0]) return std::nullopt;
  const bool normalized = texture.read == ReadMode::normalized_float && texel.kind != ChannelKind::floating &&
                          texel.bits[0] <= 16;
  if (normalized && texture.srgb && texel.kind == ChannelKind::unsigned_ && texel.bits[0] == 8)
    return std::nullopt;
  const auto coding = coding_of(texel, normalized);
  if (!coding) return std::nullopt;
  format.coding = *coding;
  if (normalized) format.largest = (1 << (texel.bits[0] - (texel.kind == ChannelKind::signed_ ? 1 : 0))) - 1;
  format.real = normalized || texel.kind == ChannelKind::floating;
  for (unsigned c = 0; c < format.channels; ++c) {
    format.source[c] = static_cast<int8_t>(c);
    format.border[c] = sampler.border[c];
  }
  if (format.channels < 4) format.border[3] = 1;
  return format;
}

// The border's colour as a register has it.
uint32_t border_word(const Format& format, ChannelKind kind, double value) {
  if (format.real) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (value != value) return 0;
  if (kind == ChannelKind::signed_)
    return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(value, -0x1p31, 0x1p31 - 1)));
  return static_cast<uint32_t>(std::clamp(value, 0.0, 0x1p32 - 1));
}

Edge edge_of(AddressMode mode, bool normalized) {
  switch (mode) {
    case AddressMode::wrap: return normalized ? Edge::wrap : Edge::clamp;
    case AddressMode::mirror: return normalized ? Edge::mirror : Edge::clamp;
    case AddressMode::clamp_to_border: return Edge::border;
    default: return Edge::clamp;
  }
}

}  // namespace

Plan make_plan(const Codes& codes, const FetchForm& form, const TextureObject& texture,
               const Sampler& sampler) {
  Plan plan;
  const TexelArray& image = texture.image;
  const MipLevel& mip = image.mip[0];
  const auto format = format_of(texture, sampler);
  const bool one_level = image.levels <= 1 || image.mip[1].data == nullptr;
  if (!format || image.samples > 1 || (form.by_level && !one_level)) return plan;
  if (form.cube) return plan;
  plan.base = mip.data;
  plan.axes = form.coordinates;
  const bool is_buffer = image.shape == TextureShape::linear_buffer;
  const bool normalized =
      !form.whole && sampler.normalized_coordinates && texture.sampler.normalized_coordinates;
  const bool filtered = format->real && !form.whole && sampler.filter == FilterMode::linear && !is_buffer;
  const Coordinate kind = form.whole   ? Coordinate::whole
                          : normalized ? Coordinate::normalized
                                       : Coordinate::real;
  const std::array<uint64_t, 3> sizes{mip.width, mip.height, mip.depth};
  const std::array<uint64_t, 3> strides{image.texel.bytes(), mip.row_pitch, mip.slice_pitch};
  bool bordered = false;
  for (unsigned i = 0; i < plan.axes; ++i) {
    const uint64_t size = std::max<uint64_t>(1, sizes[i]);
    const uint64_t stride = size == 1 ? 0 : strides[i];
    if (size > longest || stride > longest) return plan;
    plan.setting[i] = {static_cast<double>(size), static_cast<int64_t>(stride)};
    const Edge edge = is_buffer ? Edge::border : edge_of(sampler.address[i], normalized);
    bordered |= edge == Edge::border;
    plan.axis[i] = (filtered ? codes.linear : codes.nearest)[static_cast<int>(kind)][static_cast<int>(edge)];
  }
  if (form.array) {
    plan.layers = std::max<int64_t>(1, static_cast<int64_t>(mip.depth));
    plan.slice_pitch = static_cast<int64_t>(mip.slice_pitch);
  }
  plan.corners = (filtered ? codes.all_corners : codes.one_corner)[plan.axes - 1][form.array ? 1 : 0];
  plan.decoding.one = format->real ? std::bit_cast<uint32_t>(1.0f) : 1;
  std::copy(format->source.begin(), format->source.end(), plan.decoding.source);
  const auto coding = static_cast<int>(format->coding);
  plan.gather = codes.gather[std::countr_zero(static_cast<unsigned>(image.texel.bytes()))];
  if (filtered) {
    plan.blending.corners = 1 << plan.axes;
    plan.blending.channels = static_cast<int>(format->channels);
    plan.blending.scale = 1 / static_cast<double>(uint64_t{1} << 8 * plan.axes);
    if (!bordered) plan.blending.scale = 1 / (format->largest / plan.blending.scale);
    plan.blending.nan = format->coding == Coding::f16 ? 0x7fff'e000 : 0x7fff'ffff;
    std::copy(format->border.begin(), format->border.end(), plan.blending.border);
    plan.add = codes.add[coding][bordered ? 1 : 0];
  } else {
    plan.decode = codes.decode[coding];
    plan.decoding.bordered = bordered;
    for (unsigned c = 0; c < 4; ++c)
      plan.decoding.border[c] = is_buffer ? 0 : border_word(*format, image.texel.kind, format->border[c]);
  }
  plan.usable = true;
  return plan;
}

}  // namespace heddle::exec::jit::texture
