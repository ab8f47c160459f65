// Binding texture and surface references, as CUDA 11 and before had it (CUDA Runtime API 11, "Texture
// Reference Management").
#ifndef HEDDLE_CRT_RUNTIME_REFERENCE_H
#define HEDDLE_CRT_RUNTIME_REFERENCE_H

#include <limits.h>

#include "../cuda_surface_types.h"
#include "../cuda_texture_types.h"

#define HEDDLE_API_ static __inline__ __host__ __attribute__((unused)) cudaError_t
#define HEDDLE_TEXTURE_ template <class T, int dim, enum cudaTextureReadMode readMode>

HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTexture(size_t* offset, const struct texture<T, dim, readMode>& tex,
                                            const void* devPtr, const struct cudaChannelFormatDesc& desc,
                                            size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &desc, size);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTexture(size_t* offset, const struct texture<T, dim, readMode>& tex,
                                            const void* devPtr, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTexture2D(size_t* offset, const struct texture<T, dim, readMode>& tex,
                                              const void* devPtr, const struct cudaChannelFormatDesc& desc,
                                              size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTexture2D(size_t* offset, const struct texture<T, dim, readMode>& tex,
                                              const void* devPtr, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTextureToArray(const struct texture<T, dim, readMode>& tex,
                                                   cudaArray_const_t array,
                                                   const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToArray(&tex, array, &desc);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTextureToArray(const struct texture<T, dim, readMode>& tex,
                                                   cudaArray_const_t array) {
  struct cudaChannelFormatDesc desc;
  cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  return status == cudaSuccess ? ::cudaBindTextureToArray(&tex, array, &desc) : status;
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTextureToMipmappedArray(const struct texture<T, dim, readMode>& tex,
                                                            cudaMipmappedArray_const_t mipmappedArray,
                                                            const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToMipmappedArray(&tex, mipmappedArray, &desc);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaBindTextureToMipmappedArray(const struct texture<T, dim, readMode>& tex,
                                                            cudaMipmappedArray_const_t mipmappedArray) {
  cudaArray_t level;
  struct cudaChannelFormatDesc desc;
  cudaError_t status = ::cudaGetMipmappedArrayLevel(&level, mipmappedArray, 0);
  if (status == cudaSuccess) status = ::cudaGetChannelDesc(&desc, level);
  return status == cudaSuccess ? ::cudaBindTextureToMipmappedArray(&tex, mipmappedArray, &desc) : status;
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaUnbindTexture(const struct texture<T, dim, readMode>& tex) {
  return ::cudaUnbindTexture(&tex);
}
HEDDLE_TEXTURE_ HEDDLE_API_ cudaGetTextureAlignmentOffset(size_t* offset,
                                                          const struct texture<T, dim, readMode>& tex) {
  return ::cudaGetTextureAlignmentOffset(offset, &tex);
}

template <class T, int dim>
HEDDLE_API_ cudaBindSurfaceToArray(const struct surface<T, dim>& surf, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindSurfaceToArray(&surf, array, &desc);
}
template <class T, int dim>
HEDDLE_API_ cudaBindSurfaceToArray(const struct surface<T, dim>& surf, cudaArray_const_t array) {
  struct cudaChannelFormatDesc desc;
  cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  return status == cudaSuccess ? ::cudaBindSurfaceToArray(&surf, array, &desc) : status;
}

#undef HEDDLE_TEXTURE_
#undef HEDDLE_API_

#endif
