// Texture and surface references: variables of a module that say what a texture instruction reads.
#include <algorithm>
#include <mutex>

#include "api/cuda/functions.gen.h"
#include "api/cuda/texels.h"

namespace heddle::cu {
namespace {

// A reference has a texture object behind it, made anew whenever something of it changes.
struct Reference {
  std::shared_ptr<cuda::Module> module;  // nullptr: made by cuTexRefCreate
  std::string name;
  bool surface = false;
  CUDA_RESOURCE_DESC resource{};
  bool bound = false;
  CUDA_TEXTURE_DESC texture{};
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned int channels = 1;
  uint64_t object = 0;
};
using ReferenceRef = std::shared_ptr<Reference>;

struct References {
  std::mutex mutex;
  cuda::HandleTable<Reference, cuda::HandleKind::reference> table;
  std::vector<std::pair<ReferenceRef, uint64_t>> of_modules;  // the same handle for the same name
};
References& references() {
  static auto& all = *new References;  // programs call until the very end of a process
  return all;
}

Answer<ReferenceRef> find(const void* handle, bool surface) {
  ReferenceRef reference = references().table.find(handle);
  if (reference == nullptr || reference->surface != surface)
    return failure(Code::invalid_handle, "no such reference");
  if (reference->module != nullptr && !reference->module->usable())
    return failure(Code::invalid_handle, "the module of the reference is gone");
  return reference;
}
Answer<ReferenceRef> find(CUtexref handle) { return find(handle, false); }

Status get(void** out, CUmodule handle, const char* name, bool surface) {
  auto module = find_module(handle);
  if (!module) return module.error();
  const auto kind = surface ? module::SymbolKind::surface : module::SymbolKind::texture;
  if (auto bound = (*module)->runtime().bound(name, kind); !bound) return status_of(bound);
  References& all = references();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.of_modules, [](const auto& known) { return !known.first->module->usable(); });
  for (const auto& [reference, known] : all.of_modules) {
    if (reference->module != *module || reference->name != name || reference->surface != surface) continue;
    *out = as_handle<void*>(known);
    return Unit{};
  }
  auto reference = std::make_shared<Reference>();
  reference->module = *module;
  reference->name = name;
  reference->surface = surface;
  const uint64_t made = all.table.add(reference);
  if (made == 0) return failure(Code::out_of_memory, "too many references");
  all.of_modules.emplace_back(reference, made);
  *out = as_handle<void*>(made);
  return Unit{};
}

// Makes the object that the reference's instructions read from now on.
Status renew(Reference& reference) {
  if (!reference.bound || reference.module == nullptr) return Unit{};
  // Several levels are read at normalised coordinates alone, which may be set later.
  if (reference.resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY &&
      (reference.texture.flags & CU_TRSF_NORMALIZED_COORDINATES) == 0)
    return Unit{};
  runtime::Context& context = *reference.module->context().runtime();
  auto source = source_of(reference.resource);
  if (!source) return source.error();
  runtime::Outcome<uint64_t> made = 0;
  if (reference.surface) {
    made = runtime::create_surface(context, *source);
  } else {
    auto sampler = sampler_of(reference.texture, *source);
    if (!sampler) return sampler.error();
    made = runtime::create_texture(context, *source, *sampler);
  }
  if (!made) return status_of(made);
  const auto kind = reference.surface ? module::SymbolKind::surface : module::SymbolKind::texture;
  if (Status bound = status_of(reference.module->runtime().bind(reference.name, kind, *made)); !bound)
    return bound;
  const uint64_t before = std::exchange(reference.object, *made);
  if (before == 0) return Unit{};
  return status_of(reference.surface ? runtime::destroy_surface(context, before)
                                     : runtime::destroy_texture(context, before));
}

// An array has its own format, whether the flag says so or not.
Status array_flags(unsigned flags) {
  if ((flags & ~unsigned{CU_TRSA_OVERRIDE_FORMAT}) == 0) return Unit{};
  return invalid_value("flags " + std::to_string(flags) + ": only CU_TRSA_OVERRIDE_FORMAT is known");
}

template <class Change>
Status change(CUtexref handle, const Change& what) {
  auto reference = find(handle);
  if (!reference) return reference.error();
  const std::lock_guard lock(references().mutex);
  if (Status good = what(**reference); !good) return good;
  return renew(**reference);
}

}  // namespace

