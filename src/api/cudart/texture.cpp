// Texture and surface objects, and the older references.
#include "runtime/texture.h"

#include <mutex>
#include <unordered_map>

#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

// What objects were made of, to be told again; and references, to what they are bound.
struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  cudaResourceViewDesc view;
  bool has_view;
};
struct Binding {
  uint64_t object = 0, context = 0, offset = 0;
};
struct Known {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::unordered_map<uint64_t, Texture>> textures;  // by context, by object
  std::unordered_map<uint64_t, std::unordered_map<uint64_t, cudaResourceDesc>> surfaces;
  std::unordered_map<const void*, Binding> bindings;
};
Known& known() {
  static auto* const all = new Known;  // for the process's whole life
  return *all;
}

Answer<exec::AddressMode> address_mode(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap: return exec::AddressMode::wrap;
    case cudaAddressModeClamp: return exec::AddressMode::clamp_to_edge;
    case cudaAddressModeMirror: return exec::AddressMode::mirror;
    case cudaAddressModeBorder: return exec::AddressMode::clamp_to_border;
  }
  return invalid_value("address mode " + std::to_string(mode));
}

Answer<exec::FilterMode> filter_mode(cudaTextureFilterMode mode) {
  if (mode == cudaFilterModePoint) return exec::FilterMode::nearest;
  if (mode == cudaFilterModeLinear) return exec::FilterMode::linear;
  return failure(Code::invalid_filter_setting, "filter mode " + std::to_string(mode));
}

Answer<exec::Sampler> sampler_of(const cudaTextureDesc& desc) {
  exec::Sampler sampler;
  sampler.normalized_coordinates = desc.normalizedCoords != 0;
  for (int i = 0; i < 3; ++i) {
    auto mode = address_mode(desc.addressMode[i]);
    if (!mode) return mode.error();
    // "Wrap and mirror are only for normalised coordinates; else it is clamp" (cudaTextureDesc).
    const bool repeats = *mode == exec::AddressMode::wrap || *mode == exec::AddressMode::mirror;
    sampler.address[i] =
        repeats && !sampler.normalized_coordinates ? exec::AddressMode::clamp_to_edge : *mode;
  }
  auto filter = filter_mode(desc.filterMode), mip = filter_mode(desc.mipmapFilterMode);
  if (!filter) return filter.error();
  if (!mip) return mip.error();
  sampler.filter = *filter;
  sampler.mip_filter = *mip;
  sampler.seamless_cubemap = desc.seamlessCubemap != 0;
  sampler.lod_bias = desc.mipmapLevelBias;
  sampler.min_lod = desc.minMipmapLevelClamp;
  sampler.max_lod = desc.maxMipmapLevelClamp;
  sampler.max_anisotropy = desc.maxAnisotropy;
  for (int i = 0; i < 4; ++i) sampler.border[i] = desc.borderColor[i];
  return sampler;
}

Answer<runtime::TextureSource> source_of(const cudaResourceDesc& desc) {
  runtime::TextureSource source;
  switch (desc.resType) {
    case cudaResourceTypeArray: {
      auto array = find_array(desc.res.array.array);
      if (!array) return array.error();
      source.array = (*array)->runtime();
      source.first_level = (*array)->level_index();
      source.levels = 1;
      return source;
    }
    case cudaResourceTypeMipmappedArray: {
      auto array = cuda::find_mipmapped_array(Process::get(), desc.res.mipmap.mipmap);
      if (!array) return array.error();
      source.array = (*array)->runtime();
      return source;
    }
    case cudaResourceTypeLinear: {
      auto texel = texel_of(desc.res.linear.desc);
      if (!texel) return texel.error();
      source.texel = *texel;
      source.address = number_of(desc.res.linear.devPtr);
      source.width = desc.res.linear.sizeInBytes / texel->bytes();
      return source;
    }
    case cudaResourceTypePitch2D: {
      auto texel = texel_of(desc.res.pitch2D.desc);
      if (!texel) return texel.error();
      source.texel = *texel;
      source.address = number_of(desc.res.pitch2D.devPtr);
      source.width = desc.res.pitch2D.width;
      source.height = desc.res.pitch2D.height;
      source.row_pitch = desc.res.pitch2D.pitchInBytes;
      return source;
    }
  }
  return invalid_value("resource type " + std::to_string(desc.resType));
}

