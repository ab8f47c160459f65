// surface<T, type>: the surface references of CUDA 11 and before; see cuda_texture_types.h.
#ifndef __CUDA_SURFACE_TYPES_H__
#define __CUDA_SURFACE_TYPES_H__

#include "channel_descriptor.h"
#include "surface_types.h"

#if defined(__cplusplus)

template <class T, int dim = 1>
struct __device_builtin_surface_type__ surface : public surfaceReference {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 9999
  __host__ surface() { channelDesc = cudaCreateChannelDesc<T>(); }
  __host__ surface(struct cudaChannelFormatDesc desc) { channelDesc = desc; }
#endif
};

// What programs write: surface<void, dim>, whose elements have the size of each access.
template <int dim>
struct __device_builtin_surface_type__ surface<void, dim> : public surfaceReference {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 9999
  __host__ surface() { channelDesc = cudaCreateChannelDesc<void>(); }
#endif
};

#endif

#endif