Status cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
  return get(reinterpret_cast<void**>(pTexRef), hmod, name, false);
}
Status cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  return get(reinterpret_cast<void**>(pSurfRef), hmod, name, true);
}

Status cuTexRefCreate(CUtexref* pTexRef) {
  const uint64_t made = references().table.add(std::make_shared<Reference>());
  if (made == 0) return failure(Code::out_of_memory, "too many references");
  *pTexRef = as_handle<CUtexref>(made);
  return Unit{};
}
Status cuTexRefDestroy(CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  if ((*reference)->module != nullptr) return failure(Code::invalid_handle, "the reference is a module's");
  references().table.remove(hTexRef);
  return Unit{};
}

// ---- what it reads
Status cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    auto array = find_array(hArray);
    if (!array) return array.error();
    if (Status good = array_flags(Flags); !good) return good;
    reference.resource = {};
    reference.resource.resType = CU_RESOURCE_TYPE_ARRAY;
    reference.resource.res.array.hArray = hArray;
    reference.format = format_of((*array)->request().texel);
    reference.channels = (*array)->request().texel.channels();
    reference.bound = true;
    return Unit{};
  });
}

Status cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    auto array = find_mipmapped_array(hMipmappedArray);
    if (!array) return array.error();
    if (Status good = array_flags(Flags); !good) return good;
    reference.resource = {};
    reference.resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    reference.resource.res.mipmap.hMipmappedArray = hMipmappedArray;
    reference.bound = true;
    return Unit{};
  });
}

Status cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    reference.resource = {};
    reference.resource.resType = CU_RESOURCE_TYPE_LINEAR;
    reference.resource.res.linear.devPtr = dptr;
    reference.resource.res.linear.format = reference.format;
    reference.resource.res.linear.numChannels = reference.channels;
    reference.resource.res.linear.sizeInBytes = bytes;
    reference.bound = dptr != 0;
    if (ByteOffset != nullptr) *ByteOffset = 0;  // any address can be read as it is
    return Unit{};
  });
}

Status cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr,
                               size_t Pitch) {
  if (desc == nullptr) return missing("desc");
  return change(hTexRef, [&](Reference& reference) -> Status {
    if (auto texel = texel_of(desc->Format, desc->NumChannels); !texel) return texel.error();
    reference.resource = {};
    reference.resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    auto& rows = reference.resource.res.pitch2D;
    rows.devPtr = dptr;
    rows.format = reference.format = desc->Format;
    rows.numChannels = reference.channels = desc->NumChannels;
    rows.width = desc->Width;
    rows.height = desc->Height;
    rows.pitchInBytes = Pitch;
    reference.bound = true;
    return Unit{};
  });
}
Status cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr,
                               size_t Pitch) {
  return cu::cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

// ---- how
Status cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    if (auto texel = texel_of(fmt, static_cast<unsigned int>(NumPackedComponents)); !texel)
      return texel.error();
    reference.format = fmt;
    reference.channels = static_cast<unsigned int>(NumPackedComponents);
    if (reference.resource.resType == CU_RESOURCE_TYPE_LINEAR && reference.bound) {
      reference.resource.res.linear.format = fmt;
      reference.resource.res.linear.numChannels = reference.channels;
    }
    return Unit{};
  });
}
Status cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  if (dim < 0 || dim > 2) return invalid_value("dimension " + std::to_string(dim) + " of 3");
  return change(hTexRef, [&](Reference& reference) -> Status {
    if (am < CU_TR_ADDRESS_MODE_WRAP || am > CU_TR_ADDRESS_MODE_BORDER)
      return invalid_value("no address mode has the number " + std::to_string(am));
    reference.texture.addressMode[dim] = am;
    return Unit{};
  });
}

namespace {

Status set_filter(CUtexref handle, CUfilter_mode mode, CUfilter_mode CUDA_TEXTURE_DESC::* member) {
  if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR)
    return invalid_value("no filter mode has the number " + std::to_string(mode));
  return change(handle, [&](Reference& reference) -> Status {
    reference.texture.*member = mode;
    return Unit{};
  });
}

}  // namespace