// cudaResourceViewFormat counts kinds in a fixed order: unsigned and signed char, short, int in 1, 2, 4
// channels, half and float.
Answer<exec::Texel> view_texel(cudaResourceViewFormat format) {
  constexpr int formats_a_kind = 3;
  struct Kind {
    exec::ChannelKind kind;
    uint8_t bits;
  };
  constexpr Kind kinds[] = {{exec::ChannelKind::unsigned_, 8},  {exec::ChannelKind::signed_, 8},
                            {exec::ChannelKind::unsigned_, 16}, {exec::ChannelKind::signed_, 16},
                            {exec::ChannelKind::unsigned_, 32}, {exec::ChannelKind::signed_, 32},
                            {exec::ChannelKind::floating, 16},  {exec::ChannelKind::floating, 32}};
  const int index = format - cudaResViewFormatUnsignedChar1;
  if (index < 0 || index >= formats_a_kind * 8)
    return failure(Code::not_supported, "resource view format " + std::to_string(format));
  const Kind& kind = kinds[index / formats_a_kind];
  exec::Texel texel;
  texel.kind = kind.kind;
  const int channels = 1 << index % formats_a_kind;
  for (int i = 0; i < 4; ++i) texel.bits[i] = i < channels ? kind.bits : uint8_t{0};
  return texel;
}

Status apply_view(const cudaResourceViewDesc& view, runtime::TextureSource& source) {
  if (source.array == nullptr) return invalid_value("a view of linear memory");
  if (view.format != cudaResViewFormatNone) {
    auto texel = view_texel(view.format);
    if (!texel) return texel.error();
    source.view = *texel;
  }
  if (view.lastMipmapLevel < view.firstMipmapLevel || view.lastLayer < view.firstLayer)
    return invalid_value("a view that ends before it begins");
  source.first_level += view.firstMipmapLevel;
  source.levels = view.lastMipmapLevel - view.firstMipmapLevel + 1;
  if (view.lastLayer != 0) {
    source.first_layer = view.firstLayer;
    source.layers = view.lastLayer - view.firstLayer + 1;
  }
  return Unit{};
}

Answer<uint64_t> create(const ContextRef& context, const cudaResourceDesc& resource,
                        const cudaTextureDesc& desc, const cudaResourceViewDesc* view) {
  auto source = source_of(resource);
  if (!source) return source.error();
  auto sampler = sampler_of(desc);
  if (!sampler) return sampler.error();
  source->read = desc.readMode == cudaReadModeNormalizedFloat ? exec::ReadMode::normalized_float
                                                              : exec::ReadMode::element;
  source->srgb = desc.sRGB != 0;
  if (view != nullptr)
    if (Status applied = apply_view(*view, *source); !applied) return applied.error();
  auto made = runtime::create_texture(*context->runtime(), *source, *sampler);
  if (!made) return failure_of(made.error());
  return *made;
}

}  // namespace

Status cudaCreateTextureObject(cudaTextureObject_t* pTexObject, const cudaResourceDesc* pResDesc,
                               const cudaTextureDesc* pTexDesc, const cudaResourceViewDesc* pResViewDesc) {
  if (pResDesc == nullptr || pTexDesc == nullptr) return invalid_value("a description is NULL");
  auto context = working_context();
  if (!context) return context.error();
  auto made = create(*context, *pResDesc, *pTexDesc, pResViewDesc);
  if (!made) return made.error();
  *pTexObject = *made;
  const std::lock_guard lock(known().mutex);
  known().textures[(*context)->id()][*made] = {
      *pResDesc, *pTexDesc, pResViewDesc != nullptr ? *pResViewDesc : cudaResourceViewDesc{},
      pResViewDesc != nullptr};
  return Unit{};
}

Status cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  auto context = working_context();
  if (!context) return context.error();
  if (texObject == 0) return Unit{};
  {
    const std::lock_guard lock(known().mutex);
    known().textures[(*context)->id()].erase(texObject);
  }
  (void)runtime::destroy_texture(*(*context)->runtime(), texObject);  // an H200's driver takes any number
  return Unit{};
}

