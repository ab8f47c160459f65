// Surface loads and stores through surface objects (CUDA C++ Programming Guide, "Surface Object API"). A
// cubemap's face is a layer.
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/surface_access.h"

#define HEDDLE_LIST_(...) __VA_ARGS__
#define HEDDLE_SURF_(name, geometry, parameters, arguments)                                                 \
  template <class T>                                                                                        \
  static __device__ __forceinline__ T name##read(cudaSurfaceObject_t object, HEDDLE_LIST_ parameters,       \
                                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    return heddle_surface::read_##geometry<T>(object, HEDDLE_LIST_ arguments, mode);                        \
  }                                                                                                         \
  template <class T>                                                                                        \
  static __device__ __forceinline__ void name##read(T* data, cudaSurfaceObject_t object,                    \
                                                    HEDDLE_LIST_ parameters,                                \
                                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    *data = heddle_surface::read_##geometry<T>(object, HEDDLE_LIST_ arguments, mode);                       \
  }                                                                                                         \
  template <class T>                                                                                        \
  static __device__ __forceinline__ void name##write(T data, cudaSurfaceObject_t object,                    \
                                                     HEDDLE_LIST_ parameters,                               \
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    heddle_surface::write_##geometry(data, object, HEDDLE_LIST_ arguments, mode);                           \
  }

HEDDLE_SURF_(surf1D, 1d, (int x), (x))
HEDDLE_SURF_(surf2D, 2d, (int x, int y), (x, y))
HEDDLE_SURF_(surf3D, 3d, (int x, int y, int z), (x, y, z))
HEDDLE_SURF_(surf1DLayered, a1d, (int x, int layer), (x, layer))
HEDDLE_SURF_(surf2DLayered, a2d, (int x, int y, int layer), (x, y, layer))
HEDDLE_SURF_(surfCubemap, a2d, (int x, int y, int face), (x, y, face))
HEDDLE_SURF_(surfCubemapLayered, a2d, (int x, int y, int layerFace), (x, y, layerFace))

#undef HEDDLE_SURF_
#undef HEDDLE_LIST_

#endif

#endif
