#include "api/cuda/texels.h"

#include <algorithm>

namespace heddle::cu {
namespace {

using exec::ChannelKind;

struct Format {
  CUarray_format format;
  ChannelKind kind;
  uint8_t bits;
};
constexpr Format formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, ChannelKind::unsigned_, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, ChannelKind::unsigned_, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, ChannelKind::unsigned_, 32},
    {CU_AD_FORMAT_SIGNED_INT8, ChannelKind::signed_, 8},
    {CU_AD_FORMAT_SIGNED_INT16, ChannelKind::signed_, 16},
    {CU_AD_FORMAT_SIGNED_INT32, ChannelKind::signed_, 32},
    {CU_AD_FORMAT_HALF, ChannelKind::floating, 16},
    {CU_AD_FORMAT_FLOAT, ChannelKind::floating, 32},
};

Answer<exec::AddressMode> address_mode(CUaddress_mode mode) {
  switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP: return exec::AddressMode::wrap;
    case CU_TR_ADDRESS_MODE_CLAMP: return exec::AddressMode::clamp_to_edge;
    case CU_TR_ADDRESS_MODE_MIRROR: return exec::AddressMode::mirror;
    case CU_TR_ADDRESS_MODE_BORDER: return exec::AddressMode::clamp_to_border;
    default: return invalid_value("no address mode has the number " + std::to_string(mode));
  }
}

Answer<exec::FilterMode> filter_mode(CUfilter_mode mode) {
  if (mode == CU_TR_FILTER_MODE_POINT) return exec::FilterMode::nearest;
  if (mode == CU_TR_FILTER_MODE_LINEAR) return exec::FilterMode::linear;
  return invalid_value("no filter mode has the number " + std::to_string(mode));
}

}  // namespace

Answer<exec::Texel> texel_of(CUarray_format format, unsigned int channels) {
  const auto* found = std::ranges::find(formats, format, &Format::format);
  if (found == std::end(formats))
    return invalid_value("array format " + std::to_string(format) + " is not supported");
  if (channels != 1 && channels != 2 && channels != 4)
    return invalid_value(std::to_string(channels) + " channels; there may be 1, 2 or 4");
  exec::Texel texel;
  texel.kind = found->kind;
  for (unsigned int i = 0; i < 4; ++i) texel.bits[i] = i < channels ? found->bits : uint8_t{0};
  return texel;
}

CUarray_format format_of(const exec::Texel& texel) {
  for (const Format& format : formats)
    if (format.kind == texel.kind && format.bits == texel.bits[0]) return format.format;
  return CU_AD_FORMAT_UNSIGNED_INT8;
}

namespace {

Answer<exec::Sampler> written_sampler(const CUDA_TEXTURE_DESC& description) {
  exec::Sampler sampler;
  for (int i = 0; i < 3; ++i) {
    auto mode = address_mode(description.addressMode[i]);
    if (!mode) return mode.error();
    sampler.address[i] = *mode;
  }
  auto filter = filter_mode(description.filterMode);
  if (!filter) return filter.error();
  auto mip_filter = filter_mode(description.mipmapFilterMode);
  if (!mip_filter) return mip_filter.error();
  sampler.filter = *filter;
  sampler.mip_filter = *mip_filter;
  sampler.normalized_coordinates = (description.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  sampler.seamless_cubemap = (description.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  sampler.max_anisotropy = description.maxAnisotropy;
  sampler.lod_bias = description.mipmapLevelBias;
  sampler.min_lod = description.minMipmapLevelClamp;
  sampler.max_lod = description.maxMipmapLevelClamp;
  std::copy_n(description.borderColor, 4, sampler.border);
  return sampler;
}

}  // namespace

Answer<runtime::TextureSource> source_of(const CUDA_RESOURCE_DESC& resource) {
  if (resource.flags != 0)
    return invalid_value("the flags of a resource must be 0, are " + std::to_string(resource.flags));
  runtime::TextureSource source;
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      auto array = find_array(resource.res.array.hArray);
      if (!array) return array.error();
      source.array = (*array)->runtime();
      source.first_level = (*array)->level_index();
      source.levels = 1;
      return source;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
      auto array = find_mipmapped_array(resource.res.mipmap.hMipmappedArray);
      if (!array) return array.error();
      source.array = (*array)->runtime();
      return source;
    }
    case CU_RESOURCE_TYPE_LINEAR: {
      auto texel = texel_of(resource.res.linear.format, resource.res.linear.numChannels);
      if (!texel) return texel.error();
      source.address = resource.res.linear.devPtr;
      source.texel = *texel;
      source.width = resource.res.linear.sizeInBytes / texel->bytes();
      return source;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      auto texel = texel_of(resource.res.pitch2D.format, resource.res.pitch2D.numChannels);
      if (!texel) return texel.error();
      source.address = resource.res.pitch2D.devPtr;
      source.texel = *texel;
      source.width = resource.res.pitch2D.width;
      source.height = resource.res.pitch2D.height;
      source.row_pitch = resource.res.pitch2D.pitchInBytes;
      return source;
    }
    default: return invalid_value("no kind of resource has the number " + std::to_string(resource.resType));
  }
}

Answer<exec::Sampler> sampler_of(const CUDA_TEXTURE_DESC& description, runtime::TextureSource& source) {
  auto sampler = written_sampler(description);
  if (!sampler) return sampler.error();
  const exec::Texel& texel = source.view    ? *source.view
                             : source.array ? source.array->request().texel
                                            : source.texel;
  const bool integers = texel.kind != ChannelKind::floating;
  const bool small = integers && texel.bits[0] <= 16;
  source.read = small && (description.flags & CU_TRSF_READ_AS_INTEGER) == 0 ? exec::ReadMode::normalized_float
                                                                            : exec::ReadMode::element;
  source.srgb = (description.flags & CU_TRSF_SRGB) != 0;
  // The runtime API refuses this, the driver does not: an H100 and an H200 create all of them and filter them
  // (tests/hw).
  source.filters_integers = integers;
  return sampler;
}

Status apply_view(runtime::TextureSource& source, const CUDA_RESOURCE_VIEW_DESC& view) {
  if (source.array == nullptr) return invalid_value("only arrays can be viewed in another format");
  if (view.format != CU_RES_VIEW_FORMAT_NONE) {
    // Eight formats, each with 1, 2 and 4 channels, in the order of the array formats; then those of
    // compressed blocks.
    static constexpr CUarray_format order[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                               CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                               CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                               CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
    static constexpr unsigned int channels[] = {1, 2, 4};
    const int index = view.format - CU_RES_VIEW_FORMAT_UINT_1X8;
    if (index < 0 || index >= 24)
      return failure(Code::not_supported, "views of compressed blocks are not supported");
    auto texel = texel_of(order[index / 3], channels[index % 3]);
    if (!texel) return texel.error();
    source.view = *texel;
  }
  if (view.lastMipmapLevel < view.firstMipmapLevel || view.lastLayer < view.firstLayer)
    return invalid_value("a view that ends before it begins");
  source.first_level += view.firstMipmapLevel;
  source.levels = view.lastMipmapLevel - view.firstMipmapLevel + 1;
  source.first_layer = view.firstLayer;
  source.layers = view.lastLayer - view.firstLayer + (view.lastLayer != 0 ? 1 : 0);
  return Unit{};
}

}  // namespace heddle::cu
