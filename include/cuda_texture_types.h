// texture<T, type, mode>: the texture references of CUDA 11 and before (CUDA C++ Programming Guide 11,
// "Texture Reference API").
//
// clang knows the attribute: on the host such a variable is this structure, registered by
// __cudaRegisterTexture(); in device code it is a .texref, and passing it to a function passes its 64-bit
// handle (PTX ISA, "Texture, Sampler and Surface Types").
#ifndef __CUDA_TEXTURE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__

#include "channel_descriptor.h"
#include "texture_types.h"

#if defined(__cplusplus)

template <class T, int texType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 9999
  __host__ texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                   enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    set(norm, filter, address, cudaCreateChannelDesc<T>());
  }
  __host__ texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                   struct cudaChannelFormatDesc desc)
      : textureReference() {
    set(norm, filter, address, desc);
  }

 private:
  __host__ void set(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                    const struct cudaChannelFormatDesc& desc) {
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = desc;
  }
#endif
};

#endif

#endif
