#include "exec/jit/texture/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "exec/pixel_format.h"

namespace heddle::exec::jit::texture {

namespace {

constexpr uint64_t longest = (uint64_t{1} << 31) - 1;  // what loops multiply has 31 bits

// What a texel's bytes are, and what becomes of them.
struct Format {
  Coding coding = Coding::bits32;
  unsigned channels = 1;
  bool real = false;  // read as floats
  // Integers, too, where it is CUDA that asks.
  bool filters = false;
  Coding added = Coding::bits32;  // as what a filter adds it up
  Rounding rounding = Rounding::nearest;
  double largest = 1;  // what normalised integers are divided by
  std::array<int8_t, 4> source{none_zero, none_zero, none_zero, none_one};
  std::array<double, 4> border{};         // of the result's components
  std::array<double, 4> stored_border{};  // of stored channels
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

std::optional<Coding> coding_of(const PixelType& type) {
  using Kind = PixelType::Coding;
  if (type.is_packed() || type.is_depth24()) return std::nullopt;
  switch (type.coding) {
    case Kind::snorm: return type.bits == 8 ? Coding::snorm8 : Coding::snorm16;
    case Kind::unorm: return type.bits == 8 ? Coding::unorm8 : Coding::unorm16;
    case Kind::sint: return type.bits == 8 ? Coding::s8 : type.bits == 16 ? Coding::s16 : Coding::bits32;
    case Kind::uint: return type.bits == 8 ? Coding::u8 : type.bits == 16 ? Coding::u16 : Coding::bits32;
    case Kind::half: return Coding::f16;
    case Kind::single: return Coding::bits32;
  }
  return std::nullopt;
}

bool is_power_of_two(unsigned channels) { return channels == 1 || channels == 2 || channels == 4; }

// As OpenCL has it.
std::optional<Format> pixel_format_of(const TexelArray& image) {
  const PixelOrder& order = pixel_order(image.pixel);
  const PixelType& type = pixel_type(image.pixel);
  const auto coding = coding_of(type);
  if (!coding || order.srgb || !is_power_of_two(order.count) ||
      order.count * type.bits != 8U * image.texel.bytes())
    return std::nullopt;
  using Kind = PixelType::Coding;
  Format format;
  format.coding = *coding;
  format.channels = order.count;
  format.real = format.filters = type.coding != Kind::sint && type.coding != Kind::uint;
  format.added = *coding;
  if (type.coding == Kind::half) format.rounding = Rounding::half;
  if (type.coding == Kind::single) format.rounding = Rounding::single;
  if (type.coding == Kind::snorm || type.coding == Kind::unorm)
    format.largest = (1 << (type.bits - (type.coding == Kind::snorm ? 1 : 0))) - 1;
  for (unsigned i = 0; i < order.count; ++i)
    if (order.channels[i] >= 0)
      format.source[static_cast<std::size_t>(order.channels[i])] = static_cast<int8_t>(i);
  if (order.fill == PixelOrder::Fill::intensity) format.source = {0, 0, 0, 0};
  if (order.fill == PixelOrder::Fill::luminance) format.source = {0, 0, 0, none_one};
  format.border[3] = order.clear_border ? 0 : 1;
  return format;
}

// The border's colour as a value of the texels' format: halves lose bits, integers have the colour's own.
double border_value(const Texel& texel, bool normalized, double largest, float colour) {
  const unsigned bits = texel.bits[0];
  const bool is_signed = texel.kind == ChannelKind::signed_;
  if (texel.kind == ChannelKind::floating) {
    if (bits != 16 || !std::isfinite(colour)) return colour;
    const double unit = std::fabs(colour) < 0x1p-14f ? 0x1p-24 : std::ldexp(1.0, std::ilogb(colour) - 10);
    return std::trunc(colour / unit) * unit;
  }
  if (normalized)
    return std::isnan(colour)
               ? 0
               : std::round(std::clamp<double>(colour, is_signed ? -1 : 0, 1) * largest) / largest;
  const auto raw = std::bit_cast<uint32_t>(colour) << (32 - bits);
  return is_signed ? static_cast<int32_t>(raw) >> (32 - bits) : raw >> (32 - bits);
}

std::optional<Format> format_of(const TextureObject& texture, const Sampler& sampler) {
  const Texel& texel = texture.image.texel;
  if (texture.image.pixel.given()) return pixel_format_of(texture.image);
  Format format;
  format.channels = texel.channels();
  if (!is_power_of_two(format.channels)) return std::nullopt;
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
  format.filters = true;
  if (texel.kind == ChannelKind::floating)
    format.rounding = texel.bits[0] == 16 ? Rounding::half : Rounding::single;
  else
    format.rounding = normalized ? Rounding::normalized : Rounding::whole;
  // Numbers are divided behind the sum: what is added are integers.
  format.added = *coding_of(texel, false);
  if (format.added == Coding::bits32 && texel.kind != ChannelKind::floating)
    format.added = texel.kind == ChannelKind::signed_ ? Coding::s32 : Coding::u32;
  for (unsigned c = 0; c < format.channels; ++c) {
    format.source[c] = static_cast<int8_t>(c);
    format.border[c] = border_value(texel, normalized, format.largest, sampler.border[c]);
    format.stored_border[c] = std::nearbyint(format.border[c] * format.largest);
    if (!normalized) format.stored_border[c] = format.border[c];
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

// How a texel's channels are written, and from which components.
std::optional<Coding> stored_coding(const TexelArray& image, SurfacePlan& plan) {
  const Texel& texel = image.texel;
  if (!image.pixel.given()) {
    plan.channels = static_cast<int>(texel.channels());
    plan.bits = texel.bits[0];
    for (int c = 0; c < plan.channels; ++c)
      if (texel.bits[c] != texel.bits[0]) return std::nullopt;
    return coding_of(texel, false);
  }
  const PixelOrder& order = pixel_order(image.pixel);
  const PixelType& type = pixel_type(image.pixel);
  if (order.srgb || order.count * type.bits != 8U * texel.bytes()) return std::nullopt;
  plan.channels = static_cast<int>(order.count);
  plan.bits = type.bits;
  std::copy(order.channels.begin(), order.channels.end(), plan.source);
  return coding_of(type);
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
  plan.base = mip.data;
  plan.cube = form.cube;
  plan.axes = form.cube ? 2 : form.coordinates;
  const bool is_buffer = image.shape == TextureShape::linear_buffer;
  const bool normalized =
      !form.whole && sampler.normalized_coordinates && texture.sampler.normalized_coordinates;
  const bool filtered = format->filters && !form.whole && sampler.filter == FilterMode::linear && !is_buffer;
  if (form.cube && filtered && sampler.seamless_cubemap) return plan;
  const Coordinate kind = form.cube    ? Coordinate::place
                          : form.whole ? Coordinate::whole
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
    const Edge edge = is_buffer   ? Edge::border
                      : form.cube ? Edge::clamp
                                  : edge_of(sampler.address[i], normalized);
    bordered |= edge == Edge::border;
    plan.axis[i] = (filtered ? codes.linear : codes.nearest)[static_cast<int>(kind)][static_cast<int>(edge)];
  }
  // A row is filtered on a second axis, if that has a border: it is the upper edge of an image of one row.
  if (filtered && plan.axes == 1 && !is_buffer && !image.pixel.given() &&
      sampler.address[1] == AddressMode::clamp_to_border) {
    plan.axes = 2;
    plan.setting[1] = {1, 0};
    plan.axis[1] = codes.linear[static_cast<int>(Coordinate::real)][static_cast<int>(Edge::border)];
    bordered = true;
  }
  // A channel that is 1 within the image and 0 beyond it is a sum of its own.
  if (bordered && filtered && format->source[3] == none_one && format->border[3] != 1) return plan;
  if (form.array || form.cube) {
    plan.slices = std::max<int64_t>(1, static_cast<int64_t>(mip.depth));
    plan.slice_pitch = static_cast<int64_t>(mip.slice_pitch);
  }
  plan.corners =
      (filtered ? codes.all_corners : codes.one_corner)[plan.axes - 1][form.array || form.cube ? 1 : 0];
  plan.decoding.one = format->real ? std::bit_cast<uint32_t>(1.0f) : 1;
  std::copy(format->source.begin(), format->source.end(), plan.decoding.source);
  const auto coding = static_cast<int>(format->coding);
  plan.gather = codes.gather[std::countr_zero(static_cast<unsigned>(image.texel.bytes()))];
  if (filtered) {
    plan.blending.corners = 1 << plan.axes;
    plan.blending.channels = static_cast<int>(format->channels);
    plan.blending.rounding = format->rounding;
    plan.blending.scale = 1.0 / 256;
    switch (format->rounding) {
      case Rounding::nearest:
        if (bordered)
          plan.blending.divisor = format->largest;
        else
          plan.blending.scale = 1 / (format->largest * 256);
        break;
      case Rounding::normalized: {
        const double most = image.texel.kind == ChannelKind::signed_ ? 0x7fff : 0xffff;
        plan.blending.scale = plan.blending.most = most;
        plan.blending.divisor = 256 * format->largest;
        plan.blending.fraction = (most + 2) / ((most + 1) * (most + 1));
        break;
      }
      case Rounding::whole: plan.blending.half = image.texel.bits[0] == 32 ? 0 : 0.5; break;
      default: break;
    }
    plan.blending.nan = format->coding == Coding::f16 ? 0x7fff'e000 : 0x7fff'ffff;
    for (std::size_t c = 0; c < 4; ++c) plan.blending.border[c] = format->stored_border[c];
    plan.add = codes.add[static_cast<int>(format->added)][bordered ? 1 : 0];
  } else {
    plan.decode = codes.decode[coding];
    plan.decoding.bordered = bordered;
    for (unsigned c = 0; c < 4; ++c)
      plan.decoding.border[c] = is_buffer ? 0 : border_word(*format, image.texel.kind, format->border[c]);
  }
  plan.usable = true;
  return plan;
}

SurfacePlan make_plan(const Codes& codes, const SurfaceForm& form, const SurfaceObject& surface) {
  SurfacePlan plan;
  const TexelArray& image = surface.image;
  const MipLevel& mip = image.mip[0];
  const uint64_t texel = image.texel.bytes();
  const uint64_t access =
      form.formatted ? texel : static_cast<uint64_t>(form.element_bits * form.elements) / 8;
  if (access == 0 || access > 16 || !std::has_single_bit(access)) return plan;
  const uint64_t rows = std::max<uint64_t>(1, mip.height), slices = std::max<uint64_t>(1, mip.depth);
  const uint64_t row_pitch = rows == 1 ? 0 : mip.row_pitch, slice_pitch = slices == 1 ? 0 : mip.slice_pitch;
  if (row_pitch > longest || slice_pitch > longest) return plan;
  plan.setting = {form.formatted ? static_cast<int64_t>(texel) : 1,
                  static_cast<int64_t>(access),
                  static_cast<int64_t>(mip.width * texel),
                  {static_cast<int64_t>(rows) - 1, static_cast<int64_t>(slices) - 1},
                  static_cast<int64_t>(row_pitch),
                  static_cast<int64_t>(slice_pitch)};
  plan.places = codes.surface[static_cast<int>(form.outside)];
  plan.base = mip.data;
  const int size = std::countr_zero(access);
  plan.gather = codes.gather[size];
  plan.scatter = codes.scatter[size];
  plan.bits = form.element_bits;
  plan.channels = form.elements;
  plan.usable = true;
  if (!form.formatted) {
    plan.encode = codes.pack[std::countr_zero(static_cast<unsigned>(form.element_bits)) - 3];
    return plan;
  }
  const auto coding = stored_coding(image, plan);
  plan.usable = coding.has_value();
  if (!coding) return plan;
  plan.encode = codes.encode[static_cast<int>(*coding)];
  for (int i = 0; i < plan.channels; ++i)
    if (plan.source[i] >= form.elements) plan.source[i] = -1;
  return plan;
}

}  // namespace heddle::exec::jit::texture
