// Texture fetches through the texture references of CUDA 11 and before (CUDA C++ Programming Guide 11,
// "Texture Reference API"). In device code a reference is its handle, which PTX takes in place of a texture
// object.
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "cuda_texture_types.h"

// What a fetch from texture<T, type, mode> gives: T, or as many floats when it normalizes.
template <class T, enum cudaTextureReadMode mode>
struct HeddleTextureResult {
  typedef T type;
};
template <class T, int count>
struct HeddleTextureFloats;
template <class T>
struct HeddleTextureFloats<T, 1> {
  typedef float type;
};
template <class T>
struct HeddleTextureFloats<T, 2> {
  typedef float2 type;
};
template <class T>
struct HeddleTextureFloats<T, 4> {
  typedef float4 type;
};
#define HEDDLE_NORMALIZED_(name, scalar)                                                                \
  template <>                                                                                           \
  struct HeddleTextureResult<scalar, cudaReadModeNormalizedFloat> : HeddleTextureFloats<scalar, 1> {};  \
  template <>                                                                                           \
  struct HeddleTextureResult<name##1, cudaReadModeNormalizedFloat> {                                    \
    typedef float1 type;                                                                                \
  };                                                                                                    \
  template <>                                                                                           \
  struct HeddleTextureResult<name##2, cudaReadModeNormalizedFloat> : HeddleTextureFloats<scalar, 2> {}; \
  template <>                                                                                           \
  struct HeddleTextureResult<name##4, cudaReadModeNormalizedFloat> : HeddleTextureFloats<scalar, 4> {};
HEDDLE_NORMALIZED_(char, signed char)
HEDDLE_NORMALIZED_(uchar, unsigned char)
HEDDLE_NORMALIZED_(short, short)
HEDDLE_NORMALIZED_(ushort, unsigned short)
#undef HEDDLE_NORMALIZED_
template <>
struct HeddleTextureResult<char, cudaReadModeNormalizedFloat> : HeddleTextureFloats<char, 1> {};

