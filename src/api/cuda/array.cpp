// Arrays and mipmapped arrays.
#include <algorithm>

#include "api/cuda/functions.gen.h"
#include "api/cuda/texels.h"

namespace heddle::cu {
namespace {

Answer<runtime::ArrayRequest> request_of(const CUDA_ARRAY3D_DESCRIPTOR& description, uint32_t levels) {
  using runtime::ArrayShape;
  constexpr unsigned int known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
                                 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT;
  if (Status good = known_flags(description.Flags, known); !good) return good.error();
  auto texel = texel_of(description.Format, description.NumChannels);
  if (!texel) return texel.error();
  const bool layered = (description.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool cubemap = (description.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  if (description.Width == 0) return invalid_value("an array without a width");
  runtime::ArrayRequest request;
  request.texel = *texel;
  request.levels = levels;
  request.surface = (description.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
  request.gather = (description.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
  request.flags = description.Flags;
  request.width = description.Width;
  request.height = std::max<size_t>(description.Height, 1);
  request.depth = std::max<size_t>(description.Depth, 1);
  if (cubemap) {
    if (description.Width != description.Height || description.Depth == 0 || description.Depth % 6 != 0 ||
        (!layered && description.Depth != 6))
      return invalid_value("a cubemap has six faces (a multiple of six when layered), as wide as high");
    request.shape = layered ? ArrayShape::cubemap_layered : ArrayShape::cubemap;
    request.depth = description.Depth / 6;
  } else if (layered) {
    if (description.Depth == 0) return invalid_value("a layered array without layers");
    request.shape = description.Height == 0 ? ArrayShape::d1_layered : ArrayShape::d2_layered;
  } else {
    request.shape = description.Depth != 0    ? ArrayShape::d3
                    : description.Height != 0 ? ArrayShape::d2
                                              : ArrayShape::d1;
  }
  return request;
}

Answer<std::shared_ptr<cuda::Array>> create(const CUDA_ARRAY3D_DESCRIPTOR& description, uint32_t levels,
                                            bool mipmapped) {
  auto context = working_context();
  if (!context) return context.error();
  auto request = request_of(description, levels);
  if (!request) return request.error();
  return cuda::Array::create(*context, *request, mipmapped);
}

CUDA_ARRAY3D_DESCRIPTOR description_of(const cuda::Array& array) {
  using runtime::ArrayShape;
  const runtime::ArrayRequest& request = array.request();
  const exec::MipLevel& extent = array.extent();
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = extent.width;
  const ArrayShape shape = request.shape;
  if (shape != ArrayShape::d1 && shape != ArrayShape::d1_layered) description.Height = extent.height;
  if (shape != ArrayShape::d1 && shape != ArrayShape::d2) description.Depth = extent.depth;
  description.Format = format_of(request.texel);
  description.NumChannels = request.texel.channels();
  description.Flags = request.flags;
  return description;
}

}  // namespace

Status cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  if (pAllocateArray == nullptr) return missing("pAllocateArray");
  auto array = create(*pAllocateArray, 1, false);
  if (!array) return array.error();
  *pHandle = as_handle<CUarray>((*array)->handle());
  return Unit{};
}

Status cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  if (pAllocateArray == nullptr) return missing("pAllocateArray");
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = pAllocateArray->Width;
  description.Height = pAllocateArray->Height;
  description.Format = pAllocateArray->Format;
  description.NumChannels = pAllocateArray->NumChannels;
  return cu::cuArray3DCreate_v2(pHandle, &description);
}

Status cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  auto array = find_array(hArray);
  if (!array) return array.error();
  *pArrayDescriptor = description_of(**array);
  return Unit{};
}

Status cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  auto array = find_array(hArray);
  if (!array) return array.error();
  const CUDA_ARRAY3D_DESCRIPTOR description = description_of(**array);
  *pArrayDescriptor = {description.Width, description.Height, description.Format, description.NumChannels};
  return Unit{};
}

Status cuArrayDestroy(CUarray hArray) {
  auto array = find_array(hArray);
  if (!array) return array.error();
  return (*array)->destroy();
}

Status cuMipmappedArrayCreate(CUmipmappedArray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                              unsigned int numMipmapLevels) {
  if (pMipmappedArrayDesc == nullptr) return missing("pMipmappedArrayDesc");
  auto array = create(*pMipmappedArrayDesc, numMipmapLevels, true);
  if (!array) return array.error();
  *pHandle = as_handle<CUmipmappedArray>((*array)->handle());
  return Unit{};
}

Status cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
  auto array = find_mipmapped_array(hMipmappedArray);
  if (!array) return array.error();
  auto part = (*array)->level(level);
  if (!part) return part.error();
  *pLevelArray = as_handle<CUarray>((*part)->handle());
  return Unit{};
}

Status cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  auto array = find_mipmapped_array(hMipmappedArray);
  if (!array) return array.error();
  return (*array)->destroy();
}

}  // namespace heddle::cu