namespace {

Answer<Texture> texture_of(cudaTextureObject_t object) {
  auto context = working_context();
  if (!context) return context.error();
  const std::lock_guard lock(known().mutex);
  const auto& textures = known().textures[(*context)->id()];
  const auto found = textures.find(object);
  if (found == textures.end()) return invalid_value("no such texture object");
  return found->second;
}

}  // namespace

Status cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc, cudaTextureObject_t texObject) {
  auto texture = texture_of(texObject);
  if (!texture) return texture.error();
  *pResDesc = texture->resource;
  return Unit{};
}
Status cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc, cudaTextureObject_t texObject) {
  auto texture = texture_of(texObject);
  if (!texture) return texture.error();
  *pTexDesc = texture->texture;
  return Unit{};
}
Status cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* pResViewDesc,
                                            cudaTextureObject_t texObject) {
  auto texture = texture_of(texObject);
  if (!texture) return texture.error();
  if (!texture->has_view) return invalid_value("the texture was made without a view");
  *pResViewDesc = texture->view;
  return Unit{};
}

// ---- surfaces
Status cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject, const cudaResourceDesc* pResDesc) {
  if (pResDesc == nullptr) return invalid_value("the description is NULL");
  auto context = working_context();
  if (!context) return context.error();
  if (pResDesc->resType != cudaResourceTypeArray)
    return failure(Code::invalid_channel_descriptor, "a surface is made of an array");
  auto source = source_of(*pResDesc);
  if (!source) return source.error();
  auto made = runtime::create_surface(*(*context)->runtime(), *source);
  if (!made) return status_of(made);
  *pSurfObject = *made;
  const std::lock_guard lock(known().mutex);
  known().surfaces[(*context)->id()][*made] = *pResDesc;
  return Unit{};
}

Status cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  auto context = working_context();
  if (!context) return context.error();
  if (surfObject == 0) return Unit{};
  {
    const std::lock_guard lock(known().mutex);
    known().surfaces[(*context)->id()].erase(surfObject);
  }
  (void)runtime::destroy_surface(*(*context)->runtime(), surfObject);  // an H200's driver takes any number
  return Unit{};
}

Status cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc, cudaSurfaceObject_t surfObject) {
  auto context = working_context();
  if (!context) return context.error();
  const std::lock_guard lock(known().mutex);
  const auto& surfaces = known().surfaces[(*context)->id()];
  const auto found = surfaces.find(surfObject);
  if (found == surfaces.end()) return invalid_value("no such surface object");
  *pResDesc = found->second;
  return Unit{};
}

// ---- references: a variable of the host that names one of the device
namespace {

cudaTextureDesc desc_of(const textureReference& reference, bool normalized_read) {
  cudaTextureDesc desc{};
  for (int i = 0; i < 3; ++i) desc.addressMode[i] = reference.addressMode[i];
  desc.filterMode = reference.filterMode;
  desc.readMode = normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  desc.sRGB = reference.sRGB;
  desc.normalizedCoords = reference.normalized;
  desc.maxAnisotropy = reference.maxAnisotropy;
  desc.mipmapFilterMode = reference.mipmapFilterMode;
  desc.mipmapLevelBias = reference.mipmapLevelBias;
  desc.minMipmapLevelClamp = reference.minMipmapLevelClamp;
  desc.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
  return desc;
}

void unbind(const ContextRef& context, const void* reference) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().bindings.find(reference);
  if (found == known().bindings.end()) return;
  if (found->second.context == context->id())
    (void)runtime::destroy_texture(*context->runtime(), found->second.object);
  known().bindings.erase(found);
}

Status bind(const textureReference* reference, const cudaResourceDesc& resource, uint64_t offset) {
  if (reference == nullptr) return failure(Code::invalid_texture, "the texture reference is NULL");
  auto context = working_context();
  if (!context) return context.error();
  auto symbol = Process::get().registry().reference(reference);
  if (!symbol) return symbol.error();
  auto module = (*context)->module_of(*symbol->library);
  if (!module) return module.error();
  auto made = create(*context, resource, desc_of(*reference, symbol->normalized_read), nullptr);
  if (!made) return made.error();
  unbind(*context, reference);
  if (Status bound = status_of((*module)->runtime().bind(symbol->name, module::SymbolKind::texture, *made));
      !bound)
    return bound;
  const std::lock_guard lock(known().mutex);
  known().bindings[reference] = {*made, (*context)->id(), offset};
  return Unit{};
}