template <class Reference>
static __device__ __forceinline__ cudaTextureObject_t HeddleTextureHandle(Reference reference) {
  cudaTextureObject_t object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

#define HEDDLE_LIST_(...) __VA_ARGS__
#define HEDDLE_TEX_(name, texture_type, operation, parameters, arguments)             \
  template <class T, enum cudaTextureReadMode mode>                                   \
  static __device__ __forceinline__ typename HeddleTextureResult<T, mode>::type name( \
      texture<T, texture_type, mode> reference, HEDDLE_LIST_ parameters) {            \
    typename HeddleTextureResult<T, mode>::type result;                               \
    cudaTextureObject_t object = HeddleTextureHandle(reference);                      \
    __nv_tex_surf_handler(operation, &result, object, HEDDLE_LIST_ arguments);        \
    return result;                                                                    \
  }

HEDDLE_TEX_(tex1Dfetch, cudaTextureType1D, "__tex1Dfetch_v2", (int x), (x))
HEDDLE_TEX_(tex1D, cudaTextureType1D, "__tex1D_v2", (float x), (x))
HEDDLE_TEX_(tex1DLod, cudaTextureType1D, "__tex1DLod_v2", (float x, float level), (x, level))
HEDDLE_TEX_(tex1DGrad, cudaTextureType1D, "__tex1DGrad_v2", (float x, float dPdx, float dPdy),
            (x, dPdx, dPdy))
HEDDLE_TEX_(tex1DLayered, cudaTextureType1DLayered, "__tex1DLayered_v2", (float x, int layer), (x, layer))
HEDDLE_TEX_(tex1DLayeredLod, cudaTextureType1DLayered, "__tex1DLayeredLod_v2",
            (float x, int layer, float level), (x, layer, level))
HEDDLE_TEX_(tex1DLayeredGrad, cudaTextureType1DLayered, "__tex1DLayeredGrad_v2",
            (float x, int layer, float dPdx, float dPdy), (x, layer, dPdx, dPdy))
HEDDLE_TEX_(tex2D, cudaTextureType2D, "__tex2D_v2", (float x, float y), (x, y))
HEDDLE_TEX_(tex2DLod, cudaTextureType2D, "__tex2DLod_v2", (float x, float y, float level), (x, y, level))
HEDDLE_TEX_(tex2DGrad, cudaTextureType2D, "__tex2DGrad_v2", (float x, float y, float2 dPdx, float2 dPdy),
            (x, y, &dPdx, &dPdy))
HEDDLE_TEX_(tex2DLayered, cudaTextureType2DLayered, "__tex2DLayered_v2", (float x, float y, int layer),
            (x, y, layer))
HEDDLE_TEX_(tex2DLayeredLod, cudaTextureType2DLayered, "__tex2DLayeredLod_v2",
            (float x, float y, int layer, float level), (x, y, layer, level))
HEDDLE_TEX_(tex2DLayeredGrad, cudaTextureType2DLayered, "__tex2DLayeredGrad_v2",
            (float x, float y, int layer, float2 dPdx, float2 dPdy), (x, y, layer, &dPdx, &dPdy))
HEDDLE_TEX_(tex3D, cudaTextureType3D, "__tex3D_v2", (float x, float y, float z), (x, y, z))
HEDDLE_TEX_(tex3DLod, cudaTextureType3D, "__tex3DLod_v2", (float x, float y, float z, float level),
            (x, y, z, level))
HEDDLE_TEX_(tex3DGrad, cudaTextureType3D, "__tex3DGrad_v2",
            (float x, float y, float z, float4 dPdx, float4 dPdy), (x, y, z, &dPdx, &dPdy))
HEDDLE_TEX_(texCubemap, cudaTextureTypeCubemap, "__texCubemap_v2", (float x, float y, float z), (x, y, z))
HEDDLE_TEX_(texCubemapLod, cudaTextureTypeCubemap, "__texCubemapLod_v2",
            (float x, float y, float z, float level), (x, y, z, level))
HEDDLE_TEX_(texCubemapLayered, cudaTextureTypeCubemapLayered, "__texCubemapLayered_v2",
            (float x, float y, float z, int layer), (x, y, z, layer))
HEDDLE_TEX_(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "__texCubemapLayeredLod_v2",
            (float x, float y, float z, int layer, float level), (x, y, z, layer, level))

// A gather gives one component of four texels, so always four of them.
template <class Scalar, class T, enum cudaTextureReadMode mode>
struct HeddleGatherResult;
#define HEDDLE_GATHER_(scalar, four)                \
  template <class T, enum cudaTextureReadMode mode> \
  struct HeddleGatherResult<scalar, T, mode> {      \
    typedef four type;                              \
  };
HEDDLE_GATHER_(float, float4)
HEDDLE_GATHER_(int, int4)
HEDDLE_GATHER_(unsigned int, uint4)
HEDDLE_GATHER_(short, short4)
HEDDLE_GATHER_(unsigned short, ushort4)
HEDDLE_GATHER_(signed char, char4)
HEDDLE_GATHER_(char, char4)
HEDDLE_GATHER_(unsigned char, uchar4)
#undef HEDDLE_GATHER_
template <class T>
static __device__ auto HeddleTexel(T texel, int) -> decltype(texel.x);
template <class T>
static __device__ T HeddleTexel(T texel, long);
template <class T, enum cudaTextureReadMode mode>
static __device__ __forceinline__ auto tex2Dgather(texture<T, cudaTextureType2D, mode> reference, float x,
                                                   float y, int comp = 0) ->
    typename HeddleGatherResult<decltype(HeddleTexel(typename HeddleTextureResult<T, mode>::type(), 0)), T,
                                mode>::type {
  typename HeddleGatherResult<decltype(HeddleTexel(typename HeddleTextureResult<T, mode>::type(), 0)), T,
                              mode>::type result;
  cudaTextureObject_t object = HeddleTextureHandle(reference);
  __nv_tex_surf_handler("__tex2Dgather_v2", &result, object, x, y, comp);
  return result;
}

#undef HEDDLE_TEX_
#undef HEDDLE_LIST_

#endif

#endif