Status cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return set_filter(hTexRef, fm, &CUDA_TEXTURE_DESC::filterMode);
}
Status cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return set_filter(hTexRef, fm, &CUDA_TEXTURE_DESC::mipmapFilterMode);
}
Status cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    reference.texture.mipmapLevelBias = bias;
    return Unit{};
  });
}
Status cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    reference.texture.minMipmapLevelClamp = minMipmapLevelClamp;
    reference.texture.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return Unit{};
  });
}
Status cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    reference.texture.maxAnisotropy = maxAniso;
    return Unit{};
  });
}
Status cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
  return change(hTexRef, [&](Reference& reference) -> Status {
    std::copy_n(pBorderColor, 4, reference.texture.borderColor);
    return Unit{};
  });
}
Status cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  if (Status known = known_flags(Flags, CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                            CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
      !known)
    return known;
  return change(hTexRef, [&](Reference& reference) -> Status {
    reference.texture.flags = Flags;
    return Unit{};
  });
}

// ---- asked again
Status cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  const CUDA_RESOURCE_DESC& resource = (*reference)->resource;
  if (!(*reference)->bound ||
      (resource.resType != CU_RESOURCE_TYPE_LINEAR && resource.resType != CU_RESOURCE_TYPE_PITCH2D))
    return invalid_value("the reference is not bound to linear memory");
  *pdptr =
      resource.resType == CU_RESOURCE_TYPE_LINEAR ? resource.res.linear.devPtr : resource.res.pitch2D.devPtr;
  return Unit{};
}
Status cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  if (!(*reference)->bound || (*reference)->resource.resType != CU_RESOURCE_TYPE_ARRAY)
    return invalid_value("the reference is not bound to an array");
  *phArray = (*reference)->resource.res.array.hArray;
  return Unit{};
}
Status cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  if (!(*reference)->bound || (*reference)->resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
    return invalid_value("the reference is not bound to a mipmapped array");
  *phMipmappedArray = (*reference)->resource.res.mipmap.hMipmappedArray;
  return Unit{};
}
Status cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  if (dim < 0 || dim > 2) return invalid_value("dimension " + std::to_string(dim) + " of 3");
  *pam = (*reference)->texture.addressMode[dim];
  return Unit{};
}
Status cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pfm = (*reference)->texture.filterMode;
  return Unit{};
}
Status cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pFormat = (*reference)->format;
  *pNumChannels = static_cast<int>((*reference)->channels);
  return Unit{};
}
Status cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pfm = (*reference)->texture.mipmapFilterMode;
  return Unit{};
}
Status cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pbias = (*reference)->texture.mipmapLevelBias;
  return Unit{};
}
Status cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                   CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pminMipmapLevelClamp = (*reference)->texture.minMipmapLevelClamp;
  *pmaxMipmapLevelClamp = (*reference)->texture.maxMipmapLevelClamp;
  return Unit{};
}
Status cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pmaxAniso = static_cast<int>((*reference)->texture.maxAnisotropy);
  return Unit{};
}
Status cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  std::copy_n((*reference)->texture.borderColor, 4, pBorderColor);
  return Unit{};
}
Status cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
  auto reference = find(hTexRef);
  if (!reference) return reference.error();
  *pFlags = (*reference)->texture.flags;
  return Unit{};
}

// The texture unit is the reference's own choice.
Status cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
  if (auto function = find_function(hfunc); !function) return function.error();
  if (auto reference = find(hTexRef); !reference) return reference.error();
  if (texunit != CU_PARAM_TR_DEFAULT) return invalid_value("texunit must be CU_PARAM_TR_DEFAULT");
  return Unit{};
}

// ---- surface references
Status cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  if (Flags != 0)
    return invalid_value("the flags of cuSurfRefSetArray must be 0, are " + std::to_string(Flags));
  auto reference = find(hSurfRef, true);
  if (!reference) return reference.error();
  if (auto array = find_array(hArray); !array) return array.error();
  const std::lock_guard lock(references().mutex);
  (*reference)->resource = {};
  (*reference)->resource.resType = CU_RESOURCE_TYPE_ARRAY;
  (*reference)->resource.res.array.hArray = hArray;
  (*reference)->bound = true;
  return renew(**reference);
}
Status cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) {
  auto reference = find(hSurfRef, true);
  if (!reference) return reference.error();
  if (!(*reference)->bound) return invalid_value("the reference is not bound");
  *phArray = (*reference)->resource.res.array.hArray;
  return Unit{};
}

}  // namespace heddle::cu