// Linear memory begins where textures may begin: the rest is an offset for the kernel to add.
Answer<uint64_t> aligned(const void* pointer, size_t* offset) {
  auto context = working_context();
  if (!context) return context.error();
  const uint64_t rest = number_of(pointer) % (*context)->device().facts().arch.memory.texture_alignment;
  if (rest != 0 && offset == nullptr)
    return invalid_value("the memory is not aligned, and there is nowhere to say so");
  if (offset != nullptr) *offset = rest;
  return number_of(pointer) - rest;
}

}  // namespace

Status cudaBindTexture(size_t* offset, const textureReference* texref, const void* devPtr,
                       const cudaChannelFormatDesc* desc, size_t size) {
  if (desc == nullptr) return invalid_value("the format is NULL");
  auto address = aligned(devPtr, offset);
  if (!address) return address.error();
  const auto memory = Process::get().system().memory().find(*address);
  if (memory == nullptr)
    return invalid_value("no memory of a device: " +
                         Process::get().system().memory().describe(number_of(devPtr)));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = as_handle<void*>(*address);
  resource.res.linear.desc = *desc;
  const uint64_t rest = number_of(devPtr) - *address;
  // Without a size it is all the memory that there is (the default is UINT_MAX).
  resource.res.linear.sizeInBytes = std::min<uint64_t>(size + rest, memory->end() - *address);
  return bind(texref, resource, rest);
}

Status cudaBindTexture2D(size_t* offset, const textureReference* texref, const void* devPtr,
                         const cudaChannelFormatDesc* desc, size_t width, size_t height, size_t pitch) {
  if (desc == nullptr) return invalid_value("the format is NULL");
  auto address = aligned(devPtr, offset);
  if (!address) return address.error();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = as_handle<void*>(*address);
  resource.res.pitch2D.desc = *desc;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return bind(texref, resource, number_of(devPtr) - *address);
}

Status cudaBindTextureToArray(const textureReference* texref, cudaArray_const_t array,
                              const cudaChannelFormatDesc*) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return bind(texref, resource, 0);
}

Status cudaBindTextureToMipmappedArray(const textureReference* texref,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       const cudaChannelFormatDesc*) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(mipmappedArray);
  return bind(texref, resource, 0);
}

Status cudaUnbindTexture(const textureReference* texref) {
  auto context = working_context();
  if (!context) return context.error();
  if (auto symbol = Process::get().registry().reference(texref); !symbol) return symbol.error();
  unbind(*context, texref);
  return Unit{};
}

Status cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* texref) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().bindings.find(texref);
  if (found == known().bindings.end())
    return failure(Code::invalid_texture_binding, "the texture reference is not bound");
  *offset = found->second.offset;
  return Unit{};
}

Status cudaGetTextureReference(const textureReference** texref, const void* symbol) {
  if (auto known_one = Process::get().registry().reference(symbol); !known_one) return known_one.error();
  *texref = static_cast<const textureReference*>(symbol);
  return Unit{};
}

Status cudaBindSurfaceToArray(const surfaceReference* surfref, cudaArray_const_t array,
                              const cudaChannelFormatDesc*) {
  auto context = working_context();
  if (!context) return context.error();
  auto symbol = Process::get().registry().reference(surfref);
  if (!symbol) return failure(Code::invalid_surface, symbol.error().message);
  auto module = (*context)->module_of(*symbol->library);
  if (!module) return module.error();
  cudaSurfaceObject_t object = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  if (Status made = cudart::cudaCreateSurfaceObject(&object, &resource); !made) return made;
  return status_of((*module)->runtime().bind(symbol->name, module::SymbolKind::surface, object));
}

Status cudaGetSurfaceReference(const surfaceReference** surfref, const void* symbol) {
  if (auto known_one = Process::get().registry().reference(symbol); !known_one) return known_one.error();
  *surfref = static_cast<const surfaceReference*>(symbol);
  return Unit{};
}

}  // namespace heddle::cudart
