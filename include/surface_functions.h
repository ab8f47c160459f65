// Surface loads and stores through the surface references of CUDA 11 and before.
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/surface_access.h"
#include "cuda_surface_types.h"

template <class Reference>
static __device__ __forceinline__ cudaSurfaceObject_t HeddleSurfaceHandle(Reference reference) {
  cudaSurfaceObject_t object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

#define HEDDLE_LIST_(...) __VA_ARGS__
#define HEDDLE_SURF_(name, geometry, parameters, arguments, surface_type)                                    \
  template <class T>                                                                                         \
  static __device__ __forceinline__ T name##read(surface<void, surface_type> reference,                      \
                                                 HEDDLE_LIST_ parameters,                                    \
                                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    return heddle_surface::read_##geometry<T>(HeddleSurfaceHandle(reference), HEDDLE_LIST_ arguments, mode); \
  }                                                                                                          \
  template <class T>                                                                                         \
  static __device__ __forceinline__ void name##read(T* data, surface<void, surface_type> reference,          \
                                                    HEDDLE_LIST_ parameters,                                 \
                                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    *data =                                                                                                  \
        heddle_surface::read_##geometry<T>(HeddleSurfaceHandle(reference), HEDDLE_LIST_ arguments, mode);    \
  }                                                                                                          \
  template <class T>                                                                                         \
  static __device__ __forceinline__ void name##write(T data, surface<void, surface_type> reference,          \
                                                     HEDDLE_LIST_ parameters,                                \
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    heddle_surface::write_##geometry(data, HeddleSurfaceHandle(reference), HEDDLE_LIST_ arguments, mode);    \
  }

HEDDLE_SURF_(surf1D, 1d, (int x), (x), cudaSurfaceType1D)
HEDDLE_SURF_(surf2D, 2d, (int x, int y), (x, y), cudaSurfaceType2D)
HEDDLE_SURF_(surf3D, 3d, (int x, int y, int z), (x, y, z), cudaSurfaceType3D)
HEDDLE_SURF_(surf1DLayered, a1d, (int x, int layer), (x, layer), cudaSurfaceType1DLayered)
HEDDLE_SURF_(surf2DLayered, a2d, (int x, int y, int layer), (x, y, layer), cudaSurfaceType2DLayered)
HEDDLE_SURF_(surfCubemap, a2d, (int x, int y, int face), (x, y, face), cudaSurfaceTypeCubemap)
HEDDLE_SURF_(surfCubemapLayered, a2d, (int x, int y, int layerFace), (x, y, layerFace),
             cudaSurfaceTypeCubemapLayered)

#undef HEDDLE_SURF_
#undef HEDDLE_LIST_

#endif

#endif
